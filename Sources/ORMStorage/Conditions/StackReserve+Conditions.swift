package import ORMValues

extension StackReserve {
  /// The reason why a condition cannot be worked with on this thread; nil where it can.
  package static func refusal(of condition: Condition) -> StoreError? {
    guard condition.depth(upTo: shallow + 1) > shallow else { return nil }
    let depth = condition.depth(upTo: .max)
    guard current.left < needed(depth) else { return nil }
    return StoreError(
      .tooComplex,
      "the condition nests \(depth) deep, too deep for the stack of this thread; use a thread "
        + "with a larger stack")
  }

  /// Runs a function that nests as deep as a condition: here, or if this thread has too little stack, on
  /// one that has enough.
  package static func run<R>(_ condition: Condition, _ body: () -> R) -> R {
    guard condition.depth(upTo: shallow + 1) > shallow else { return body() }
    return run(needing: needed(condition.depth(upTo: .max)), body)
  }
}
