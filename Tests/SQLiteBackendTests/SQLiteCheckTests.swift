import Foundation
import ORM
import SQLiteBackend
import TestSupport
import Testing

/// What `check()` says of a file whose auxiliary tables and columns another program has changed:
/// clause 7.3.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct SQLiteCheckTests {
  /// An entity with an index of folded texts and one of elements, and a key of two attributes.
  struct Crate: PrimaryKeyed, Codable, Equatable {
    struct ID: CompositeKey {
      var land: String
      var number: Int
    }
    var id: ID
    var name: String
    var tags: [String]

    static let entity = Entity<Crate>("Crate") {
      .key("land", \.id.land)
        .key("number", \.id.number)
        .attribute("name", \.name, .indexed(.caseInsensitive))
        .attribute("tags", \.tags, .indexed(.elements))
    }
  }

  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = TestFolder()
    path = folder.file("store.sqlite")
    let store = try SQLiteStore(path: path, schema: Schema(Crate.self))
    try store.insert([
      crate(1, "Straße", ["a", "b", "a"]), crate(2, "X", []), crate(3, "é", ["b"]),
    ])
    #expect(try store.check().isSound)
    try store.close()
  }

  private func crate(_ number: Int, _ name: String, _ tags: [String]) -> Crate {
    Crate(id: .init(land: "IS", number: number), name: name, tags: tags)
  }

  /// The faults after statements of another program: the attribute and the number in the key.
  private func faults(after sql: String) throws -> [String] {
    try SQLiteCommand.run(sql, path)
    let store = try SQLiteStore(path: path, schema: Schema(Crate.self))
    let faults = try store.check(decoding: [Crate.self]).faults
    try store.close()
    return faults.map { fault in
      guard fault.key.count == 2, case .int(let number) = fault.key[1] else { return "\(fault)" }
      return "\(fault.code.rawValue) \(fault.entity ?? "") \(number) \(fault.attributes[0])"
    }.sorted()
  }

  /// The table of the elements of `tags`, and the column of the folded texts of `name`.
  private let elements = "Crate$tags"
  private let column = "name$folded"

  @Test("7.3: a folded text that is not that of its value is reported")
  func foldedTexts() throws {
    #expect(
      try faults(after: "UPDATE Crate SET \"\(column)\" = 'strasze' WHERE number = 1")
        == ["corrupt Crate 1 name"])
    #expect(
      try faults(after: "UPDATE Crate SET \"\(column)\" = NULL WHERE number = 3")
        == ["corrupt Crate 1 name", "corrupt Crate 3 name"])
    #expect(
      try faults(
        after: "UPDATE Crate SET name = 'STRASSE', \"\(column)\" = 'strasse' WHERE number = 1")
        == ["corrupt Crate 3 name"])
    #expect(
      try faults(after: "UPDATE Crate SET name = 'y' WHERE number = 2")
        == ["corrupt Crate 2 name", "corrupt Crate 3 name"])
  }

  @Test("7.3: an element without its entry is reported")
  func missingElements() throws {
    #expect(
      try faults(after: "DELETE FROM \"\(elements)\" WHERE owner2 = 1 AND element = 'a'")
        == ["corrupt Crate 1 tags"])
  }

  @Test("7.3: an entry that is no element of its row is reported")
  func foreignElements() throws {
    #expect(
      try faults(after: "INSERT INTO \"\(elements)\" VALUES ('z', 'IS', 2)")
        == ["corrupt Crate 2 tags"])
  }

  @Test("7.3: entries without a row are reported")
  func lostElements() throws {
    #expect(
      try faults(
        after: "INSERT INTO \"\(elements)\" VALUES ('z', 'IS', 9); "
          + "INSERT INTO \"\(elements)\" VALUES ('y', 'IS', 9)")
        == ["corrupt Crate 9 tags"])
  }

  @Test("7.3: an element that was changed lacks one entry and has another")
  func changedElements() throws {
    #expect(
      try faults(after: "UPDATE \"\(elements)\" SET element = 'c' WHERE owner2 = 3")
        == ["corrupt Crate 3 tags", "corrupt Crate 3 tags"])
  }

  @Test("7.7: an index that is gone is reported, with the statement that makes it again")
  func missingIndex() throws {
    let names = try SQLiteCommand.run(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Crate' "
        + "AND sql LIKE '%folded%'", path)
    let name = try #require(names.split(separator: "\n").first)
    try SQLiteCommand.run("DROP INDEX \"\(name)\"", path)
    let store = try SQLiteStore(path: path, schema: Schema(Crate.self))
    let faults = try store.check(decoding: [Crate.self]).faults
    try store.close()
    #expect(faults.map(\.code) == [.corrupt])
    #expect(faults.first?.entity == "Crate")
    #expect(faults.first?.attributes == ["name"])
    let message = try #require(faults.first?.message)
    #expect(message.contains("the index \(name) is missing"))
    let statement = try #require(message.range(of: "make it again: "))
    try SQLiteCommand.run(String(message[statement.upperBound...]), path)
    let repaired = try SQLiteStore(path: path, schema: Schema(Crate.self))
    #expect(try repaired.check(decoding: [Crate.self]).isSound)
    try repaired.close()
  }

  @Test("7.7: a table, column or declaration that another program has changed is reported")
  func changedTable() throws {
    func faults(after sql: String) throws -> [StoreError] {
      let copy = folder.file(UUID().uuidString)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try SQLiteCommand.run(sql, copy)
      let store = try SQLiteStore(path: copy, schema: Schema(Crate.self))
      defer { try? store.close() }
      return try store.check(decoding: [Crate.self]).faults
    }
    let dropped = try faults(after: "ALTER TABLE Crate DROP COLUMN tags")
    #expect(dropped.map(\.code) == [.corrupt, .corrupt])
    #expect(dropped[0].message.contains("the table Crate lacks the column tags"))
    #expect(dropped[0].attributes == ["tags"])
    #expect(dropped[1].message.contains("were not checked"))
    let gone = try faults(after: "DROP TABLE Crate")
    #expect(gone.map(\.code) == [.corrupt, .corrupt])
    #expect(gone[0].message.contains("the table Crate is missing"))
    let declared = try faults(
      after: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
        + "replace(sql, '\"name\" TEXT NOT NULL', '\"name\" ANY') WHERE name = 'Crate'")
    #expect(declared.map(\.code) == [.corrupt])
    #expect(declared[0].message.contains("is declared as ANY, not as TEXT NOT NULL"))
    #expect(declared[0].attributes == ["name"])
  }

  @Test("7.3: a stored schema that names an index which is not there is damage")
  func foreignIndex() throws {
    try SQLiteCommand.run(
      "UPDATE strata_meta SET value = replace(value, 'Crate.name$folded', 'Crate.name$fzlded') "
        + "WHERE name = 'schema'", path)
    let before = try bytes(path)
    do {
      try SQLiteStore(path: path, schema: Schema(Crate.self)).close()
      Issue.record("the store was opened")
    } catch let error as StoreError {
      #expect(error.code == .corrupt)
      #expect(error.message.contains("names an index that is not there"), "\(error)")
    }
    #expect(try bytes(path) == before)
  }
}
