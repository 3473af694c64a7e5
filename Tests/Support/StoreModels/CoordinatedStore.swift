import Foundation
import LMDBBackend
package import ORM
package import ORMCoordinator
import SQLiteBackend

/// Coordinators of two stores in a folder, which tests and other processes open by a location.
///
/// The first store keeps the journal, and with it ``Journal``, ``Counter`` and clubs; the second keeps
/// ``Entry`` and persons.
package enum CoordinatedStore: String, CaseIterable, Sendable, CustomStringConvertible {
  case sqliteAndLMDB = "sqlite-lmdb"
  case lmdbAndSQLite = "lmdb-sqlite"

  package var description: String { rawValue }

  /// The location of a folder, as another process gets it.
  package func location(_ folder: String) -> String { "\(rawValue):\(folder)" }

  /// The kind of store, whose path is that of the folder.
  package var kind: StoreKind {
    StoreKind(scheme: rawValue, fileExtension: "stores") { folder, schema, options in
      guard let folder, let schema else {
        throw StoreError(.invalidLocation, "a coordinator has a folder and a schema")
      }
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      return try StoreCoordinator(
        schema, options: options, configurations: configurations(folder, schema))
    }
  }

  /// The locations of both stores.
  package func members(_ folder: String) -> [StoreLocation] {
    let (sqlite, lmdb) = (
      StoreLocation.sqlite(path: folder + "/store.sqlite"),
      StoreLocation.lmdb(path: folder + "/store.lmdb")
    )
    return self == .sqliteAndLMDB ? [sqlite, lmdb] : [lmdb, sqlite]
  }

  /// The configurations for a schema.
  package func configurations(_ folder: String, _ schema: Schema) -> [StoreConfiguration] {
    let members = members(folder)
    let second = ["Entry", "Person"].filter { schema.stored.entity(named: $0) != nil }
    return [
      .configuration("first", entities: [], at: members[0]),
      .configuration("second", entities: second, at: members[1]),
    ]
  }

  /// Opens a folder with the models of these tests.
  package func open(
    _ folder: String, _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    set(&options)
    return try StoreLocation(kind: kind, path: folder)
      .open(schema: StoreModels.schema(), options: options)
  }
}
