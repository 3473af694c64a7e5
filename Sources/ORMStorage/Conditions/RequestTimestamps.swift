internal import Synchronization

/// The timestamps that stand for ``Operand/now`` in the requests of the process.
///
/// A request with one means other rows at another time, also where the timestamp was folded into
/// another constant. If the number did not change while requests were made, none of them has one.
package enum RequestTimestamps {
  private static let made = Atomic(0)

  /// The number of timestamps that were put into requests so far.
  package static var count: Int { made.load(ordering: .relaxed) }

  /// Counts a timestamp.
  static func add() { made.add(1, ordering: .relaxed) }
}
