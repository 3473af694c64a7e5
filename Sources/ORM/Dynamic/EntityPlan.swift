internal import ORMCore

/// The stored entity and the request lowering that a dynamic operation uses.
struct EntityPlan {
  let entity: StoredEntity
  let lowering: RequestLowering

  init(_ name: String, in store: any Store) throws {
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .unknownEntity,
        "the store was opened without this entity; add its model to the schema", entity: name)
    }
    self.entity = entity
    lowering = RequestLowering(
      entity: entity, schema: store.schema, options: store.runtime.options)
  }

  func request(
    _ query: DynamicQuery, output: FetchShape.Output = .rows
  ) throws -> FetchRequest {
    let isLimited = query.limit != nil || query.offset != 0
    return try lowering.request(
      output: output, condition: query.condition, order: query.order,
      paging: isLimited ? .limit(query.limit, offset: query.offset) : .all, start: nil,
      deleted: query.deleted)
  }

  /// Rows by column, with what each of them names.
  ///
  /// - Throws: `unknownAttribute`, `invalidValue`, `missingValue`, naming entity and attribute.
  func rows(of rows: [DynamicRow]) throws -> FullRows {
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

  /// The value for a missing key that the program need not give: a new UUID, or 0 for the store to
  /// replace.
  private var newKey: StoredValue {
    UUIDGenerator.key(for: entity.keySource).map { .uuid($0) } ?? .int(0)
  }
}

/// Collects rows by names.
struct DynamicCollector: BatchCollector {
  let entity: StoredEntity
  var rows: [DynamicRow] = []
  var batch = Int.max

  init(entity: StoredEntity) { self.entity = entity }

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
