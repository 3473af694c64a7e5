internal import Synchronization

/// The timestamps that stand for ``Operand/now`` in the requests that a block makes.
///
/// A request with one means other rows at another time, also where the timestamp was folded into
/// another constant. Requests of other tasks are counted elsewhere.
package final class RequestTimestamps: Sendable {
  @TaskLocal private static var current: RequestTimestamps?
  private let made = Atomic(0)

  package init() {}

  /// The number of timestamps that were put into the block's requests so far.
  package var count: Int { made.load(ordering: .relaxed) }

  /// Runs a block, and counts the timestamps that are put into its requests.
  package func counting<Value>(_ body: () throws -> Value) rethrows -> Value {
    try Self.$current.withValue(self, operation: body)
  }

  /// Counts a timestamp for the block that runs, if one is counted for.
  static func add() { current?.made.add(1, ordering: .relaxed) }
}
