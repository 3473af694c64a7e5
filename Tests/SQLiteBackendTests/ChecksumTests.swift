import Foundation
import ORM
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Rows with checksums on SQLite: clause 7.3.
@Suite struct ChecksumTests {
  private let folder: TestFolder
  private var path: String { folder.file("store") }

  init() throws { folder = TestFolder(inMemory: true) }

  private func open(_ schema: Schema? = nil, _ checksums: Bool = true) throws -> SQLiteStore {
    var sqlite = SQLiteOptions()
    sqlite.checksums = checksums
    return try SQLiteStore(path: path, schema: schema ?? StoreModels.schema(), sqlite: sqlite)
  }

  /// Changes the first occurrence of a text in the file to another of the same length.
  private func change(_ text: String, _ other: String) throws {
    var content = try bytes(path)
    let range = try #require(content.firstRange(of: Data(text.utf8)))
    content.replaceSubrange(range, with: Data(other.utf8))
    _ = try folder.write(content, "store")
  }

  // MARK: One row

  @Test("A damaged row is corrupt with its key where it is read, changed and checked")
  func oneRow() throws {
    var store = try open()
    var entries = (1...5).map { Entry.sample($0) }
    entries[2].text = "a text to be damaged"
    try store.insert(entries)
    try store.close()
    try change("a text to be damaged", "a text that is wrong")
    store = try open()
    let error = #expect(throws: StoreError.self) { _ = try store.find(Entry.self, 3) }
    #expect(error?.code == .corrupt)
    #expect(error?.entity == "Entry")
    #expect(error?.key == [.int(3)])
    #expect(code { _ = try store.fetch(Entry.all) } == .corrupt)
    #expect(code { _ = try store.fetch(Entry.all.select(\.number)) } == .corrupt)
    #expect(try store.fetch(Entry.all.where { $0.id != 3 }).count == 4)
    #expect(try store.count(Entry.self) == 5, "aggregates verify nothing")
    // A change of the rest would hide the damage.
    #expect(
      code { try store.update(Entry.all.where { $0.id == 3 }) { $0.number = 77 } } == .corrupt)
    #expect(code { try store.update(Entry.all) { $0[\.number] += 100 } } == .corrupt)
    var other = entries[2]
    other.number = 79
    #expect(code { try store.save(other) } == .corrupt)
    // Changes of other rows go on.
    try store.update(Entry.all.where { $0.id != 3 }) { $0[\.number] += 100 }
    try store.update(Entry.all.where { $0.id == 4 }) { $0.text = "other" }
    let report = try store.check()
    #expect(report.faults.map(\.code) == [.corrupt], "\(report)")
    #expect(report.faults.first?.key == [.int(3)])
    try store.close()
    // A program without the option reads what is there; it hides nothing either.
    store = try open(nil, false)
    #expect(try store.find(Entry.self, 3)?.text == "a text that is wrong")
    #expect(
      code { try store.update(Entry.all.where { $0.id == 3 }) { $0.number = 77 } } == .corrupt)
    #expect(try store.check().faults == report.faults)
    try store.close()
    // The row can be deleted and written again.
    store = try open()
    try store.delete(Entry.self, id: 3)
    try store.insert(entries[2])
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("Links are verified with the rows that hold them")
  func links() throws {
    let schema = try Schema(Shelf.self, Box.self)
    var store = try open(schema)
    try store.insert([Shelf(id: 1, name: "a name to be damaged"), Shelf(id: 2, name: "other")])
    try store.insert((1...4).map { Box($0) })
    try store.close()
    let content = try bytes(path)
    try change("a name to be damaged", "a name that is wrong")
    store = try open(schema)
    #expect(code { _ = try store.fetch(Box.all.prefetch(\.shelf)) } == .corrupt)
    #expect(try store.fetch(Box.all).count == 4)
    try store.close()
    _ = try folder.write(content, "store")
    try change("Box number 2", "Box number 7")
    store = try open(schema)
    #expect(code { _ = try store.fetch(Shelf.all.prefetch(\.boxes)) } == .corrupt)
    #expect(try store.fetch(Shelf.all).map(\.name) == ["a name to be damaged", "other"])
    try store.close()
  }

  // MARK: Schemas

  @Test("A store without checksums gets them, and programs that do not ask for them keep them")
  func adding() throws {
    var store = try open(nil, false)
    let rows = (1...50).map { Entry.sample($0) }
    try store.insert(rows)
    try store.close()
    #expect(try bytes(path)[63] == 1)
    store = try open()
    #expect(try store.fetch(Entry.all) == rows)
    try store.close()
    #expect(try bytes(path)[63] == 2, "versions that do not know checksums refuse the file")
    store = try open(nil, false)
    try store.update(Entry.all.where { $0.id < 10 }) { $0.text = "changed" }
    var row = Entry.sample(20)
    row.text = "saved"
    try store.save(row)
    try store.delete(Entry.all.where { $0.id > 40 })
    try store.save(Counter(1, value: 1))
    #expect(try store.check().isSound)
    try store.close()
    store = try open()
    #expect(try store.fetch(Entry.all).count == 40)
    #expect(try store.find(Entry.self, 20)?.text == "saved")
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("Attributes and indexes that are added or removed keep checksums and hide no damage")
  func evolution() throws {
    let plain = try Schema(Thing.Plain.self)
    let wide = try Schema(Thing.Wide.self)
    var store = try open(plain)
    try store.insert([
      Thing.Plain(id: 1, name: "One", tags: ["a"]),
      Thing.Plain(id: 2, name: "Two and more", tags: ["a", "b"]),
    ])
    try store.close()
    let before = try bytes(path)
    // Two attributes, folded texts and a table of elements.
    store = try open(wide, false)
    try store.update(Thing.Wide.all.where { $0.id == 2 }) { $0.note = "a note that is there" }
    try store.close()
    store = try open(wide)
    #expect(try store.fetch(Thing.Wide.all).map(\.count) == [7, 7])
    #expect(try store.fetch(Thing.Wide.all.where { $0.tags.contains("b") }).map(\.id) == [2])
    #expect(try store.check().isSound)
    try store.close()
    let after = try bytes(path)
    // Both are removed again.
    store = try open(plain)
    #expect(try store.fetch(Thing.Plain.all).map(\.name) == ["One", "Two and more"])
    #expect(try store.check().isSound)
    try store.close()
    // The index of folded texts alone.
    _ = try folder.write(before, "store")
    store = try open(try Schema(Thing.Folded.self))
    #expect(try store.check().isSound)
    try store.close()
    for schema in [wide, try Schema(Thing.Folded.self)] {
      _ = try folder.write(before, "store")
      try change("Two and more", "Two and less")
      #expect(code { _ = try open(schema) } == .corrupt)
      #expect(code { _ = try open(schema, false) } == .corrupt)
    }
    _ = try folder.write(after, "store")
    try change("a note that is there", "a note that is wrong")
    store = try open(wide)
    #expect(code { _ = try store.find(Thing.Wide.self, 2) } == .corrupt)
    #expect(try store.find(Thing.Wide.self, 1)?.name == "One")
    try store.close()
    // The program that does not declare the attribute verifies it as well.
    store = try open(plain)
    #expect(code { _ = try store.find(Thing.Plain.self, 2) } == .corrupt)
    try store.close()
  }

  @Test("A damaged schema, or a damaged mark of checksums, is corrupt")
  func meta() throws {
    try open().close()
    let content = try bytes(path)
    // The store's own texts: the schema, its checksum and the names of both.
    for (text, other) in [
      ("\"name\":\"Counter\"", "\"name\":\"Coumter\""), ("checksum1", "checksun1"),
    ] {
      _ = try folder.write(content, "store")
      try change(text, other)
      for checksums in [false, true] {
        #expect(code { _ = try open(nil, checksums) } == .corrupt, "\(text)")
      }
    }
    // The version of the layout is the mark.
    var damaged = content
    damaged[63] = 1
    _ = try folder.write(damaged, "store")
    for checksums in [false, true] {
      #expect(code { _ = try open(nil, checksums) } == .corrupt)
    }
  }

  @Test(
    "Other programs read, check and delete rows with checksums, and cannot write any",
    .enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
  func otherPrograms() throws {
    let store = try open()
    try store.insert((1...3).map { Entry.sample($0) })
    try store.close()
    #expect(try SQLiteCommand.run("SELECT number FROM Entry ORDER BY id", path) == "1\n2\n3")
    #expect(try SQLiteCommand.run("PRAGMA integrity_check", path) == "ok")
    for sql in [
      "UPDATE Entry SET text = 'x'", "INSERT INTO Counter (id, value) VALUES (1, 1)", "VACUUM",
    ] {
      #expect(try SQLiteCommand.failure(sql, path).contains("function: strata_checksum"))
    }
    try SQLiteCommand.run("DELETE FROM Entry WHERE id = 2", path)
    let again = try open()
    #expect(try again.fetch(Entry.all).map(\.id) == [1, 3])
    #expect(try again.check().isSound)
    try again.close()
  }
}
