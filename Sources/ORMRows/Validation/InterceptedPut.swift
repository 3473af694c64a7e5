internal import FoundationEssentials
internal import ORMStorage

/// A put that holds its rows beside the stored ones.
///
/// Hooks see both, managed attributes follow, and rules are checked on the rows that will be written.
struct InterceptedPut {
  private let interceptor: EntityInterceptor
  private let request: PutRequest
  private let writer: any StoreWriter
  private let transaction: WriteTransaction
  private var entity: StoredEntity { interceptor.entity }
  /// The columns that the source sets.
  private let columns: [Int]
  /// The rows as they are to be written, every column of the entity in each.
  private var rows: [[StoredValue]] = []
  /// The stored values of each row; nil for a new row, and for one that does not change.
  private var old: [[StoredValue]?] = []
  /// True if each row is new or changed.
  private var isWritten: [Bool] = []
  private let now: Date
  /// A function that returns the failures of a row besides those of its attributes.
  private let more: RowFailures?

  init<S: RowSource>(
    _ interceptor: EntityInterceptor, _ request: PutRequest, rows source: inout S,
    writer: any StoreWriter, transaction: WriteTransaction, more: RowFailures?
  ) throws {
    self.more = more
    self.interceptor = interceptor
    self.request = request
    self.writer = writer
    self.transaction = transaction
    now = transaction.store.runtime.now
    let entity = interceptor.entity
    columns =
      request.columns
      ?? entity.columns.indices.filter {
        !(entity.keySource == .hidden && entity.key.contains($0))
      }
    while true {
      var builder = RowBuilder(columnCount: entity.columns.count)
      guard try source.next(into: &builder) else { break }
      if entity.keySource == .hidden, let key = entity.key.first, !columns.contains(key) {
        builder.values[key] = .int(0)
      }
      rows.append(builder.values)
    }
  }

  /// Writes the rows.
  mutating func run<O: PutVisitor>(to visitor: inout O) throws {
    if rows.isEmpty { return }
    try settle()
    var written = Set(columns).union(interceptor.managed)
    if interceptor.hooks != nil { written.formUnion(interceptor.modelColumns) }
    written.subtract(interceptor.derived)
    var request = self.request
    request.nilKeeps = false
    let all = written.sorted()
    request.columns = entity.requested(all)
    if interceptor.hooks != nil { request.reports.insert(.outcomes) }
    var source = ValueSource(rows.map { row in all.map { row[$0] } }, columns: all, entity: entity)
    var relay = KeyRelay(visitor)
    try writer.put(request, from: &source, to: &relay)
    visitor = relay.base
    try runHooksAfter(keys: relay.keys)
  }

  /// Computes each row as it will be written.
  private mutating func settle() throws {
    let rules = try interceptor.boundRules(on: nil)
    var latest = try storedRows()
    // The versions stored when the operation began decide which one is stale.
    let before = latest
    for index in rows.indices {
      let key = entity.keyValues(of: rows[index])
      let isGiven = !entity.awaitsKey(key)
      let known = isGiven ? latest[GroupKey(key)] : nil
      if let known, request.mode != .insert {
        try settleKnown(index, known, stored: before[GroupKey(key)], rules)
      } else if request.mode == .update {
        // The store says that it is not found.
        old.append(nil)
        isWritten.append(false)
        continue
      } else {
        try settleNew(index, rules)
      }
      if isGiven { latest[GroupKey(entity.keyValues(of: rows[index]))] = rows[index] }
    }
  }

  private mutating func settleNew(_ index: Int, _ rules: [BoundRule]) throws {
    var row = rows[index]
    for column in interceptor.modelColumns {
      let isSet = columns.contains(column) && !(request.nilKeeps && row[column].isNull)
      if !isSet, !entity.key.contains(column) {
        row[column] = entity.columns[column].freshDefault(of: transaction.store.runtime)
      }
    }
    keep(in: &row, created: .date(now), version: .int(1))
    try checkPresence(of: row)
    if let hooks = interceptor.hooks {
      let given = row
      row = try hooks.willInsert(row, in: transaction)
      try entity.checkKey(of: row, madeByHookOf: given)
      keep(in: &row, created: .date(now), version: .int(1))
    }
    try check(row, rules, interceptor.failures(of: row, old: nil, in: transaction), index)
    rows[index] = row
    old.append(nil)
    isWritten.append(true)
  }

  private mutating func settleKnown(
    _ index: Int, _ known: [StoredValue], stored: [StoredValue]?, _ rules: [BoundRule]
  ) throws {
    let given = rows[index]
    var row = known
    if request.mode != .insertMissing {
      for column in columns where !(request.nilKeeps && given[column].isNull) {
        row[column] = given[column]
      }
      // Of several objects with one new key the later wins (clause 5.3).
      if let stored { try checkVersion(of: given, stored: stored) }
    }
    keepKnown(known, in: &row, isChanged: false)
    guard !isSame(row, known) else {
      rows[index] = known
      old.append(nil)
      isWritten.append(false)
      return
    }
    try checkPresence(of: row)
    if let hooks = interceptor.hooks {
      row = try hooks.willUpdate(row, from: known, in: transaction)
      try entity.checkKey(of: row, madeByHookOf: known)
      keepKnown(known, in: &row, isChanged: false)
    }
    let failures = try interceptor.failures(of: row, old: known, in: transaction)
    let isChanged = !isSame(row, known)
    if isChanged {
      keepKnown(known, in: &row, isChanged: true)
      try check(row, rules, failures, index)
    }
    rows[index] = isChanged ? row : known
    old.append(isChanged ? known : nil)
    isWritten.append(isChanged)
  }

