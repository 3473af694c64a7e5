import ORMStorage
import OrderedEngine

/// An ``OrderedStore`` in memory: one persistent tree a keyspace, and snapshots that cost nothing.
///
/// A batch works on roots of its own and publishes them when it commits. Keys and values may be of
/// any length. With a `limit`, the bytes of all keys and values together stay within it: a `put`
/// that would go past it throws `full` and changes nothing.
///
/// Cost: a look-up or a write compares keys at each of three or four levels; the first write to a
/// node in a batch copies its 4 KiB; a row takes its bytes and ten more, in nodes that are full
/// after ascending writes and two thirds full after random ones.
package final class MemoryMap: OrderedStore {
  package typealias Snapshot = MemorySnapshot
  package typealias Batch = MemoryBatch

  /// The most that all keys and values may take together, in bytes; nil for no limit.
  package let limit: Int?
  package var maximumKeyLength: Int { .max }
  private let state: Lock<State>

  /// The state that a commit publishes.
  ///
  /// Its nodes are not written again.
  struct Published: Sendable {
    var trees = KeyspaceTable<BTree>()
    /// Goes up with each commit; no node is born later.
    var generation: UInt64 = 0
    /// The bytes of all keys and values.
    var bytes = 0
  }

  private struct State {
    var published: Published
    var reclaimer = Reclaimer()
    /// Nodes and blobs that exist.
    var live: Int
    var isWriting = false
    var isClosed = false
  }

  /// Makes an empty map; `limit` is in bytes of keys and values.
  package convenience init(limit: Int? = nil) {
    self.init(limit: limit, published: Published(), live: 0)
  }

  init(limit: Int?, published: Published, live: Int) {
    self.limit = limit
    state = Lock(State(published: published, live: live))
  }

  deinit { freeTrees() }

  /// Opens a snapshot of the newest commit.
  ///
  /// Throws `closed`.
  package func snapshot() throws -> MemorySnapshot {
    MemorySnapshot(map: self, published: try openNewest())
  }

  /// Counts a snapshot of the newest commit, which ``close(_:)`` ends.
  func openNewest() throws -> Published {
    try state.withLock { state in
      guard !state.isClosed else { throw Self.closed }
      state.reclaimer.open(state.published.generation)
      return state.published
    }
  }

  /// Begins the write transaction.
  ///
  /// Throws `busy` at once while another is open, since only this process could end it; and `closed`.
  package func batch(wait: Double) throws -> MemoryBatch {
    let published = try state.withLock { state in
      guard !state.isClosed else { throw Self.closed }
      guard !state.isWriting else {
        throw StoreError(.busy, "Another batch of the memory store is open.")
      }
      state.isWriting = true
      return state.published
    }
    let edit = Edit(
      stamp: published.generation + 1, allowance: (limit ?? .max) - published.bytes)
    return MemoryBatch(map: self, published: published, edit: edit)
  }

  /// Closes the map and frees its entries; closing twice is harmless.
  package func close() throws {
    let isIdle = state.withLock { state in
      state.isClosed = true
      return state.reclaimer.isIdle && !state.isWriting
    }
    // With a snapshot or batch still open the entries go with the map itself.
    if isIdle { freeTrees() }
  }

  private static var closed: StoreError { StoreError(.closed, "The memory store is closed.") }

  private func freeTrees() {
    let published = state.withLock { state in
      let published = state.published
      state.published = Published(generation: published.generation)
      state.live = 0
      return published
    }
    let edit = Edit(stamp: 0, allowance: 0)
    for (_, tree) in published.trees.pairs {
      if let root = tree.root { edit.discard(allIn: root) }
    }
  }
}

extension MemoryMap {
  /// Makes a batch's trees the newest commit.
  func publish(_ published: Published, _ edit: Edit) {
    let free = state.withLock { state in
      state.published = published
      state.isWriting = false
      let free = state.reclaimer.retire(edit.retired)
      state.live += edit.live - free.count
      return free
    }
    for piece in free { piece.deallocate() }
  }

  /// Ends a batch that has freed its nodes.
  func abandonBatch() { state.withLock { $0.isWriting = false } }

  /// Ends a snapshot.
  func close(_ generation: UInt64) {
    let free = state.withLock { state in
      let free = state.reclaimer.close(generation)
      state.live -= free.count
      return free
    }
    for piece in free { piece.deallocate() }
  }

  /// The newest commit, the pieces that wait for snapshots to end, and all that exist: for
  /// ``checkInvariants()``.
  var accounts: (published: Published, waiting: Int, live: Int) {
    state.withLock { ($0.published, $0.reclaimer.waitingCount, $0.live) }
  }
}
