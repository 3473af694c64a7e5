internal import ORMStorage

/// The conditions that objects of one model were asked, compiled once for all of them.
final class ObjectFilters: Sendable {
  /// A condition ready to be asked.
  enum Ready: Sendable {
    /// A condition on the row of an object alone.
    case row(CompiledCondition, columns: Int)
    /// A condition on an object and its targets.
    case objects(ObjectCondition)
  }

  /// The most cached conditions; one more clears the cache.
  private static let limit = 32

  private let known = Lock<[Condition: Ready]>([:])

  /// The condition, ready; made if it is not known.
  func ready(_ condition: Condition, _ make: () throws -> Ready) throws -> Ready {
    // A deep one is measured against the stack of the thread each time, before it is looked up.
    if let refusal = StackReserve.refusal(of: condition) { throw refusal }
    if let ready = known.withLock({ $0[condition] }) { return ready }
    let ready = try make()
    // A compiled condition contains the current time.
    var isTimeless = true
    condition.forEachOperand { if $0 == .now { isTimeless = false } }
    guard isTimeless else { return ready }
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[condition] = ready
    }
    return ready
  }
}
