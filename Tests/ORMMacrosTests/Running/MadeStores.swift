#if Macros
  import Foundation
  import LMDBBackend
  import MemoryBackend
  import ORM
  import SQLiteBackend
  import TestSupport
  import Testing

  /// The stores that made models are tested on.
  enum TestedStore: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, lmdb

    var testDescription: String { rawValue }

    /// Runs a body on a new store, whose file goes with the store.
    func with(_ schema: Schema, _ body: (any Store) throws -> Void) throws {
      let folder = TestFolder()
      defer { withExtendedLifetime(folder) {} }
      let path = folder.file("store")
      var options = StoreOptions()
      options.durability = .off
      let store: any Store =
        switch self {
        case .memory: MemoryStore(schema: schema)
        case .sqlite: try SQLiteStore(path: path, schema: schema, options: options)
        case .lmdb: try LMDBStore(path: path, schema: schema, options: options)
        }
      try body(store)
      try store.close()
    }
  }
#endif
