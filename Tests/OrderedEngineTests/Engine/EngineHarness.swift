import Foundation
import ORMCore
import TestSupport
import Testing

@testable import LMDBBackend
@testable import MemoryBackend
@testable import OrderedEngine

/// A memory map that takes keys of 24 bytes at most, so that overflow keys are everywhere.
final class LimitedMap: OrderedStore {
  let map: MemoryMap
  let maximumKeyLength: Int

  init(_ map: MemoryMap = MemoryMap(), maximumKeyLength: Int = 24) {
    self.map = map
    self.maximumKeyLength = maximumKeyLength
  }

  func snapshot() throws -> MemorySnapshot { try map.snapshot() }
  func batch(wait: Double) throws -> MemoryBatch { try map.batch(wait: wait) }
  func close() throws { try map.close() }
}

/// The maps that engine tests run over.
enum TestedMap: String, CaseIterable, CustomTestStringConvertible {
  case memory, limited, lmdb, lmdbLibrary

  var testDescription: String { rawValue }

  /// A store over an empty map of this kind, closed and removed when the body ends.
  func withStore<R>(
    _ schema: StoredSchema, options: StoreOptions = StoreOptions(),
    _ body: (any Store) throws -> R
  ) throws -> R {
    switch self {
    case .memory:
      return try body(MemoryStore(stored: schema, options: options))
    case .limited:
      return try body(
        OrderedStoreEngine(
          LimitedMap(), schema: schema, runtime: StoreRuntime(options: options),
          hasChecksums: true, isShared: true))
    case .lmdb, .lmdbLibrary:
      let folder = TestFolder()
      defer { withExtendedLifetime(folder) {} }
      var options = options
      options.durability = .off
      var lmdb = LMDBOptions()
      lmdb.readsPagesDirectly = self == .lmdb
      lmdb.compilesConditions = self == .lmdb
      let store = try LMDBStore(
        path: folder.file("store.lmdb"), stored: schema, options: options, lmdb: lmdb)
      defer { try? store.close(CloseTurn()) }
      return try body(store)
    }
  }
}

/// The reports of a put.
struct PutLog: PutVisitor {
  var outcomes: [PutOutcome] = []
  var keys: [Int64] = []
  var oldRows: [[StoredValue]] = []

  mutating func didPut(_ outcome: PutOutcome, key: Int64) {
    outcomes.append(outcome)
    keys.append(key)
  }

  mutating func didRewind() { self = PutLog() }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    oldRows.append(try BufferedRow(copying: old).values)
  }
}

/// Collects rows; pauses after each when asked to.
struct RowLog: RowVisitor {
  var rows: [[StoredValue]] = []
  var pauses = false
  var stopsAfter = Int.max

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return rows.count >= stopsAfter ? .stop : (pauses ? .pause : .next)
  }
}

extension Store {
  /// Runs a write transaction.
  func inWriter<R>(_ body: (any StoreWriter) throws -> R) throws -> R {
    let writer = try writer(WriteTurn())
    defer { writer.end() }
    let result = try body(writer)
    try writer.commit()
    return result
  }

  /// Runs on a reader.
  func inReader<R>(_ body: (any StoreReader) throws -> R) throws -> R {
    let reader = try reader(ReadTurn())
    defer { reader.end() }
    return try body(reader)
  }

  /// Puts rows in a transaction of their own.
  @discardableResult
  func put(
    _ rows: [[StoredValue]], into name: String, _ mode: PutRequest.Mode = .upsert,
    columns: [Int]? = nil, nilKeeps: Bool = false
  ) throws -> PutLog {
    try inWriter {
      try $0.put(
        rows, into: schema[name], mode, columns: columns, nilKeeps: nilKeeps)
    }
  }

  func rows(_ request: FetchRequest) throws -> [[StoredValue]] {
    try inReader { try $0.rows(request) }
  }

  func rows(of name: String) throws -> [[StoredValue]] {
    try rows(FetchRequest(entity: name, condition: .constant(true)))
  }
}

extension StoreReader {
  /// The rows of a request by each of its plans, and how the plan prints.
  func forEachPlan(
    of request: FetchRequest, _ body: ([[StoredValue]], String) throws -> Void
  ) throws {
    guard let view = (self as? OrderedStoreReader)?.view else { return }
    let prepared = try view.prepared(request.shape)
    for plan in [prepared] + prepared.alternatives {
      var log = RowLog()
      _ = try view.cursor(of: plan, view.settled(request, for: plan)).visit(&log)
      try body(log.rows, plan.plan.description(plan.entity))
    }
  }

  func rows(_ request: FetchRequest) throws -> [[StoredValue]] {
    var log = RowLog()
    try visit(request, &log)
    return log.rows
  }
}

extension StoreWriter {
  @discardableResult
  func put(
    _ rows: [[StoredValue]], into entity: StoredEntity?, _ mode: PutRequest.Mode = .upsert,
    columns: [Int]? = nil, nilKeeps: Bool = false
  ) throws -> PutLog {
    let entity = try #require(entity)
    let visible =
      columns
      ?? (entity.keySource == .hidden
        ? Array(entity.columns.indices.dropLast()) : Array(entity.columns.indices))
    var source = ValueSource(rows, of: entity, columns: visible)
    var log = PutLog()
    try put(
      PutRequest(
        entity: entity.name, mode: mode, columns: columns, nilKeeps: nilKeeps,
        reports: [.outcomes, .oldRows]),
      from: &source, to: &log)
    return log
  }
}

/// Conditions written shortly.
func attribute(_ name: String, _ comparator: ORMCore.Comparator, _ value: StoredValue) -> Condition
{
  .compare(.attribute(name), comparator, .value(value), [])
}
