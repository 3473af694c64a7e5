import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: Swift functions in SQL")
struct SQLiteFunctionTests {
  let fixture: SQLiteFixture
  let writer: SQLiteConnection

  init() throws {
    fixture = SQLiteFixture()
    writer = try fixture.file().writer()
  }

  private struct Failure: Error, Equatable { var number: Int }

  @Test("Arguments of every kind arrive, and results of every kind come out")
  func kinds() throws {
    try writer.register(function: "echo", argumentCount: 1) { arguments, output in
      #expect(arguments.count == 1)
      let value = arguments[0]
      switch value.kind {
      case .null: output.setNull()
      case .integer: output.set(value.int64)
      case .real: output.set(value.double)
      case .text: output.set(value.text ?? "invalid")
      case .blob: value.withBytes { output.set(blob: $0) }
      }
    }
    let values = [
      "NULL", "9223372036854775807", "-1.5", "''", "'a' || char(0) || 'é'", "x''", "x'00ff'",
    ]
    for value in values {
      let same = "typeof(echo(\(value))) = typeof(\(value)) AND echo(\(value)) IS \(value)"
      #expect(try writer.integer("SELECT \(same)") == 1, "\(value)")
    }
    #expect(try writer.text("SELECT echo(CAST(x'ff' AS TEXT))") == "invalid")
    #expect(try thrownError { try writer.execute("SELECT echo(1, 2)") }.code == .engine)
  }

