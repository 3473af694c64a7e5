internal import ORMStorage

/// The newest layout that this store knows, read anew when another process changed the catalog.
final class LayoutCache: Sendable {
  private let current: Lock<StoreLayout>
  private let overflowKeys: OverflowKeys
  /// True if other processes may change the catalog.
  let isShared: Bool

  init(_ layout: StoreLayout, overflowKeys: OverflowKeys, isShared: Bool) {
    current = Lock(layout)
    self.overflowKeys = overflowKeys
    self.isShared = isShared
  }

  /// The newest layout known.
  var layout: StoreLayout { current.withLock { $0 } }

  /// The layout as of a snapshot; `known` unless the catalog was changed since.
  func layout(of snapshot: any OrderedSnapshot, known: StoreLayout) throws -> StoreLayout {
    guard isShared else { return known }
    let generation = try StoreCounters.commit(in: snapshot).catalog
    if generation == known.catalog.generation { return known }
    let newest = layout
    if generation == newest.catalog.generation { return newest }
    return try read(from: snapshot, known)
  }

  /// The layout of the catalog in a snapshot.
  private func read(
    from snapshot: any OrderedSnapshot, _ known: StoreLayout
  ) throws -> StoreLayout {
    guard let catalog = try Catalog.read(from: snapshot) else { throw Catalog.damaged }
    // The layout of another program may not fit this one; indexes it dropped are not used.
    _ = try SchemaComparison.compare(stored: catalog.schema, declared: known.declared)
    let layout = try StoreLayout(
      catalog, declared: known.declared, overflowKeys: overflowKeys, isPartial: true)
    current.withLock { current in
      if current.catalog.generation < catalog.generation { current = layout }
    }
    return layout
  }
}
