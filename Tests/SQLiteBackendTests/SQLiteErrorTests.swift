import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: errors (clause 8.1)")
struct SQLiteErrorTests {
  let fixture: SQLiteFixture
  let writer: SQLiteConnection

  init() throws {
    fixture = SQLiteFixture()
    writer = try fixture.file().writer()
    try writer.execute(
      """
      CREATE TABLE p (k INTEGER PRIMARY KEY, u TEXT UNIQUE, n INT NOT NULL, c INT CHECK (c < 9))
      STRICT;
      CREATE TABLE w (k TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      CREATE TABLE f (p INT REFERENCES p) STRICT;
      INSERT INTO p VALUES (1, 'one', 1, 1);
      INSERT INTO w VALUES ('a');
      """)
  }

  // The numbers are those of https://sqlite.org/rescode.html.
  @Test(
    "A broken rule is distinguished by the extended code",
    arguments: [
      ("INSERT INTO p VALUES (1, 'two', 1, 1)", StoreError.Code.duplicate, 1555),
      ("INSERT INTO p VALUES (2, 'one', 1, 1)", .duplicate, 2067),
      ("INSERT INTO w VALUES ('a')", .duplicate, 1555),
      ("INSERT INTO p VALUES (2, 'two', NULL, 1)", .missingValue, 1299),
      ("INSERT INTO p VALUES (2, 'two', 1, 9)", .invalidValue, 275),
      ("INSERT INTO p VALUES (2, 'two', 'x', 1)", .invalidValue, 3091),
      ("INSERT INTO p VALUES ('x', 'two', 1, 1)", .invalidValue, 20),
      ("INSERT INTO f VALUES (7)", .engine, 787),
      ("INSERT INTO p VALUES (2, zeroblob(1000000001), 1, 1)", .tooLarge, 18),
      ("SELECT nothing", .engine, 1),
      ("SELECT abs(-9223372036854775807 - 1)", .overflow, 1),
      ("SELECT sum(i) FROM (SELECT 9223372036854775807 AS i UNION ALL SELECT 1)", .overflow, 1),
      ("SELECT", .engine, 1),
    ])
  func rules(sql: String, code: StoreError.Code, engineCode: Int) throws {
    let error = try thrownError { try writer.prepare(sql).run() }
    #expect(error.code == code, "\(error)")
    #expect(error.engineCode == engineCode)
    let again = try thrownError { try writer.execute(sql) }
    #expect(again == error, "one check for all ways")
  }

  @Test("Codes that cannot be brought about here")
  func codes() {
    for (result, system, code) in [
      (6, 0, .busy), (262, 0, .busy), (15, 0, .busy), (261, 0, .busy), (13, 0, .full),
      (778, ENOSPC, .full), (778, EIO, .inputOutput), (1034, EDQUOT, .full), (266, 0, .inputOutput),
      (8458, 0, .corrupt), (3082, 0, .engine), (11, 0, .corrupt), (267, 0, .corrupt),
      (26, 0, .notADatabase), (8, 0, .readOnly), (1032, 0, .fileReplaced), (1544, 0, .readOnly),
      (14, 0, .cannotOpen),
      (14, ENOSPC, .full), (3, 0, .cannotOpen), (516, 0, .transactionEnded), (4, 0, .engine),
      (2579, 0, .duplicate), (7, 0, .engine), (9, 0, .engine), (21, 0, .engine),
    ] as [(Int32, Int32, StoreError.Code)] {
      let error = StoreError(sqlite: result, "", systemError: system)
      #expect(error.code == code, "\(result)")
      #expect(error.engineCode == Int(result))
      #expect(error.isSQLiteInterruption == (result == 9))
    }
  }

  @Test("A size limit reached is full, the transaction can be undone, the store goes on")
  func full() throws {
    try writer.execute("PRAGMA max_page_count = 40")
    try writer.beginWrite()
    let error = try thrownError {
      try writer.execute("INSERT INTO w VALUES (hex(zeroblob(1000000)))")
    }
    #expect(error.code == .full)
    #expect(error.engineCode == 13)
    writer.rollback()
    #expect(!writer.isInTransaction)
    try writer.execute("INSERT INTO w VALUES ('b')")
  }

  @Test("A statement is whole again after an error")
  func afterError() throws {
    let insert = try writer.prepare("INSERT INTO w VALUES (?)")
    for (key, isTaken) in [("a", true), ("b", false), ("b", true), ("c", false)] {
      insert.rewind()
      try insert.bind(key, at: 1)
      if isTaken {
        #expect(try thrownError { try insert.run() }.code == .duplicate)
      } else {
        try insert.run()
      }
    }
    #expect(try writer.integer("SELECT count(*) FROM w") == 3)
  }

  @Test("A parameter that is not there, several statements in one text, and none are errors")
  func mistakes() throws {
    let select = try writer.prepare("SELECT ?")
    for parameter in [0, 2, -1] {
      let error = try thrownError { try select.bind(Int64(1), at: parameter) }
      #expect(error.engineCode == 25, "SQLITE_RANGE")
    }
    for sql in ["SELECT 1; SELECT 2", "", " ", "-- nothing", "SELECT 1\0"] {
      #expect(try thrownError { _ = try writer.prepare(sql) }.code == .engine, "\(sql)")
    }
    #expect(try writer.prepare("SELECT 1;").step())
  }

  @Test("7.1: the engine's limits are the highest it was built with")
  func limits() throws {
    let many = Array(repeating: "?", count: 32_000).joined(separator: ", ")
    let select = try writer.prepare("SELECT count(*) FROM w WHERE k IN (\(many))")
    #expect(select.parameterCount == 32_000)
    for parameter in 1...32_000 { try select.bind("a\(parameter)", at: parameter) }
    try select.bind("a", at: 20_000)
    #expect(try select.step())
    #expect(select.int64(at: 0) == 1)
    let flat = Array(repeating: "1", count: 900).joined(separator: " + ")
    #expect(try writer.integer("SELECT \(flat)") == 900)
    // What no setting raises: the depth of a tree, and how deep the text nests.
    let deep = Array(repeating: "1", count: 1001).joined(separator: " + ")
    #expect(try thrownError { _ = try writer.prepare("SELECT \(deep)") }.code == .engine)
    let nested = String(repeating: "(", count: 120) + "1" + String(repeating: ")", count: 120)
    #expect(try thrownError { _ = try writer.prepare("SELECT \(nested)") }.code == .engine)
  }
}
