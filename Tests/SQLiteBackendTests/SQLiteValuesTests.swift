import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: values through statements")
struct SQLiteValuesTests {
  let fixture: SQLiteFixture
  let writer: SQLiteConnection

  init() throws {
    fixture = SQLiteFixture()
    writer = try fixture.file().writer()
  }

  private func blob(_ bytes: [UInt8], _ statement: SQLiteStatement, _ parameter: Int) throws {
    try bytes.withUnsafeBytes { try statement.bind(blob: $0, at: parameter) }
  }

  @Test("1.2: every kind comes back as it was bound, and the command sees the same")
  func roundTrip() throws {
    try writer.execute(
      "CREATE TABLE t (k INTEGER PRIMARY KEY, i INT, r REAL, s TEXT, b BLOB) STRICT")
    let insert = try writer.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)")
    #expect(insert.parameterCount == 5)
    for (key, integer, real, text, bytes) in [
      (1, Int64.min, -Double.infinity, "", []),
      (2, Int64.max, Double.leastNonzeroMagnitude, "e\u{301} é 😀", [0, 255, 0]),
    ] as [(Int64, Int64, Double, String, [UInt8])] {
      insert.rewind()
      try insert.bind(key, at: 1)
      try insert.bind(integer, at: 2)
      try insert.bind(real, at: 3)
      try insert.bind(text, at: 4)
      try blob(bytes, insert, 5)
      try insert.run()
    }
    #expect(writer.lastInsertedRow == 2)
    let select = try writer.prepare("SELECT i, r, s, b FROM t ORDER BY k")
    #expect(select.columnCount == 4)
    #expect(try select.step())
    #expect(select.int64(at: 0) == .min)
    #expect(select.double(at: 1) == -.infinity)
    #expect(select.text(at: 2) == "")
    #expect(select.kind(at: 3) == .blob)
    #expect(select.withBytes(at: 3) { $0.count } == 0)
    #expect(try select.step())
    #expect(select.int64(at: 0) == .max)
    #expect(select.double(at: 1) == Double.leastNonzeroMagnitude)
    #expect(select.text(at: 2)?.unicodeScalars.elementsEqual("e\u{301} é 😀".unicodeScalars) == true)
    #expect(select.withBytes(at: 3) { Array($0) } == [0, 255, 0])
    #expect(try !select.step())
    #expect(
      try fixture.command("SELECT i, r, hex(s), hex(b), typeof(b) FROM t ORDER BY k")
        == "-9223372036854775808|-Inf|||blob\n"
        + "9223372036854775807|4.94065645841247e-324|65CC8120C3A920F09F9880|00FF00|blob")
  }

  @Test("1.2: an embedded NUL is stored, in short texts and in those too long to be inline")
  func embeddedNul() throws {
    try writer.execute("CREATE TABLE t (s TEXT) STRICT")
    let insert = try writer.prepare("INSERT INTO t VALUES (?)")
    let texts = [
      "a\0b", "\0", String(repeating: "x\0", count: 500), String(repeating: "\0", count: 100_000),
    ]
    for text in texts {
      insert.rewind()
      try insert.bind(text, at: 1)
      try insert.run()
    }
    let select = try writer.prepare("SELECT s FROM t WHERE s = ?")
    for text in texts {
      select.rewind()
      try select.bind(text, at: 1)
      #expect(try select.step())
      #expect(select.text(at: 0) == text)
      #expect(try !select.step())
    }
    #expect(
      try fixture.command("SELECT length(CAST(s AS BLOB)) FROM t ORDER BY rowid")
        == "3\n1\n1000\n100000")
  }

  @Test("1.2: -0.0 keeps its sign in an ANY column of a strict table and loses it in a REAL one")
  func negativeZero() throws {
    try writer.execute("CREATE TABLE t (a ANY, r REAL) STRICT")
    let insert = try writer.prepare("INSERT INTO t VALUES (?1, ?1)")
    try insert.bind(-0.0, at: 1)
    try insert.run()
    let select = try writer.prepare("SELECT a, r, a = 0.0 FROM t")
    #expect(try select.step())
    #expect(select.double(at: 0).sign == .minus)
    #expect(select.double(at: 1).sign == .plus)
    #expect(select.int64(at: 2) == 1)
  }

  @Test("1.3: the library itself would make NaN null, which is why it never gets here")
  func nan() throws {
    let select = try writer.prepare("SELECT ?")
    try select.bind(Double.nan, at: 1)
    #expect(try select.step())
    #expect(select.isNull(at: 0))
  }

  @Test("1.4: invalid UTF-8 on disk is no text; its bytes and the other columns stay readable")
  func invalidText() throws {
    try writer.execute("CREATE TABLE t (s TEXT, i INT) STRICT")
    try fixture.command(
      "INSERT INTO t VALUES (CAST(x'61ff62' AS TEXT), 7), (CAST(x'eda080' AS TEXT), 8)")
    let select = try writer.prepare("SELECT s, i FROM t ORDER BY i")
    #expect(try select.step())
    #expect(select.text(at: 0) == nil)
    #expect(select.kind(at: 0) == .text)
    #expect(select.withBytes(at: 0) { Array($0) } == [0x61, 0xff, 0x62])
    #expect(select.int64(at: 1) == 7)
    #expect(try select.step())
    #expect(select.text(at: 0) == nil, "a surrogate is not UTF-8")
  }

  @Test("2.6: integer arithmetic of the engine leaves the integers when it overflows")
  func integerOverflow() throws {
    let select = try writer.prepare("SELECT ?1 + 1, ?1, abs(?1)")
    try select.bind(Int64.max, at: 1)
    #expect(try select.step())
    #expect(select.kind(at: 0) == .real)
    #expect(select.double(at: 0) == 9_223_372_036_854_775_808)
    #expect(select.kind(at: 1) == .integer)
    let sum = try writer.prepare("SELECT sum(v) FROM (SELECT ?1 AS v UNION ALL SELECT ?1)")
    try sum.bind(Int64.max, at: 1)
    #expect(try thrownError { _ = try sum.step() }.code == .overflow)
    let negated = try writer.prepare("SELECT abs(?1)")
    try negated.bind(Int64.min, at: 1)
    #expect(try thrownError { _ = try negated.step() }.message == "integer overflow")
  }

  @Test("Values bound for many rows of one statement do not disturb one another as memory grows")
  func arenaGrows() throws {
    try writer.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, s TEXT, b BLOB) STRICT")
    let rows = 64
    let values = Array(repeating: "(?, ?, ?)", count: rows).joined(separator: ", ")
    let insert = try writer.prepare("INSERT INTO t VALUES \(values)")
    func text(_ key: Int) -> String { String(repeating: "\(key)é", count: key % 97) }
    for batch in 0..<4 {
      insert.rewind()
      for row in 0..<rows {
        let key = batch * rows + row
        try insert.bind(Int64(key), at: 3 * row + 1)
        try insert.bind(text(key), at: 3 * row + 2)
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: key)
        try bytes.withUnsafeBytes { try insert.bind(blob: $0, at: 3 * row + 3) }
      }
      try insert.run()
      #expect(writer.changes == rows)
    }
    let select = try writer.prepare("SELECT k, s, b FROM t ORDER BY k")
    var count = 0
    while try select.step() {
      let key = Int(select.int64(at: 0))
      #expect(key == count)
      #expect(select.text(at: 1) == text(key))
      #expect(
        select.withBytes(at: 2) { Array($0) }
          == Array(repeating: UInt8(truncatingIfNeeded: key), count: key))
      count += 1
    }
    #expect(count == 256)
  }

  @Test("`reset` keeps what was bound, `rewind` lets it be bound anew, a large value too")
  func rebinding() throws {
    let select = try writer.prepare("SELECT ?1 || ?2")
    let large = String(repeating: "y", count: 200_000)
    try select.bind(large, at: 1)
    try select.bind("z", at: 2)
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(select.text(at: 0) == large + "z")
      select.reset()
    }
    select.rewind()
    try select.bind("a", at: 1)
    try select.bindNull(at: 2)
    #expect(try select.step())
    #expect(select.isNull(at: 0))
    #expect(select.text(at: 0) == nil)
  }

  @Test("Texts and bytes that end exactly where a small string does, and around the cached size")
  func sizes() throws {
    let select = try writer.prepare("SELECT ?, ?")
    for count in [0, 1, 14, 15, 16, 17, 1023, 1024, 1025, 65535, 65536, 65537] {
      let text = String(repeating: "q", count: count)
      select.rewind()
      try select.bind(text, at: 1)
      try blob(Array(text.utf8), select, 2)
      #expect(try select.step())
      #expect(select.text(at: 0) == text)
      #expect(select.withBytes(at: 1) { $0.elementsEqual(text.utf8) })
      #expect(select.kind(at: 0) == .text)
      #expect(select.kind(at: 1) == .blob)
    }
  }
}
