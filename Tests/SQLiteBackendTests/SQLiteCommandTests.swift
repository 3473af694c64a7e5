import Foundation
import ORM
import SQLiteBackend
import TestSupport
import Testing

/// What the `sqlite3` command reads in a store's file, and what it can do to one: clause 1.4.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct SQLiteCommandTests {
  /// Attributes of the kinds whose form in the file is documented.
  struct Parcel: PrimaryKeyed, Codable, Equatable {
    var id: Int64
    var name: String
    var code: String
    var weight: Double?
    var size: UInt64
    var sent: Date?
    var token: UUID
    var count: Int32 = 0

    static let entity = Entity<Parcel>("Parcel") {
      .key("id", \.id)
        .attribute("name", \.name, .indexed(.caseInsensitive))
        .attribute("code", \.code, .unique)
        .attribute("weight", \.weight, .indexed)
        .attribute("size", \.size, .indexed)
        .attribute("sent", \.sent)
        .attribute("token", \.token)
        .attribute("count", \.count)
    }
  }

  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = TestFolder()
    path = folder.file("store.sqlite")
    let store = try SQLiteStore(path: path, schema: Schema(Parcel.self))
    try store.insert([
      parcel(1, "Straße", size: 7), parcel(2, "it's", size: .max), parcel(3, "c", size: 0),
    ])
    try store.close()
  }

  private func parcel(_ id: Int64, _ name: String, size: UInt64) -> Parcel {
    Parcel(
      id: id, name: name, code: "code \(id)", weight: id == 3 ? nil : Double(id) / 4, size: size,
      sent: Date(timeIntervalSinceReferenceDate: 86_400.5),
      token: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(id))))
  }

  @Test("The schema is legible: types, NOT NULL and UNIQUE; the file is sound")
  func schema() throws {
    let columns = try SQLiteCommand.run(
      """
      SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk FROM pragma_table_info('Parcel')
      WHERE name IN ('id', 'name', 'code', 'weight', 'size', 'sent', 'token', 'count')
      """, path)
    #expect(
      columns.split(separator: "\n") == [
        "id INTEGER 1 1", "name TEXT 1 0", "code TEXT 1 0", "weight ANY 0 0", "size TEXT 1 0",
        "sent ANY 0 0", "token BLOB 1 0", "count INTEGER 1 0",
      ])
    let unique = try SQLiteCommand.run(
      """
      SELECT i.name FROM pragma_index_list('Parcel') l JOIN pragma_index_info(l.name) i
      WHERE l."unique" AND l.origin = 'c'
      """, path)
    #expect(unique == "code")
    #expect(try SQLiteCommand.run("PRAGMA integrity_check", path) == "ok")
  }

  @Test("Values are what they are documented to be")
  func values() throws {
    let rows = try SQLiteCommand.run(
      """
      SELECT id, name, code, weight, size, sent, hex(token), count FROM Parcel ORDER BY id
      """, path)
    #expect(
      rows.split(separator: "\n") == [
        "1|Straße|code 1|0.25|00000000000000000007|86400.5|000102030405060708090A0B0C0D0E01|0",
        "2|it's|code 2|0.5|18446744073709551615|86400.5|000102030405060708090A0B0C0D0E02|0",
        "3|c|code 3||00000000000000000000|86400.5|000102030405060708090A0B0C0D0E03|0",
      ])
  }

  @Test("Every index can be read, and orders as its values do")
  func indexes() throws {
    let names = try SQLiteCommand.run("SELECT name FROM pragma_index_list('Parcel')", path)
      .split(separator: "\n")
    #expect(names.count == 4)
    for name in names {
      let count = try SQLiteCommand.run(
        "SELECT count(*) FROM Parcel INDEXED BY \"\(name)\"", path)
      #expect(count == "3", "\(name)")
    }
    let order = try SQLiteCommand.run("SELECT id FROM Parcel ORDER BY size", path)
    #expect(order == "3\n1\n2")
  }

  @Test(
    "What another program spoils in one row is a decoding error that names it; others stay readable",
    arguments: [
      ("name", "CAST(x'61ff62' AS TEXT)"), ("size", "'0000000000000000000x'"),
      ("weight", "'heavy'"), ("sent", "x'00'"), ("token", "x'00'"), ("count", "3000000000"),
    ])
  func spoiled(_ attribute: String, _ value: String) throws {
    try SQLiteCommand.run(
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE Parcel SET \(attribute) = \(value) WHERE id = 2
      """, path)
    let store = try SQLiteStore(path: path, schema: Schema(Parcel.self))
    for read in [
      { _ = try store.find(Parcel.self, 2) }, { _ = try store.fetch(Parcel.all) },
    ] {
      do {
        try read()
        Issue.record("the row is spoiled")
      } catch let error as StoreError {
        #expect(error.code == .decoding)
        #expect(error.entity == "Parcel")
        #expect(error.key == [.int(2)])
        #expect(error.attributes == [attribute])
      }
    }
    #expect(try store.find(Parcel.self, 1) == parcel(1, "Straße", size: 7))
    #expect(try store.find(Parcel.self, 3) == parcel(3, "c", size: 0))
    try store.close()
  }
}
