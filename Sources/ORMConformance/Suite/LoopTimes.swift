internal import ORM
internal import ORMCore

/// Times of loops, which a case prints in one line.
struct LoopTimes {
  private var times: [(name: String, time: Duration)] = []

  /// Notes the time of a loop.
  mutating func note(_ name: String, _ time: Duration) { times.append((name, time)) }

  /// Notes the longest time between two questions of an operation that goes on, and their number with its
  /// name.
  ///
  /// - Returns: the number of questions, and the result of the operation.
  mutating func noteGap<Result>(
    _ name: String, _ operation: () throws -> Result
  ) throws -> (questions: Int, result: Result) {
    let questions = Questions()
    let result = try RunningOperation.run(unless: { questions.ask() == 0 }, operation)
    note("\(name) (\(questions.count))", questions.longestGap)
    return (questions.count, result)
  }

  /// Prints the times in milliseconds, the longest first.
  func print(_ what: String, _ context: ConformanceContext) {
    let texts = times.sorted { $0.time > $1.time }
      .map { "\($0.name) \(Int($0.time / .milliseconds(1)))" }
    Swift.print("\(context.provider.name), \(what), ms: \(texts.joined(separator: "; "))")
  }
}

/// The questions of an operation after the reason to end early.
final class Questions: Sendable {
  private struct State {
    var count = 0
    var last = ContinuousClock.now
    var longest = Duration.zero
  }

  private let state = Lock(State())

  /// The number of questions so far.
  var count: Int { state.withLock { $0.count } }

  /// The longest time between two questions, or since the last.
  var longestGap: Duration {
    state.withLock { max($0.longest, ContinuousClock.now - $0.last) }
  }

  /// Counts a question, and returns its number.
  func ask() -> Int {
    state.withLock { state in
      let now = ContinuousClock.now
      state.longest = max(state.longest, now - state.last)
      state.last = now
      state.count += 1
      return state.count
    }
  }
}

/// The end of a loop, noted on its own thread: tasks may get their turn late.
final class LoopEnd: Sendable {
  let time = Shared<ContinuousClock.Instant?>(nil)

  /// Runs a body, and notes when it ends.
  func noting(_ body: () throws -> Void) rethrows {
    defer { time.change { $0 = .now } }
    try body()
  }
}

extension ConformanceContext {
  /// Expects that an operation throws `CancellationError` if it is cancelled by the time of a question.
  ///
  /// - Parameter mayBeDone: true if it may also be done after fewer questions.
  func expectEnd(
    ofQuestion number: Int, in name: String, mayBeDone: Bool, _ body: () throws -> Void
  ) throws {
    let questions = Questions()
    do {
      try RunningOperation.run(unless: { questions.ask() >= number }, body)
      guard mayBeDone, questions.count < number else {
        throw failure(
          "\(name), question \(number)", expected: "CancellationError",
          got: "success after \(questions.count) questions")
      }
    } catch is CancellationError {}
  }
}
