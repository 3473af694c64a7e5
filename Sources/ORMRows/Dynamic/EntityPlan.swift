internal import FoundationEssentials
internal import ORMStorage

/// The stored entity and the request lowering that a dynamic operation uses.
package struct EntityPlan {
  package let entity: StoredEntity
  package let lowering: RequestLowering
  /// The program's own UUIDs, see `StoreOptions.uuids`.
  private let uuids: (@Sendable () -> UUID)?

  package init(_ name: String, in store: any Store) throws {
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .unknownEntity,
        "the store was opened without this entity; add its model to the schema", entity: name)
    }
    self.entity = entity
    uuids = store.runtime.options.uuids
    lowering = RequestLowering(
      entity: entity, schema: store.schema, options: store.runtime.options)
  }

  package func request(
    _ query: DynamicQuery, output: FetchShape.Output = .rows
  ) throws -> FetchRequest {
    let isLimited = query.limit != nil || query.offset != 0
    return try lowering.request(
      output: output, condition: query.condition, order: query.order,
      paging: isLimited ? .limit(query.limit, offset: query.offset) : .all, start: nil,
      deleted: query.deleted)
  }

  /// Rows by column, with the columns that each of them names.
  ///
  /// - Throws: `unknownAttribute`, `invalidValue`, `missingValue`, naming entity and attribute.
  package func rows(of rows: [DynamicRow]) throws -> FullRows {
    if let full = try rowsOfOneList(rows) { return full }
    let key = entity.keySource == .program ? [] : Set(entity.key)
    let named = try rows.map { row in
      try key.union(row.values.keys.map { try entity.column(named: $0) })
    }
    let common = named.dropFirst().reduce(named.first ?? []) { $0.intersection($1) }
    let values = try zip(rows, named).map { row, named in
      var values = Array(repeating: StoredValue.null, count: entity.columns.count)
      for position in named {
        let given = row.values[entity.columns[position].attribute] ?? newKey
        values[position] = try entity.checked(given, at: position)
      }
      return values
    }
    var full = FullRows(values, set: common.sorted())
    for (position, named) in named.enumerated() where named != common {
      full.others[position] = named.subtracting(common)
    }
    return full
  }

  /// Rows that all have the same list of attributes; nil for others.
  private func rowsOfOneList(_ rows: [DynamicRow]) throws -> FullRows? {
    guard let list = rows.first?.listed?.list, rows.allSatisfy({ $0.listed?.list === list })
    else { return nil }
    // A list may say where a value lies of fewer attributes than there are values.
    let positions = try list.positions.map {
      (column: try entity.column(named: $0.text), position: $1)
    }
    .sorted { $0.column < $1.column }
    let missing =
      entity.keySource == .program
      ? [] : entity.key.filter { key in !positions.contains { $0.column == key } }
    let isWhole =
      missing.isEmpty && positions.count == entity.columns.count
      && positions.allSatisfy { $0.column == $0.position }
    let values = try rows.map { row -> [StoredValue] in
      guard let cells = row.listed?.values else { return [] }
      if isWhole, cells.count == entity.columns.count {
        var values = cells
        for position in cells.indices {
          let value = try entity.checked(cells[position], at: position)
          // Others stay as they are, and the array is not copied.
          if entity.columns[position].isNormalized { values[position] = value }
        }
        return values
      }
      var values = Array(repeating: StoredValue.null, count: entity.columns.count)
      for (column, position) in positions {
        values[column] = try entity.checked(cells[position], at: column)
      }
      for key in missing { values[key] = try entity.checked(newKey, at: key) }
      return values
    }
    return FullRows(values, set: (positions.map(\.column) + missing).sorted())
  }

  /// The value for a missing key that the program need not give.
  private var newKey: StoredValue { UUIDGenerator.newKey(for: entity.keySource, by: uuids) }
}

/// Collects rows by names.
struct DynamicCollector: BatchCollector {
  let entity: StoredEntity
  var rows: [DynamicRow] = []
  var batch = Int.max

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var values: [String: StoredValue] = [:]
    values.reserveCapacity(entity.columns.count)
    for (position, column) in entity.columns.enumerated() {
      do {
        values[column.attribute] = try row.value(at: position)
      } catch let error as StoreError {
        throw error.filling(
          entity: entity.modelName, key: entity.key(of: row), attributes: [column.attribute])
      }
    }
    rows.append(DynamicRow(entity.modelName, values))
    return rows.count < batch ? .next : .pause
  }
}
