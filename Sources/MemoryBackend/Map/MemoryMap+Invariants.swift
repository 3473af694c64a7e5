import ORMStorage

/// The invariants of every map while no batch is open, besides those of its trees.
///
/// 10. The bytes of all trees together are the map's, and within its limit.
/// 11. Every node and blob that exists is in exactly one published tree, or waits for a snapshot to
///     end: nothing leaks, and nothing is freed early.
extension MemoryMap {
  /// Throws `corrupt`, naming the invariant, if one is broken.
  ///
  /// Debug builds only; no batch may be open, and no snapshot may end meanwhile.
  package func checkInvariants() throws {
    #if DEBUG
      let (published, waiting, live) = accounts
      var (pieces, bytes) = (0, 0)
      for (_, tree) in published.trees.pairs {
        pieces += try tree.checkInvariants(newest: published.generation)
        bytes += tree.bytes
      }
      guard bytes == published.bytes && bytes <= limit ?? .max else {
        throw StoreError(.corrupt, "Invariant 10 of the map is broken.")
      }
      guard pieces + waiting == live else {
        throw StoreError(.corrupt, "Invariant 11 of the map is broken.")
      }
    #endif
  }
}

extension MemorySnapshot {
  /// Throws `corrupt` if one of its trees breaks an invariant.
  ///
  /// Debug builds only.
  package func checkInvariants() throws {
    for (_, tree) in published.trees.pairs {
      try tree.checkInvariants(newest: published.generation)
    }
  }
}

extension MemoryBatch {
  /// Throws `corrupt` if one of its trees breaks an invariant.
  ///
  /// Debug builds only.
  package func checkInvariants() throws {
    for tree in trees { try tree.checkInvariants() }
  }
}
