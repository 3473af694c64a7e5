internal import ORMStorage

/// Keeps large values outside of rows: in files beside the store's, or, where there is no file, in
/// rows of their own.
///
/// It wraps the engine directly. Layers above it see values, never references.
package final class ExternalLayer: Sendable {
  let options: StoreOptions
  /// The tables by the entity's stored name.
  let tables: [String: ExternalTable]
  /// The files of contents; nil for a store without a file.
  package let files: ExternalFiles?
  private let schema: StoredSchema

  /// The layer of a store; nil where it keeps nothing outside.
  package init?(_ store: any Store) {
    schema = store.schema
    options = store.runtime.options
    var tables: [String: ExternalTable] = [:]
    for entity in schema.entities {
      tables[entity.name] = ExternalTable(entity, largestValue: options.maximumValueSize)
    }
    guard !tables.isEmpty else { return nil }
    self.tables = tables
    files = store.runtime.file.map { ExternalFiles(besides: $0, options: store.runtime.options) }
  }

  /// Returns the columns of a request's result that may lead to values outside; nil if none do.
  func output(of shape: FetchShape) -> ExternalOutput? {
    if case .rows = shape.output { return tables[shape.entity]?.rows }
    return schema.externalOutput(of: shape, tables)
  }

  /// Returns whether values of an entity may be outside of its rows, by its stored name.
  package func concerns(_ entity: String) -> Bool { tables[entity] != nil }

  /// A reader, and the engine's own that it is around.
  package func reader(
    of store: any Store
  ) throws -> (outer: any StoreReader, engine: any StoreReader) {
    let outer = try layeredReader(of: store)
    return (outer, outer.forwardedReader)
  }

  private func layeredReader(of store: any Store) throws -> ExternalReader {
    guard let files else { return ExternalReader(try store.reader(ReadTurn()), self, epoch: nil) }
    var epoch = try files.lock.enter()
    do {
      var base = try store.reader(ReadTurn())
      if epoch == nil {
        // Contents may have been added or removed between the two.
        do {
          epoch = try files.lock.enter()
        } catch {
          base.end()
          throw error
        }
        if epoch != nil {
          base.end()
          base = try store.reader(ReadTurn())
        }
      }
      return ExternalReader(base, self, epoch: epoch)
    } catch {
      if let epoch { files.lock.leave(epoch) }
      throw error
    }
  }

  /// A writer, which also counts the files that killed and failed ones left, and the engine's own that it
  /// is around.
  package func writer(
    of store: any Store
  ) throws -> (outer: any StoreWriter, engine: any StoreWriter) {
    let base = try store.writer(WriteTurn())
    do {
      let begun = try files?.folder.newNames() ?? []
      return (ExternalWriter(base, self, of: store, begun: begun), base)
    } catch {
      base.end()
      throw error
    }
  }
}
