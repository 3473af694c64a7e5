import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// Reads that begin with a find, on a connection that has no statement of its own for it.
@Suite struct LateFindTests {
  static let item = StoredEntity(
    name: "Item", columns: [StoredColumn("id", .int64), StoredColumn("name", .string)], key: [0])
  static let schema = StoredSchema(entities: [item])
  static let shape = FetchShape(
    entity: "Item", condition: .compare(.attribute("id"), .equal, .parameter(0, .int), []),
    sort: schema.keyOrder("Item"))

  private func withReader(
    _ body: (SQLReader, LateConnection) throws -> Void
  ) throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, [[.int(1), .string("a")], [.int(2), .string("b")]])
    let options = StoreOptions()
    let file = try SQLiteFile(
      path: fixture.path, options: options, settings: SQLiteSettings(options))
    let connection = LateConnection(try file.reader())
    defer { connection.close() }
    let session = SQLSession(
      connection, SQLSchema(declared: Self.schema, kept: Self.schema), SQLiteDialect(),
      StoreOptions())
    let reader = SQLReader(session) { _ in }
    defer { reader.end() }
    try body(reader, connection)
  }

  @Test func `6.1: a find without a row begins no read`() throws {
    try withReader { reader, connection in
      var taker = RowTaker()
      try reader.visit(Self.shape, binding: 9, &taker)
      #expect(taker.rows == [])
      #expect(connection.notes == [false])
      #expect(connection.isLate)
    }
  }

  @Test func `6.1: a find that stops on its row holds the snapshot`() throws {
    try withReader { reader, connection in
      var taker = RowTaker(most: 1)
      try reader.visit(Self.shape, binding: 2, &taker)
      #expect(taker.rows == [[.int(2), .string("b")]])
      #expect(connection.notes == [true])
      #expect(connection.running == 1)
      reader.end()
      #expect(connection.running == 0)
    }
  }

  @Test func `6.3: a find that has waited for a lock does not wait again`() throws {
    try withReader { reader, connection in
      connection.failure = StoreError(.busy, "locked")
      var taker = RowTaker()
      let error = try thrownError { try reader.visit(Self.shape, binding: 1, &taker) }
      #expect(error.code == .busy)
      #expect(connection.begun == 0)
    }
  }

  @Test func `a find that the database refuses is made once more in a read that has begun`() throws
  {
    try withReader { reader, connection in
      connection.failure = StoreError(.engine, "no such table")
      var taker = RowTaker()
      try reader.visit(Self.shape, binding: 1, &taker)
      #expect(taker.rows == [[.int(1), .string("a")]])
      #expect(connection.begun == 1)
    }
  }
}

/// A connection whose reads begin with their first find.
private final class LateConnection: SQLConnection {
  private let base: SQLiteConnection
  /// The error of the next step.
  var failure: StoreError?
  /// The number of reads that were begun by a statement of their own.
  private(set) var begun = 0
  /// The finds that were noted: true for those on a row.
  private(set) var notes: [Bool] = []
  /// The number of statements that have stepped and were not rewound.
  var running = 0
  private(set) var isLate = true

  init(_ base: SQLiteConnection) { self.base = base }

  var beginsWithFind: Bool { true }
  func noteFirstFind(isOnRow: Bool) throws {
    notes.append(isOnRow)
    if isOnRow { isLate = false }
  }
  func beginNow() throws {
    begun += 1
    try base.beginSnapshot()
    isLate = false
  }

  func statement(_ sql: String) throws -> any SQLStatement {
    LateStatement(try base.prepare(sql), self)
  }
  func hasTable(_ name: String) throws -> Bool { try base.hasTable(name) }
  func isEmpty() throws -> Bool { try base.isEmpty() }
  var changes: Int { base.changes }
  var totalChanges: Int { base.totalChanges }
  func beginSnapshot() throws { try base.beginSnapshot() }
  func endRead() { base.endRead() }
  func beginWrite() throws { try base.beginWrite() }
  func commit() throws { try base.commit() }
  func rollback() { base.rollback() }
  var isInTransaction: Bool { base.isInTransaction }
  func close() { base.close() }
}

/// A statement that visits its rows for a find as the engine does by default.
private final class LateStatement: SQLStatement {
  private let base: SQLiteStatement
  private let connection: LateConnection
  private var isRunning = false

  init(_ base: SQLiteStatement, _ connection: LateConnection) {
    self.base = base
    self.connection = connection
  }

  func step() throws -> Bool {
    if let failure = connection.failure {
      connection.failure = nil
      throw failure
    }
    let isOnRow = try base.step()
    set(isRunning: isOnRow)
    return isOnRow
  }
  func rewind() {
    set(isRunning: false)
    base.rewind()
  }
  private func set(isRunning: Bool) {
    if isRunning != self.isRunning { connection.running += isRunning ? 1 : -1 }
    self.isRunning = isRunning
  }
  func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool {
    let row = SQLiteRow(base, layout)
    while try step() {
      switch try visitor.visit(row) {
      case .next: continue
      case .pause: return true
      case .stop: return false
      }
    }
    return false
  }

  func bindNull(at parameter: Int) throws { try base.bindNull(at: parameter) }
  func bind(_ value: Int64, at parameter: Int) throws { try base.bind(value, at: parameter) }
  func bind(_ value: Double, at parameter: Int) throws { try base.bind(value, at: parameter) }
  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try base.bind(text: value, at: parameter)
  }
  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try base.bind(blob: value, at: parameter)
  }
  func bind(evaluator: SQLEvaluator, at parameter: Int) throws {
    try base.bind(evaluator: evaluator, at: parameter)
  }
  func isNull(at column: Int) -> Bool { base.isNull(at: column) }
  func int64(at column: Int) -> Int64 { base.int64(at: column) }
  func text(at column: Int) -> String? { base.text(at: column) }
}
