internal import ORMStorage

/// The requests prepared lately, by shape.
final class PlanCache: Sendable {
  /// The most cached requests; past it, the least recently used half is dropped.
  private static let limit = 512

  private let state = Lock(State())

  private struct State {
    var entries: [FetchShape: Entry] = [:]
    var clock: UInt64 = 0
    /// The request used last: a read of its own is mostly of the same shape as the one before.
    var last: PreparedRequest?

    mutating func use(_ shape: FetchShape) -> PreparedRequest? {
      if let last, last.shape === shape { return last }
      guard let index = entries.index(forKey: shape) else { return nil }
      clock += 1
      entries.values[index].lastUse = clock
      last = entries.values[index].prepared
      return last
    }

    mutating func add(_ prepared: PreparedRequest) {
      if entries.count >= PlanCache.limit {
        let uses = entries.values.map(\.lastUse).sorted()
        let middle = uses[uses.count / 2]
        entries = entries.filter { $0.value.lastUse > middle }
      }
      clock += 1
      entries[prepared.shape] = PlanCache.Entry(prepared: prepared, lastUse: clock)
    }
  }

  private struct Entry {
    var prepared: PreparedRequest
    var lastUse: UInt64
  }

  /// The prepared request of a shape, made now if it is new.
  func prepared(
    _ shape: FetchShape, _ make: () throws -> PreparedRequest
  ) throws -> PreparedRequest {
    if let known = state.withLock({ $0.use(shape) }) { return known }
    let prepared = try make()
    state.withLock { $0.add(prepared) }
    return prepared
  }
}
