import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// A contestant of the growth mode: a new file for every size.
struct GrowthContestant {
  let name: String
  let folder: String
  let file: String
  /// The name of a store of this kind for the command; nil if it is no Strata store.
  let scheme: String?
  private let make: (String) throws -> any GrowthOperations

  var copyPath: String { folder + "/copy-" + file }

  func open() throws -> any GrowthOperations {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    return try make(folder + "/" + file)
  }

  /// Removes every file of this contestant.
  func remove() throws { try FileManager.default.removeItem(atPath: folder) }

  static func all(path: (String) -> String) -> [GrowthContestant] {
    [
      GrowthContestant(name: "raw SQLite", folder: path("raw-sqlite"), file: "rows", scheme: nil) {
        try RawSQLiteGrowth(path: $0)
      },
      strata("Strata SQLite", path("growth-sqlite"), "rows.sqlite", "sqlite") {
        try SQLiteStore(path: $0, schema: $1)
      },
      GrowthContestant(name: "raw LMDB", folder: path("raw-lmdb"), file: "rows", scheme: nil) {
        try RawLMDBGrowth(path: $0)
      },
      strata("Strata LMDB", path("growth-lmdb"), "rows.lmdb", "lmdb") {
        try LMDBStore(path: $0, schema: $1)
      },
      strata("Strata memory", path("growth-memory"), "rows.memory", "memory") {
        MemoryStore(schema: $1)
      },
    ]
  }

  private static func strata(
    _ name: String, _ folder: String, _ file: String, _ scheme: String,
    _ open: @escaping (String, Schema) throws -> any Store
  ) -> GrowthContestant {
    GrowthContestant(name: name, folder: folder, file: file, scheme: scheme) { path in
      let schema = try Schema(GrowthRow.self)
      return StrataGrowth(store: try open(path, schema)) { try open($0, schema) }
    }
  }
}