  @Test("What a function throws is thrown by the step, as it was, and only then")
  func throwing() throws {
    try writer.register(function: "fails", argumentCount: 1) { arguments, output in
      if arguments[0].int64 > 2 { throw Failure(number: Int(arguments[0].int64)) }
      output.set(true)
    }
    let select = try writer.prepare("SELECT fails(column1) FROM (VALUES (1), (2), (3), (4))")
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(try select.step())
      #expect(throws: Failure(number: 3)) { try select.step() }
    }
    #expect(throws: Failure(number: 9)) { try writer.execute("SELECT fails(9)") }
    #expect(try thrownError { try writer.execute("SELECT nothing") }.engineCode == 1)
  }

  private final class Sum: SQLiteAggregate {
    // Touched by one test alone.
    nonisolated(unsafe) static var living = 0
    var total: Int64 = 0
    let failsAtEnd: Bool
    init(failsAtEnd: Bool = false) {
      self.failsAtEnd = failsAtEnd
      Sum.living += 1
    }
    deinit { Sum.living -= 1 }
    override func step(_ arguments: SQLiteArguments) throws {
      if arguments[0].isNull { throw Failure(number: 0) }
      total += arguments[0].int64
    }
    override func finish(_ output: SQLiteOutput) throws {
      if failsAtEnd { throw Failure(number: 1) }
      output.set(total)
    }
  }

  @Test("An aggregate: groups, no rows, a failing step, a run given up; none is leaked")
  func aggregates() throws {
    try writer.register(aggregate: "total_of", argumentCount: 1) { Sum() }
    try writer.register(aggregate: "bad_end", argumentCount: 1) { Sum(failsAtEnd: true) }
    let groups = try writer.prepare(
      """
      SELECT column1, total_of(column2)
      FROM (VALUES (1, 10), (2, 5), (1, -3), (3, 9223372036854775807)) GROUP BY 1 ORDER BY 1
      """)
    var seen: [[Int64]] = []
    while try groups.step() { seen.append([groups.int64(at: 0), groups.int64(at: 1)]) }
    #expect(seen == [[1, 7], [2, 5], [3, .max]])
    #expect(try writer.integer("SELECT total_of(1) WHERE 0") == 0)
    #expect(throws: Failure(number: 0)) {
      try writer.execute("SELECT total_of(column1) FROM (VALUES (1), (NULL), (2))")
    }
    #expect(throws: Failure(number: 1)) {
      try writer.execute("SELECT bad_end(column1) FROM (VALUES (1), (2))")
    }
    // Its failing step is what counts, not that its end would fail too.
    #expect(throws: Failure(number: 0)) {
      try writer.execute("SELECT bad_end(column1) FROM (VALUES (1), (NULL))")
    }
    // Given up in the middle of a group, for another function's failure.
    try writer.register(function: "fails", argumentCount: 1) { arguments, output in
      if arguments[0].int64 > 2 { throw Failure(number: 2) }
      output.set(arguments[0].int64)
    }
    #expect(throws: Failure(number: 2)) {
      try writer.execute("SELECT bad_end(fails(column1)) FROM (VALUES (1), (2), (3))")
    }
    // And for a row the engine cannot compute; the next error is its own.
    #expect(throws: StoreError.self) {
      try writer.execute("SELECT bad_end(abs(column1)) FROM (VALUES (1), (-1 << 63))")
    }
    #expect(try thrownError { try writer.execute("SELECT nothing") }.engineCode == 1)
    #expect(Sum.living == 0)
  }

  private final class Evaluator {
    // Touched by one test alone.
    nonisolated(unsafe) static var living = 0
    let threshold: Int64
    init(_ threshold: Int64) {
      self.threshold = threshold
      Evaluator.living += 1
    }
    deinit { Evaluator.living -= 1 }
    static let tag = SQLiteObjectTag<Evaluator>("strata.test.evaluator")
    static let other = SQLiteObjectTag<Evaluator>("strata.test.other")
  }

  @Test("An object bound to a parameter reaches the function, by its tag alone, and is let go of")
  func objects() throws {
    try writer.register(function: "passes", argumentCount: 2) { arguments, output in
      guard let evaluator = arguments[0].object(Evaluator.tag) else { return output.setNull() }
      output.set(arguments[1].int64 > evaluator.threshold)
    }
    do {
      let count = try writer.prepare(
        "SELECT count(*) FROM (VALUES (1), (2), (3), (4)) WHERE passes(?1, column1)")
      for (threshold, expected) in [(0, 4), (2, 2), (9, 0)] as [(Int64, Int64)] {
        count.rewind()
        try count.bind(Evaluator(threshold), as: Evaluator.tag, at: 1)
        #expect(try count.step())
        #expect(count.int64(at: 0) == expected)
        #expect(Evaluator.living == 1)
      }
      let select = try writer.prepare("SELECT passes(?1, 1), ?1 IS NULL")
      try select.bind(Evaluator(0), as: Evaluator.other, at: 1)
      #expect(try select.step())
      #expect(select.isNull(at: 0), "another tag is no object")
      #expect(select.int64(at: 1) == 1, "to SQL an object is null")
      select.rewind()
      try select.bind("strata.test.evaluator", at: 1)
      #expect(try select.step())
      #expect(select.isNull(at: 0), "a text is no object")
    }
    #expect(Evaluator.living == 0)
  }

  @Test("A function for statements alone cannot be called by what a file brings along")
  func directOnly() throws {
    try writer.register(function: "mine", argumentCount: 1) { _, output in output.set(true) }
    try writer.register(function: "pure", argumentCount: 1, use: .schema) { arguments, output in
      output.set((arguments[0].text ?? "").lowercased())
    }
    try writer.execute(
      """
      CREATE TABLE t (s TEXT) STRICT;
      CREATE INDEX folded ON t (pure(s));
      INSERT INTO t VALUES ('ÄB'), ('c');
      """)
    #expect(try writer.text("SELECT s FROM t WHERE pure(s) = 'äb'") == "ÄB")
    #expect(throws: StoreError.self) { try writer.execute("CREATE INDEX other ON t (mine(s))") }
    #expect(throws: StoreError.self) {
      try writer.execute("CREATE VIEW v AS SELECT mine(s) FROM t; SELECT * FROM v")
    }
  }

  @Test("A function's closure is let go of when its connection closes")
  func lifetime() throws {
    let other = try fixture.file().writer()
    final class Held { let number: Int64 = 1 }
    weak var held: Held?
    do {
      let object = Held()
      held = object
      try other.register(function: "held", argumentCount: 0) { _, output in
        output.set(object.number)
      }
    }
    #expect(try other.integer("SELECT held()") == 1)
    #expect(held != nil)
    other.close()
    #expect(held == nil)
  }
}
