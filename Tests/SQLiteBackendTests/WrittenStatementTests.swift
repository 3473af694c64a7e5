import ORM
import SQLiteBackend
import TestSupport
import Testing

/// Statements in SQL that only SQLite has (clause 2.13).
@Suite("Statements that programs write for SQLite")
struct WrittenStatementTests {
  private struct Note: PrimaryKeyed, Codable, Equatable {
    var id: Int64
    var text: String

    static let entity = Entity<Note>("Note") { .key("id", \.id).attribute("text", \.text) }
  }

  private let folder = TestFolder()
  private let store: any Store

  init() throws {
    store = try SQLiteStore(path: folder.file("store.sqlite"), schema: Schema(Note.self))
    try store.save([Note(id: 1, text: "a"), Note(id: 2, text: "b")])
  }

  @Test(
    "settings, other databases and what hides tables are refused",
    arguments: [
      "PRAGMA journal_mode = DELETE", "PRAGMA user_version", "PRAGMA table_info('Note')",
      "ATTACH ':memory:' AS other", "DETACH main", "VACUUM", "CREATE TEMP TABLE Note (x)",
      "CREATE TEMP VIEW Note AS SELECT 1", "CREATE TABLE \"Note$text\" (x)",
      "CREATE TABLE \"Note$\u{301}x\" (x)",
      "CREATE TRIGGER t AFTER INSERT ON Note BEGIN SELECT 1; END", "DELETE FROM sqlite_master",
      "ALTER TABLE Note RENAME TO Other", "REPLACE INTO note VALUES (1, 'z')",
      "SELECT load_extension('x')", "WITH x AS (SELECT 1) DELETE FROM NOTE", "DROP VIEW Note",
    ])
  func refused(_ text: String) throws {
    for run in [
      { _ = try store.query(sql: .init(words: text)) },
      { try store.execute(sql: .init(words: text)) },
    ] {
      let error = try #require(throws: StoreError.self) { try run() }
      #expect(error.code == .invalidStatement, "\(error)")
    }
    #expect(try store.fetch(Note.all).map(\.text) == ["a", "b"])
  }

  @Test("a trigger of the program's own tables does not reach a table of the store")
  func triggers() throws {
    try store.execute(sql: "CREATE TABLE own (x INTEGER)")
    try store.execute(
      sql: "CREATE TRIGGER t AFTER INSERT ON own BEGIN DELETE FROM Note; END")
    let error = try #require(throws: StoreError.self) {
      try store.execute(sql: "INSERT INTO own VALUES (1)")
    }
    #expect(error.code == .invalidStatement)
    #expect(error.message.contains("Note"))
    #expect(try store.count(Note.all) == 2)
    #expect(try store.query(sql: "SELECT * FROM own").isEmpty)
  }

  @Test("6.4: a query that never ends ends when its task is cancelled")
  func cancelled() async throws {
    let endless: SQLRequest =
      "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT count(*) AS n FROM x"
    for block in [false, true] {
      let task = Task { [store] in
        if !block { return try await store.query(sql: endless).count }
        return try await store.read { transaction in
          // Whatever the body makes of the error, the read is cancelled.
          _ = try transaction.fetch(Note.all)
          return (try? transaction.query(sql: endless).count) ?? 0
        }
      }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await store.query(sql: "SELECT 7 AS n").map { $0["n"] } == [.int(7)])
      #expect(try await store.fetch(Note.all).count == 2)
    }
  }

  @Test(
    "a query may begin with blanks and comments",
    arguments: [
      " \t\n-- one\n/* two */ SELECT 7 AS n", "with x(n) AS (VALUES (7)) SELECT n FROM x",
      "/**/--\nSeLeCt 7 AS n", "SELECT 7 AS n;", "SELECT 7 AS n -- end",
    ])
  func comments(_ text: String) throws {
    #expect(try store.query(sql: .init(words: text)).map { $0["n"] } == [.int(7)])
  }

  @Test("a comment without an end, and a text without a statement, are refused")
  func unfinished() throws {
    for text in ["/* ", "--", "/", ";", "\0", "SELECT 1\0", "/*/"] {
      let error = try #require(throws: StoreError.self) { try store.query(sql: .init(words: text)) }
      #expect(error.code == .invalidStatement, "\(text.debugDescription): \(error)")
    }
  }

  @Test("a statement that is used twice at once gives both its rows")
  func nested() throws {
    let texts: SQLRequest = "SELECT \(\Note.text) AS t FROM \(Note.self) ORDER BY 1"
    try store.read { tx in
      for _ in 0..<3 {
        let found = try tx.query(sql: texts)
        #expect(found.map { $0["t"] } == [.string("a"), .string("b")])
      }
    }
    try store.execute(sql: "CREATE TABLE own (x INTEGER)")
    #expect(try store.query(sql: texts).count == 2)
  }
}
