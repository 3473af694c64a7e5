internal import FoundationEssentials
internal import ORMStorage

/// The write transaction in which a store is opened: its batch, and the catalog as of the last change.
final class OrderedSchemaTransaction: SchemaTransaction {
  /// The catalog that the store keeps.
  private(set) var catalog: Catalog
  /// The form of long keys, which no change alters.
  let overflowKeys: OverflowKeys
  private let batch: any OrderedBatch
  private let options: StoreOptions
  /// The writer since the last change; one for all callers, for it knows the greatest generated keys.
  private var currentWriter: OrderedStoreWriter?

  /// A transaction over a batch, which the caller commits or ends.
  ///
  /// Folded indexes of another version of Unicode are built anew at once: writers could not keep them.
  init(
    _ catalog: Catalog, in batch: any OrderedBatch, _ overflowKeys: OverflowKeys,
    _ options: StoreOptions
  ) throws {
    self.catalog = catalog
    self.overflowKeys = overflowKeys
    self.batch = batch
    self.options = options
    if catalog.unicodeVersion != TextFolding.unicodeVersion {
      try change(SchemaChanges(union: catalog.schema))
    }
  }

  deinit { currentWriter?.end() }

  var schema: StoredSchema { catalog.schema }

  func change(_ changes: SchemaChanges) throws {
    let broken = try rulesBroken(by: changes)
      .map { StoreError.rowsBreaking($0.index, of: $0.entity) }
    if let error = StoreError.duplicate(breaking: broken) { throw error }
  }

  /// Makes changes, and returns the unique rules that are new and that rows break.
  ///
  /// If there are any, the caller rolls the batch back.
  func rulesBroken(by changes: SchemaChanges) throws -> [CatalogEvolution.BrokenRule] {
    currentWriter?.end()
    currentWriter = nil
    let evolution = try CatalogEvolution(catalog, changes) { options.timestamp }
    let broken = try evolution.perform(in: batch, overflowKeys)
    if broken.isEmpty, evolution.isNeeded {
      catalog = evolution.catalog
      try catalog.write(to: batch)
    }
    return broken
  }

  /// Begins to build indexes beside writers, but for those that are being built already, and abandons others;
  /// the batch commits before any work is done.
  func begin(_ parts: [(index: StoredIndex, entity: String)], givingUp others: [SchemaChanges.Part])
    throws
  {
    var catalog = catalog
    for part in others {
      guard let index = catalog.end(part, isFinished: false) else { continue }
      try batch.removeAll(in: index.entries)
      try batch.removeAll(in: index.work)
    }
    var begun: [IndexInBuilding] = []
    for (index, entity) in parts
    where catalog.building(.init(entity, index.name))?.index.index != index {
      guard let position = catalog.schema.index(of: entity) else { throw Catalog.damaged }
      begun.append(catalog.begin(index, ofEntityAt: position))
    }
    if catalog == self.catalog { return }
    if catalog.generation == self.catalog.generation { catalog.generation &+= 1 }
    // No work in the keyspace had a greater generation.
    let epoch = catalog.generation << 32
    for index in begun {
      try IndexWork(index.work, overflowKeys).set(IndexWorkState(epoch: epoch), in: batch)
    }
    currentWriter?.end()
    currentWriter = nil
    self.catalog = catalog
    try catalog.write(to: batch)
  }

  func writer() throws -> any StoreWriter {
    if let currentWriter { return currentWriter }
    let layout = try StoreLayout(
      catalog, declared: catalog.schema, overflowKeys: overflowKeys, listsKeys: false)
    let view = StoreView(batch, layout, ownsSnapshot: false)
    let writer = OrderedStoreWriter(batch, view, options, OthersCommits())
    currentWriter = writer
    return writer
  }
}
