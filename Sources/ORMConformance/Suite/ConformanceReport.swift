/// The result of a run of the suite.
///
/// ```swift
/// let report = await ConformanceSuite.run(on: MyProvider())
/// for outcome in report.failures { print(outcome.testCase.name) }
/// ```
public struct ConformanceReport: Sendable {
  /// The store.
  public let store: String
  /// The outcomes, in the order of the suite.
  public let outcomes: [Outcome]

  /// One case and its result.
  public struct Outcome: Sendable {
    /// The case.
    public let testCase: ConformanceCase
    /// The error that the case failed with; nil when the case holds.
    public let failure: (any Error)?
  }

  /// The cases that do not hold.
  public var failures: [Outcome] { outcomes.filter { $0.failure != nil } }
  /// True if every case holds.
  public var isConforming: Bool { failures.isEmpty }
}

extension ConformanceReport: CustomStringConvertible {
  /// A line for the whole, and several for each case that does not hold.
  public var description: String {
    var lines = ["\(store): \(outcomes.count - failures.count) of \(outcomes.count) cases hold"]
    for outcome in failures {
      lines.append(outcome.failure.map { "\($0)" } ?? "")
    }
    return lines.joined(separator: "\n")
  }
}
