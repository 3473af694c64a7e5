internal import ORMRows
internal import ORMStorage

// Rows that a migration reads and writes, in batches, in the order of the key.
extension WriteTransaction {
  /// The number of rows that are held at once.
  private static var migrationBatch: Int { 4_000 }
  /// The number of bytes of texts and data after which a batch ends.
  fileprivate static var migrationBytes: Int { 4 << 20 }

  /// Fetches the rows of an entity that fit a condition, a batch at a time; `body` may change them.
  ///
  /// - Parameter order: attributes that come before the key in the order; none of them changes in
  ///   rows that are still to come.
  func migrationBatches(
    of entity: StoredEntity, where condition: Condition = .constant(true),
    orderedBy order: [String] = [], _ body: ([DynamicRow]) throws -> Void
  ) throws {
    let entity = try EntityPlan(entity.modelName, in: store).entity
    let columns = Array(entity.columns.indices)
    let list = AttributeList(of: entity, at: columns)
    try valueBatches(of: entity, reading: columns, where: condition, orderedBy: order) { rows in
      try body(rows.map { DynamicRow(entity.modelName, list, $0) })
    }
  }

  /// Fetches values of rows, each row with a value for every column; columns that are not read are null.
  ///
  /// - Parameters:
  ///   - columns: the columns that are read, the key and the order among them.
  ///   - operands: expressions whose values are read instead of the columns.
  func valueBatches(
    of entity: StoredEntity, reading columns: [Int], as operands: [Operand]? = nil,
    where condition: Condition, orderedBy order: [String] = [],
    _ body: (inout [[StoredValue]]) throws -> Void
  ) throws {
    let plan = try EntityPlan(entity.modelName, in: store)
    let names = order + entity.keyAttributes.filter { !order.contains($0) }
    let terms = names.map { SortTerm(.attribute($0)) }
    let positions = try names.map { try entity.column(named: $0) as Int }
    let parts = (store as? MigrationStore)?.parts
    var start: QueryCursor?
    if let parts {
      let (isNeeded, position) = parts.beginPass()
      if !isNeeded { return }
      start = position.map { QueryCursor(sort: terms, values: $0) }
    }
    let limit = parts?.batchRows ?? Self.migrationBatch
    var isDone = false
    while !isDone {
      let request = try plan.lowering.request(
        output: operands.map { .values($0) } ?? .rows, condition: condition, order: terms,
        paging: .limit(limit, offset: 0), start: start, deleted: .included)
      var collector = MigrationCollector(
        entity: plan.entity, columns: columns, isOfValues: operands != nil)
      try live().visit(request, &collector)
      isDone = collector.rows.count < limit && !collector.isFull
      guard let last = collector.rows.last else { return }
      let position = positions.map { last[$0] }
      start = QueryCursor(sort: terms, values: position)
      try body(&collector.rows)
      try parts?.didRead(collector.rows.count, upTo: position)
    }
  }

  /// Updates the rows of a query: as one change, or in the parts of a migration that has several.
  func updateInParts(_ query: DynamicQuery, _ values: [String: Operand]) throws {
    let entity = try EntityPlan(query.entity, in: store).entity
    guard (store as? MigrationStore)?.parts != nil, let key = entity.keyAttributes.first,
      entity.key.count == 1
    else {
      _ = try update(query, values)
      return
    }
    try valueBatches(of: entity, reading: entity.key, where: query.condition) { rows in
      guard let first = rows.first?[entity.key[0]], let last = rows.last?[entity.key[0]] else {
        return
      }
      var part = query
      part.condition = .all([
        query.condition, .compare(.attribute(key), .greaterOrEqual, .value(first), []),
        .compare(.attribute(key), .lessOrEqual, .value(last), []),
      ])
      _ = try update(part, values)
    }
  }

  /// Writes attributes of rows that are there, as they come.
  func rewrite(_ rows: [DynamicRow], of entity: StoredEntity) throws {
    if rows.isEmpty { return }
    let plan = try EntityPlan(entity.modelName, in: store)
    try rewrite(plan.rows(of: rows), of: plan.entity)
  }

  /// Writes columns of rows that are there, as they come.
  func rewrite(_ rows: FullRows, of entity: StoredEntity) throws {
    if rows.values.isEmpty { return }
    try put(rows, PutRequest(entity: entity.name, mode: .update), entity: entity, isCopy: true)
  }
}

/// Collects columns of rows, or values instead of them, by the positions of the columns.
private struct MigrationCollector: RowVisitor {
  let entity: StoredEntity
  let columns: [Int]
  let isOfValues: Bool
  var rows: [[StoredValue]] = []
  /// True if the batch ended before its last row.
  private(set) var isFull = false
  var bytes = 0

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var values = Array(repeating: StoredValue.null, count: entity.columns.count)
    for (index, column) in columns.enumerated() {
      do {
        let value = try row.value(at: isOfValues ? index : column)
        switch value {
        case .string(let text), .json(let text): bytes += text.utf8.count
        case .data(let data): bytes += data.count
        default: break
        }
        values[column] = value
      } catch let error as StoreError {
        throw error.filling(
          entity: entity.modelName, key: isOfValues ? [] : entity.key(of: row),
          attributes: [entity.columns[column].attribute])
      }
    }
    rows.append(values)
    isFull = bytes > WriteTransaction.migrationBytes
    return isFull ? .stop : .next
  }
}
