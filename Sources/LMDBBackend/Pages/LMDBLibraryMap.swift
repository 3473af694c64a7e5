internal import OrderedEngine

/// An ``LMDBMap`` whose snapshots read by the library's cursors instead of the mapped pages.
package final class LMDBLibraryMap: OrderedStore {
  let map: LMDBMap

  /// Opens the file as ``LMDBMap/init(path:options:)`` does.
  package init(path: String, options: LMDBMap.Options = .init()) throws {
    var options = options
    options.readsPagesDirectly = false
    map = try LMDBMap(path: path, options: options)
  }

  package var maximumKeyLength: Int { map.maximumKeyLength }

  package func snapshot() throws -> LMDBLibrarySnapshot {
    LMDBLibrarySnapshot(map: map, reader: try map.lendReader())
  }

  package func batch(wait: Double) throws -> LMDBBatch { try map.batch(wait: wait) }

  package func close() throws { try map.close() }
}
