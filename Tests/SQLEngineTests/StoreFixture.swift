import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// Records the reports of a put.
struct PutRecorder: PutVisitor {
  var outcomes: [PutOutcome] = []
  var keys: [Int64] = []
  var old: [[StoredValue]] = []
  var rewinds = 0

  mutating func didPut(_ outcome: PutOutcome, key: Int64) {
    outcomes.append(outcome)
    keys.append(key)
  }
  mutating func didRewind() {
    outcomes = []
    keys = []
    old = []
    rewinds += 1
  }
  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    self.old.append(try BufferedRow(copying: old).values)
  }
}

/// Takes rows as values, and pauses or stops after a number of them.
struct RowTaker: RowVisitor {
  var rows: [[StoredValue]] = []
  var most = Int.max
  var last = VisitStep.stop

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return rows.count < most ? .next : last
  }
}

extension SQLiteFixture {
  /// A store on the fixture's file.
  ///
  /// - Parameter callsCore: false for a database whose statements call no function of core.
  func store(
    _ schema: StoredSchema?, callsCore: Bool = true,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> SQLiteStore {
    var options = StoreOptions()
    options.durability = .off
    options.writerWait = .seconds(5)
    change(&options)
    var sqlite = SQLiteOptions()
    sqlite.evaluatesInEngine = callsCore
    return try SQLiteStore(path: path, stored: schema, options: options, sqlite: sqlite)
  }
}

extension Store {
  /// Runs a write transaction to its commit.
  @discardableResult
  func written<R>(_ body: (any StoreWriter) throws -> R) throws -> R {
    let writer = try writer(WriteTurn())
    defer { writer.end() }
    let result = try body(writer)
    try writer.commit()
    return result
  }

  /// Puts rows in a transaction of their own.
  @discardableResult
  func put(
    _ entity: StoredEntity, _ mode: PutRequest.Mode, _ rows: [[StoredValue]], columns: [Int]? = nil,
    nilKeeps: Bool = false, reports: PutRequest.Reports = .outcomes
  ) throws -> PutRecorder {
    try written {
      try $0.put(entity, mode, rows, columns: columns, nilKeeps: nilKeeps, reports: reports)
    }
  }

  /// The rows of a request.
  func rows(_ request: FetchRequest) throws -> [[StoredValue]] {
    let reader = try reader(ReadTurn())
    defer { reader.end() }
    return try reader.rows(request)
  }

  /// All rows of an entity in the order of its key.
  func all(_ entity: String) throws -> [[StoredValue]] {
    try rows(FetchRequest(entity: entity, sort: schema.keyOrder(entity)))
  }
}

extension StoreReader {
  /// The rows of a request.
  func rows(_ request: FetchRequest) throws -> [[StoredValue]] {
    var taker = RowTaker()
    try visit(request, &taker)
    return taker.rows
  }
}

extension StoreWriter {
  @discardableResult
  func put(
    _ entity: StoredEntity, _ mode: PutRequest.Mode, _ rows: [[StoredValue]], columns: [Int]? = nil,
    nilKeeps: Bool = false, reports: PutRequest.Reports = .outcomes
  ) throws -> PutRecorder {
    var source = ValueSource(rows, of: entity, columns: columns)
    var recorder = PutRecorder()
    try put(
      PutRequest(
        entity: entity.name, mode: mode, columns: columns, nilKeeps: nilKeeps, reports: reports),
      from: &source, to: &recorder)
    return recorder
  }
}

extension StoredSchema {
  /// The order of an entity's key, as core ends every sort with it.
  func keyOrder(_ entity: String) -> [SortTerm] {
    guard let entity = self[entity] else { return [] }
    return entity.key.map { SortTerm(.attribute(entity.columns[$0].attribute)) }
  }
}
