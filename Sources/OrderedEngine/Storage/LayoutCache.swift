internal import ORMStorage
internal import Synchronization

/// The newest layout that this store knows, read anew when another process changed the catalog.
final class LayoutCache: Sendable {
  private let current: Lock<StoreLayout>
  private let overflowKeys: OverflowKeys
  /// True if other processes may change the catalog.
  private let isShared: Bool
  private let isReadOnly: Bool

  init(_ layout: StoreLayout, overflowKeys: OverflowKeys, isShared: Bool, isReadOnly: Bool) {
    current = Lock(layout)
    self.overflowKeys = overflowKeys
    self.isShared = isShared
    self.isReadOnly = isReadOnly
  }

  /// Returns the layout of a snapshot or batch.
  ///
  /// The catalog may be another than that of the last, with the same columns at other positions or
  /// under other names. So every view looks for its generation, but for views of a commit that was
  /// looked at.
  ///
  /// - Throws: `schemaMismatch` and `schemaTooNew` where the declared schema no longer fits.
  @inline(__always)
  func layout(of snapshot: any OrderedSnapshot) throws -> StoreLayout {
    let newest = current.withLock { $0 }
    guard isShared else { return newest }
    let commit = snapshot.commitNumber ?? 0
    if commit > 0, newest.knownCommit.load(ordering: .relaxed) == commit { return newest }
    return try layout(of: snapshot, commit, newest)
  }

  @inline(never)
  private func layout(
    of snapshot: any OrderedSnapshot, _ commit: UInt64, _ newest: StoreLayout
  ) throws -> StoreLayout {
    let generation = try StoreCounters.commit(in: snapshot).catalog
    guard generation == newest.catalog.generation else { return try read(from: snapshot, newest) }
    newest.knownCommit.store(commit, ordering: .relaxed)
    return newest
  }

  /// The layout of the catalog in a snapshot.
  private func read(
    from snapshot: any OrderedSnapshot, _ known: StoreLayout
  ) throws -> StoreLayout {
    guard let catalog = try Catalog.read(from: snapshot) else { throw Catalog.damaged }
    // The layout of another program may not fit this one; indexes it dropped are not used.
    _ = try SchemaComparison.compare(
      stored: catalog.schema, declared: known.declared, isReadOnly: isReadOnly)
    let layout = try StoreLayout(
      catalog, declared: known.declared, overflowKeys: overflowKeys, isPartial: true)
    try layout.declared.checkEntities(areThoseOf: known.declared)
    current.withLock { current in
      if current.catalog.generation < catalog.generation { current = layout }
    }
    return layout
  }
}
