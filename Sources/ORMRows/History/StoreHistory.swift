package import FoundationEssentials
internal import ORMStorage
internal import Synchronization

/// The history of a store that has one: its entity, and the policy that the store was opened with.
package final class StoreHistory: Sendable {
  /// The number by which tokens know the store.
  package let store: Int64
  let entity: StoredEntity
  package let schema: RecordedSchema
  /// The number by which the history knows this open store.
  package let origin: UInt32 = .random(in: .min ... .max)
  private let options: StoreOptions
  /// True once the policy of the options is in the state of the history.
  private let isApplied = Atomic(false)

  private let stateShape: FetchShape
  private let commitShape: FetchShape
  private let sizeShape: FetchShape

  /// The history of a store; nil where it has none.
  ///
  /// - Throws: `unknownEntity` if the options name an entity that the schema lacks.
  package init?(_ store: any Store) throws {
    guard let index = store.schema.index(of: HistoryEntity.name),
      let number = HistoryEntity.store(of: store.schema.entities[index])
    else { return nil }
    self.store = number
    entity = store.schema.entities[index]
    schema = try store.recordedSchema()
    options = store.runtime.options
    if case .retained(let bounds) = options.history.form {
      for name in bounds.names ?? [] where schema.names(of: name).isEmpty {
        throw StoreError(
          .unknownEntity, "the history is to keep an entity that the schema lacks", entity: name)
      }
    }
    func operand(_ column: Int) -> Operand { .attribute(HistoryEntity.attribute(column)) }
    typealias Column = HistoryEntity.Column
    let sort = SortTerm.total([], entity: entity)
    stateShape = FetchShape(
      entity: entity.name, output: .values([operand(Column.content)]),
      condition: .compare(operand(Column.number), .equal, .parameter(0, .int), []), sort: sort)
    let later = Condition.compare(operand(Column.number), .greater, .parameter(0, .int), [])
    commitShape = FetchShape(
      entity: entity.name,
      output: .values(
        [Column.number, Column.timestamp, Column.content].map { operand($0) }), condition: later,
      sort: sort)
    sizeShape = FetchShape(
      entity: entity.name,
      output: .values(
        [Column.number, Column.changes, Column.timestamp].map { operand($0) }), condition: later,
      sort: sort, isLimited: true)
  }

  // MARK: Policy

  /// The bounds of the options, until they are in the state.
  private var newBounds: HistoryBounds? {
    guard !isApplied.load(ordering: .acquiring), case .retained(let bounds) = options.history.form
    else { return nil }
    return bounds
  }

  /// True if the history is to be ended by the next write.
  private var isToEnd: Bool {
    !isApplied.load(ordering: .acquiring) && options.history == .off
  }

  /// Updates the state to the policy of the options; returns true if the history is to be removed.
  func apply(to state: inout HistoryState) -> Bool {
    if isToEnd {
      guard state.isRecorded else { return false }
      // A token from before must not be taken for one after which nothing happened.
      state.number += 1
      state.isRecorded = false
      state.consumers = [:]
      return true
    }
    if let bounds = newBounds {
      if !state.isRecorded {
        state.number += 1
        state.oldest = state.number
      }
      state.isRecorded = true
      state.bounds = bounds
    }
    return false
  }

  /// Notes that the state with the policy was committed.
  func didApply() { isApplied.store(true, ordering: .releasing) }

  /// The entities of the program of which a history is recorded; nil for all.
  func names(_ bounds: HistoryBounds) -> Set<String>? {
    bounds.names.map { Set($0.flatMap { schema.names(of: $0) }) }
  }

  // MARK: Reading

  /// Reads the state as it is with the policy of the options.
  package func current(_ view: any StoreReader) throws -> HistoryState {
    var state = try state(view)
    _ = apply(to: &state)
    return state
  }

  /// Reads the state; that of a new history where there is none yet.
  package func state(_ view: any StoreReader) throws -> HistoryState {
    let rows = try view.rows(of: FetchRequest(stateShape, bindings: [.int(0)]))
    guard let row = rows.first else {
      return HistoryState(HistoryEntity.bounds(of: entity))
    }
    guard case .data(let bytes) = row[0] else { throw HistoryByteReader.damaged }
    return try HistoryState(Array(bytes))
  }

  /// A commit as it is stored.
  package struct StoredCommit {
    package let number: UInt64
    package let timestamp: Date
    package let content: HistoryCommit
  }

  /// Reads the first commits after a number.
  package func commits(
    after number: UInt64, limit: Int, _ view: any StoreReader
  ) throws -> [StoredCommit] {
    var collector = CommitCollector(limit: limit)
    if limit > 0 {
      try view.visit(
        FetchRequest(commitShape, bindings: [.int(Int64(clamping: number))]), &collector)
    }
    return try collector.commits.map {
      StoredCommit(
        number: $0.number, timestamp: $0.timestamp,
        content: try HistoryCommit($0.bytes, schema))
    }
  }

  /// The size of a part of a commit.
  struct Size {
    let number: UInt64
    let changes: Int
    let timestamp: Date
  }

  /// Reads the sizes of the first parts after a number.
  func sizes(after number: UInt64, limit: Int, _ view: any StoreReader) throws -> [Size] {
    let rows = try view.rows(
      of: FetchRequest(sizeShape, bindings: [.int(Int64(clamping: number))], limit: limit))
    return try rows.map { row in
      guard case .int(let number) = row[0], number > 0, case .int(let changes) = row[1],
        case .date(let timestamp) = row[2]
      else { throw HistoryByteReader.damaged }
      return Size(number: UInt64(number), changes: Int(clamping: changes), timestamp: timestamp)
    }
  }

  private struct CommitCollector: RowVisitor {
    var commits: [(number: UInt64, timestamp: Date, bytes: [UInt8])] = []
    let limit: Int

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      guard case .int(let value) = try row.value(at: 0), let number = UInt64(exactly: value),
        case .date(let timestamp) = try row.value(at: 1),
        case .data(let bytes) = try row.value(at: 2)
      else { throw HistoryByteReader.damaged }
      if commits.last?.number == number {
        commits[commits.count - 1].bytes.append(contentsOf: bytes)
        return .next
      }
      if commits.count == limit { return .stop }
      commits.append((number, timestamp, Array(bytes)))
      return .next
    }
  }

  // MARK: Writing

  /// The greatest size of a part of a commit.
  private var partSize: Int { max(1, min(64 << 10, options.maximumValueSize)) }

  /// Writes a commit.
  func write(
    _ commit: HistoryCommit, number: UInt64, timestamp: Date, by writer: any StoreWriter
  ) throws {
    let bytes = commit.bytes
    let rows = stride(from: 0, to: bytes.count, by: partSize).enumerated().map { part, start in
      [
        .int(Int64(clamping: number)), .int(Int64(part)),
        .int(part == 0 ? Int64(commit.count) : 0), .date(timestamp),
        .data(Data(bytes[start..<min(start + partSize, bytes.count)])),
      ] as [StoredValue]
    }
    try put(rows, .insert, by: writer)
  }

  /// Writes the state.
  package func write(_ state: HistoryState, by writer: any StoreWriter) throws {
    try put(
      [[.int(0), .int(0), .int(0), .null, .data(Data(state.bytes))]], .upsert, by: writer)
  }

  private func put(
    _ rows: [[StoredValue]], _ mode: PutRequest.Mode, by writer: any StoreWriter
  ) throws {
    try writer.put(rows, in: HistoryEntity.columns, of: entity, mode)
  }

  /// Removes the commits up to a number.
  package func remove(upTo number: UInt64, by writer: any StoreWriter) throws {
    let column = Operand.attribute(HistoryEntity.attribute(HistoryEntity.Column.number))
    _ = try writer.apply(
      .delete(
        FetchRequest(
          of: entity,
          condition: .all([
            .compare(column, .greater, .value(.int(0)), []),
            .compare(column, .lessOrEqual, .value(.int(Int64(clamping: number))), []),
          ]))))
  }
}
