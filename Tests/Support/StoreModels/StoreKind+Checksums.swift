package import ORM
import SQLiteBackend

extension StoreKind {
  /// Stores in SQLite files whose rows have checksums: `checksums:snacks.sqlite`.
  package static let sqliteWithChecksums = StoreKind(scheme: "checksums", fileExtension: "sqlite") {
    path, schema, options in
    guard let path, let schema else {
      throw StoreError(.invalidLocation, "a store with checksums has a file and a schema")
    }
    var sqlite = SQLiteOptions()
    sqlite.checksums = true
    return try SQLiteStore(path: path, schema: schema, options: options, sqlite: sqlite)
  }
}
