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
    let evolution = try CatalogEvolution(catalog, changes)
    let broken = try evolution.perform(in: batch, overflowKeys)
    if broken.isEmpty, evolution.isNeeded {
      catalog = evolution.catalog
      try catalog.write(to: batch)
    }
    return broken
  }

  func writer() throws -> any StoreWriter {
    if let currentWriter { return currentWriter }
    let layout = try StoreLayout(catalog, declared: catalog.schema, overflowKeys: overflowKeys)
    let view = StoreView(batch, layout, ownsSnapshot: false)
    let writer = OrderedStoreWriter(batch, view, options, OthersCommits())
    currentWriter = writer
    return writer
  }
}
