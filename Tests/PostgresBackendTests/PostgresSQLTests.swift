import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Statements that programs write, beyond what the conformance suite asks of every SQL database.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresSQLTests {
  private let namespace = PostgresNamespace()

  private func store() throws -> PostgresStore {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    try store.save([
      Word(id: 1, text: "a", weight: 1), Word(id: 2, text: "b", weight: -0.0),
    ])
    return store
  }

  @Test(
    "What would change a table of the store by any way is invalidStatement, and nothing is changed",
    arguments: [
      "WITH d AS (DELETE FROM \"Word\" RETURNING id) SELECT count(*) FROM d",
      "DELETE FROM view_of_words", "TRUNCATE \"Word\"", "ALTER TABLE \"Word\" RENAME TO w",
      "DROP INDEX \"$text\"", "CREATE INDEX mine ON \"Word\" (id)", "DROP TABLE strata_gate",
      "COMMENT ON TABLE \"Word\" IS 'x'", "CREATE TABLE \"x$y\" (a int)", "CALL p()",
      "DO $$BEGIN DELETE FROM \"Word\"; END$$", "SELECT empty_words()", "SET search_path = x",
      "LOCK TABLE \"Word\"", "COPY \"Word\" FROM STDIN", "/* a /* b */ */ COMMIT", "VACUUM",
      "GRANT ALL ON \"Word\" TO public",
      "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "PREPARE x AS SELECT 1", "DROP SCHEMA public", "-- a\n ROLLBACK",
    ])
  func refused(_ sql: String) throws {
    let store = try store()
    try store.execute(sql: "CREATE VIEW view_of_words AS SELECT * FROM \(Word.self)")
    try PostgresServer.psql(
      """
      CREATE FUNCTION \(namespace.name).empty_words() RETURNS int LANGUAGE sql AS
      'DELETE FROM \(namespace.name)."Word"; SELECT 1'
      """)
    try store.write { transaction in
      try transaction.insert(Word(id: 3, text: "c", weight: 0))
      do {
        try transaction.execute(sql: SQLRequest(words: sql))
        Issue.record("\(sql) was run")
      } catch let error as StoreError {
        #expect(error.code == .invalidStatement, "\(error)")
      }
      // The transaction goes on.
      #expect(try transaction.count(Word.self) == 3)
    }
    #expect(try store.count(Word.self) == 3)
    #expect(try store.check().faults.isEmpty)
    try store.close()
  }

  @Test(
    "A query changes nothing, neither rows nor settings, in a read or a write",
    arguments: [
      "WITH d AS (DELETE FROM \"Word\" RETURNING id) SELECT * FROM d", "SELECT empty_words()",
      "EXPLAIN ANALYZE DELETE FROM \"Word\"", "SELECT nextval('numbers')",
      "SELECT * INTO mine FROM \"Word\"", "SHOW search_path", "SELECT 1; SELECT 2",
    ])
  func readOnly(_ sql: String) throws {
    let store = try store()
    try store.execute(sql: "CREATE SEQUENCE numbers")
    try PostgresServer.psql(
      """
      CREATE FUNCTION \(namespace.name).empty_words() RETURNS int LANGUAGE sql AS
      'DELETE FROM \(namespace.name)."Word"; SELECT 1'
      """)
    func expectRefusal(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("\(sql) was run")
      } catch {
        #expect((error as? StoreError)?.code == .invalidStatement, "\(error)")
      }
    }
    let count = try store.read { transaction in
      expectRefusal { _ = try transaction.query(sql: SQLRequest(words: sql)) }
      return try transaction.count(Word.self)
    }
    #expect(count == 2)
    try store.write { transaction in
      expectRefusal { _ = try transaction.query(sql: SQLRequest(words: sql)) }
      try transaction.insert(Word(id: 3, text: "c", weight: 0))
    }
    #expect(try store.count(Word.self) == 3)
    try store.close()
  }

  @Test("Values of the server's types have kinds of the store")
  func kinds() throws {
    let store = try store()
    let rows = try store.query(
      sql: """
        SELECT true AS b, 2::smallint AS i, 1.5::real AS f, 1.25::numeric AS n, 'x'::varchar(3) AS v,
          DATE '2001-01-02' AS d, TIMESTAMP '2001-01-01 00:00:01.5' AS t, '{"a": 1}'::jsonb AS j,
          ARRAY['p', NULL] AS a, '\\x00ff'::bytea AS y, NULL AS e
        """)
    let row = try #require(rows.first)
    let found = ["b", "i", "f", "n", "v", "d", "t", "j", "a", "y", "e"].map { row[$0] }
    #expect(
      found == [
        .bool(true), .int(2), .double(1.5), .decimal(Decimal(string: "1.25") ?? 0), .string("x"),
        .date(Date(timeIntervalSinceReferenceDate: 86_400)),
        .date(Date(timeIntervalSinceReferenceDate: 1.5)), .json("{\"a\": 1}"),
        .array([.string("p"), .null]), .data(Data([0, 255])), .null,
      ])
    do {
      _ = try store.query(sql: "SELECT '1.2.3.4'::inet AS x")
      Issue.record("an address has no kind")
    } catch let error as StoreError {
      #expect(error.code == .decoding)
    }
    try store.close()
  }

  @Test("A query follows changes of the program's own tables")
  func changedTables() throws {
    let store = try store()
    try store.execute(sql: "CREATE TABLE own (a INTEGER)")
    #expect(try store.execute(sql: "INSERT INTO own VALUES (\(1)), (\(2))") == 2)
    #expect(try store.query(sql: "SELECT * FROM own ORDER BY 1").count == 2)
    try store.execute(sql: "ALTER TABLE own ALTER COLUMN a TYPE text")
    #expect(try store.query(sql: "SELECT * FROM own ORDER BY 1").first?["a"] == .string("1"))
    #expect(
      try PostgresServer.psql("SELECT count(*) FROM \(namespace.name).own") == ["2"])
    try store.close()
  }
}