  private func check(
    _ row: [StoredValue], _ rules: [BoundRule], _ failures: [StoreError], _ index: Int
  ) throws {
    try interceptor.check(row, rules, and: failures) { try more?(index) ?? [] }
  }

  private func isSame(_ row: [StoredValue], _ other: [StoredValue]) -> Bool {
    zip(row, other).allSatisfy { $0.isIdentical(to: $1) }
  }

  private func keep(in row: inout [StoredValue], created: StoredValue, version: StoredValue) {
    if let column = interceptor.created { row[column] = created }
    if let column = interceptor.updated { row[column] = created }
    if let column = interceptor.version { row[column] = version }
    for column in interceptor.derived {
      row[column] = entity.columns[column].freshDefault(of: transaction.store.runtime)
    }
  }

  private func keepKnown(_ known: [StoredValue], in row: inout [StoredValue], isChanged: Bool) {
    ManagedValues(interceptor: interceptor, now: now).keep(known, in: &row, isChanged: isChanged)
  }

  /// A stale object is not written (clause 5.1 with a version attribute).
  private func checkVersion(of row: [StoredValue], stored: [StoredValue]) throws {
    guard let version = interceptor.version, columns.contains(version),
      !(request.nilKeeps && row[version].isNull), !row[version].isIdentical(to: stored[version])
    else { return }
    throw StoreError(
      .conflict,
      "the object is stale: the stored version is another; fetch it again and repeat the "
        + "change", entity: entity.modelName,
      key: entity.keyValues(of: stored), attributes: [entity.columns[version].attribute],
      values: [row[version], stored[version]])
  }

  /// Throws the store's error if a row lacks a value that its object requires.
  private func checkPresence(of row: [StoredValue]) throws {
    for column in interceptor.modelColumns where row[column].isNull {
      _ = try entity.checked(row[column], at: column)
    }
  }

  /// The rows that are stored under the keys given.
  private func storedRows() throws -> [GroupKey: [StoredValue]] {
    if request.mode == .insert { return [:] }
    let keys = rows.map { entity.keyValues(of: $0) }
      .filter { !entity.awaitsKey($0) }
    return try writer.wholeRows(of: entity, keys: keys)
  }

  private func runHooksAfter(keys: [Int64]) throws {
    guard let hooks = interceptor.hooks else { return }
    for index in rows.indices where isWritten[index] {
      var row = rows[index]
      if entity.generatesKeys, let column = entity.key.first, row[column] == .int(0),
        keys.indices.contains(index)
      {
        row[column] = .int(keys[index])
      }
      if let known = old[index] {
        try hooks.didUpdate(row, from: known, in: transaction)
      } else {
        try hooks.didInsert(row, in: transaction)
      }
    }
  }
}

extension StoredEntity {
  /// Throws `invalidValue` if a hook changed the primary key of the row that it was called with.
  func checkKey(of row: [StoredValue], madeByHookOf given: [StoredValue]) throws {
    if key.allSatisfy({ row[$0].isIdentical(to: given[$0]) }) { return }
    let key = keyValues(of: given)
    guard GroupKey(keyValues(of: row)) != GroupKey(key) else { return }
    throw StoreError(
      .invalidValue, "a hook changed the primary key, which hooks must leave alone",
      entity: modelName, key: key, attributes: self.key.map { columns[$0].attribute })
  }
}

/// The values that the operations keep when a row is replaced.
struct ManagedValues {
  let interceptor: EntityInterceptor
  let now: Date

  /// The timestamp of the insert stays; timestamp and version move with a change.
  func keep(_ known: [StoredValue], in row: inout [StoredValue], isChanged: Bool) {
    if let column = interceptor.created { row[column] = known[column] }
    for column in interceptor.derived { row[column] = known[column] }
    if let column = interceptor.updated { row[column] = isChanged ? .date(now) : known[column] }
    if let column = interceptor.version {
      guard isChanged, case .int(let version) = known[column], version < .max else {
        row[column] = known[column]
        return
      }
      row[column] = .int(version + 1)
    }
  }
}

/// A visitor that forwards each report to another, and keeps the keys.
private struct KeyRelay<Base: PutVisitor>: PutVisitor {
  var base: Base
  var keys: [Int64] = []

  init(_ base: Base) { self.base = base }

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    keys.append(key)
    try base.didPut(outcome, key: key)
  }

  mutating func didRewind() {
    keys = []
    base.didRewind()
  }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try base.willReplace(old)
  }
}

extension StoreReader {
  /// Whole rows by their keys.
  func wholeRows(
    of entity: StoredEntity, keys: [[StoredValue]]
  ) throws -> [GroupKey: [StoredValue]] {
    let found = try rows(of: entity, where: entity.key, in: keys, giving: .rows)
    return Dictionary(
      found.map { (GroupKey(entity.keyValues(of: $0)), $0) },
      uniquingKeysWith: { first, _ in first })
  }
}
