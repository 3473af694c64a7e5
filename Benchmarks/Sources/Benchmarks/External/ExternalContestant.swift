import Foundation
import LMDBBackend
import ORM
import SQLiteBackend

/// A store of documents whose values lie inside or outside.
struct ExternalContestant {
  let name: String
  let folder: String
  private let make: (_ path: String) throws -> any DocumentOperations

  func open() throws -> any DocumentOperations {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try make(folder + "/documents")
  }

  func remove() throws { try FileManager.default.removeItem(atPath: folder) }

  static func all(path: (String) -> String) throws -> [ExternalContestant] {
    let inside = try Schema(InsideDocument.self)
    let outside = try Schema(OutsideDocument.self)
    return [
      ExternalContestant(name: "SQLite inside", folder: path("sqlite-inside")) {
        Documents<InsideDocument>(store: try SQLiteStore(path: $0, schema: inside))
      },
      ExternalContestant(name: "SQLite outside", folder: path("sqlite-outside")) {
        Documents<OutsideDocument>(store: try SQLiteStore(path: $0, schema: outside))
      },
      ExternalContestant(name: "LMDB inside", folder: path("lmdb-inside")) {
        Documents<InsideDocument>(store: try LMDBStore(path: $0, schema: inside))
      },
      ExternalContestant(name: "LMDB outside", folder: path("lmdb-outside")) {
        Documents<OutsideDocument>(store: try LMDBStore(path: $0, schema: outside))
      },
    ]
  }
}
