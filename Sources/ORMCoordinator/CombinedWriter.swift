internal import ORMStorage

/// The write transaction of several stores as one.
///
/// Members are begun when they are first used. Savepoints nest over all of them.
class CombinedWriter: CombinedReader, ConcurrentReader, ProgramStatementWriter, CountingReader {
  let routing: RequestRouting
  /// The members that were begun.
  private(set) var members: [Int: Member] = [:]
  /// The largest single value, in bytes.
  private let largestValue: Int
  /// True if a member that has ended conflicted with others.
  private var wasContended = false
  /// True once the transaction counts as committed, even if a commit of another member fails.
  final var isDecided = false

  /// A member that was begun.
  struct Member {
    let writer: any StoreWriter
    /// The count of changes as it began; nil if the member does not count.
    let changesBefore: Int?
    /// The writer as one that counts for instruments, and its counts as it began; nil without instruments.
    private let counting: (any CountingReader)?
    private let readBefore: Int
    private let tripsBefore: Int

    init(_ writer: any StoreWriter, isCounted: Bool) {
      self.writer = writer
      changesBefore = writer.changeCount
      counting = isCounted ? writer.counting : nil
      readBefore = counting?.rowsRead ?? 0
      tripsBefore = counting?.trips ?? 0
    }

    /// The number of rows that were looked at since it was begun.
    var rowsRead: Int { counting.map { $0.rowsRead - readBefore } ?? 0 }

    /// The number of trips since it was begun; nil for a member without a server.
    var trips: Int? { counting?.trips.map { $0 - tripsBefore } }

    /// The number of changes since it was begun; nil if it is not known.
    var changes: Int? {
      guard let changesBefore, let count = writer.changeCount else { return nil }
      return count - changesBefore
    }
  }

  /// True if members count for instruments.
  private let isCounted: Bool

  init(_ routing: RequestRouting, largestValue: Int, isCounted: Bool = false) {
    self.routing = routing
    self.largestValue = largestValue
    self.isCounted = isCounted
  }

  /// Begins a member; subclasses override it.
  func begin(_ member: Int) throws -> any StoreWriter {
    throw StoreError(.transactionEnded, "the transaction has ended")
  }

  /// Ends a member that has changed nothing to commit.
  func cancel(_ member: Member) { member.writer.end() }

  /// The writer of a member, which is begun unless it was.
  final func writer(of member: Int) throws -> any StoreWriter {
    if let known = members[member] { return known.writer }
    do {
      let begun = Member(try begin(member), isCounted: isCounted)
      members[member] = begun
      return begun.writer
    } catch let error as StoreError where error.code == .contended {
      wasContended = true
      throw error
    }
  }

  final func view(of member: Int) throws -> any StoreReader { try writer(of: member) }

  final func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try writer(of: routing.memberIndex(of: request.entity)).put(
      request, from: &source, to: &visitor)
  }

  final func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .clear(let name): return try writer(of: routing.memberIndex(of: name)).apply(change)
    case .delete(let request):
      guard case .member(let member) = try routing.route(of: request.shape) else {
        return try deleteByKeys(request)
      }
      return try writer(of: member).apply(change)
    case .update(let request, let assignments):
      guard case .member(let member) = try routing.route(of: request.shape),
        assignments.allSatisfy({ routing.isWithin($0.value.relatedSteps, member) })
      else { return try updateByKeys(request, assignments) }
      return try writer(of: member).apply(change)
    }
  }

  func execute(sql statement: SQLRequest) throws -> Int {
    try writer(of: routing.member(of: statement)).runningStatements.execute(sql: statement)
  }

  func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try writer(of: routing.memberIndex(of: entity)).raiseGreatestKey(of: entity, to: key)
  }

  final func savepoint(_ body: () throws -> Void) throws {
    let open = Set(members.keys)
    do {
      try savepoint(members.keys.sorted()[...], body)
    } catch {
      // A member that began inside has nothing from before.
      for (number, member) in members where !open.contains(number) {
        cancel(member)
        members[number] = nil
      }
      throw error
    }
  }

  private func savepoint(_ open: ArraySlice<Int>, _ body: () throws -> Void) throws {
    guard let first = open.first, let member = members[first] else { return try body() }
    try member.writer.savepoint { try savepoint(open.dropFirst(), body) }
  }

  final var changeCount: Int? {
    var sum = 0
    for member in members.values {
      guard let changes = member.changes else { return nil }
      sum += changes
    }
    return sum
  }

  final var rowsRead: Int { members.values.reduce(0) { $0 + $1.rowsRead } }

  final var trips: Int? {
    let trips = members.values.compactMap(\.trips)
    return trips.isEmpty ? nil : trips.reduce(0, +)
  }

  func commit() throws {}

  /// True if a member, and so the transaction, conflicted with others.
  final var isContended: Bool {
    !isDecided && (wasContended || members.values.contains { $0.writer.metContention })
  }

  func end() {
    for member in members.values {
      member.writer.end()
      if member.writer.metContention { wasContended = true }
    }
    members = [:]
  }
}

// MARK: - Changes over several members

/// Changes whose condition or values name rows of several members: core finds the rows and works out
/// their values, and they are written by their keys.
extension CombinedWriter {
  fileprivate func deleteByKeys(_ request: FetchRequest) throws -> Int {
    let entity = try routing.entity(request.shape.entity)
    let keys = try rows(of: request.selecting(entity.key, of: entity))
    return try writer(of: routing.memberIndex(of: entity.name)).delete(keys, of: entity)
  }

  fileprivate func updateByKeys(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    let entity = try routing.entity(request.shape.entity)
    let found = try self.rows(of: request.selecting(Array(entity.columns.indices), of: entity))
    let rows = found.map { BufferedRow($0) }
    let reader = batches()
    let operands = try assignments.map {
      try CompiledOperand($0.value, entity: entity, schema: routing.schema)
        .bound(to: request.bindings, related: reader)
    }
    let columns = Set(entity.key + assignments.map(\.column)).sorted()
    var changed: [[StoredValue]] = []
    for start in stride(from: 0, to: rows.count, by: 4_096) {
      let batch = rows[start..<min(start + 4_096, rows.count)]
      try reader.prepare(batch) { row in
        for operand in operands { _ = try operand.evaluateForUpdate(row) }
      }
      for row in batch {
        var values = row.values
        for (assignment, operand) in zip(assignments, operands) {
          values[assignment.column] = try value(of: operand, for: assignment, row, entity)
        }
        changed.append(columns.map { values[$0] })
      }
    }
    try writer(of: routing.memberIndex(of: entity.name))
      .put(changed, in: columns, of: entity, .update)
    return rows.count
  }

  private func value(
    of operand: BoundOperand, for assignment: StoreChange.Assignment, _ row: BufferedRow,
    _ entity: StoredEntity
  ) throws -> StoredValue {
    let column = entity.columns[assignment.column]
    do {
      return try operand.evaluateForUpdate(row)
        .assigned(
          to: column, of: entity.modelName, limit: largestValue, isConstant: operand.isConstant)
    } catch let error as StoreError {
      throw error.filling(
        entity: entity.modelName, key: entity.key.map { row.values[$0] },
        attributes: [column.attribute])
    }
  }
}
