internal import ORMCore

/// What the dynamic verbs need of one entity of a store.
struct EntityPlan {
  let entity: StoredEntity
  let lowering: RequestLowering

  init(_ name: String, in store: any Store) throws {
    guard let entity = store.schema.entities.first(where: { $0.modelName == name }) else {
      throw StoreError(
        .unknownEntity, "the store's schema has no entity of this name", entity: name)
    }
    self.entity = entity
    lowering = RequestLowering(entity: entity, options: store.runtime.options)
  }

  func request(
    _ query: DynamicQuery, output: FetchShape.Output = .rows
  ) throws -> FetchRequest {
    let isLimited = query.limit != nil || query.offset != 0
    return try lowering.request(
      output: output, condition: query.condition, order: query.order,
      paging: isLimited ? .limit(query.limit, offset: query.offset) : .all, start: nil)
  }

  /// The columns that rows name, and each row's values for them.
  ///
  /// - Throws: `unknownAttribute`, `invalidValue`, `missingValue`, naming entity and attribute.
  func values(of rows: [DynamicRow]) throws -> (columns: [Int], rows: [[StoredValue]]) {
    var named: Set<Int> = entity.keySource == .program ? [] : Set(entity.key)
    for name in Set(rows.flatMap(\.values.keys)) {
      guard let column = entity.column(ofAttribute: name) else {
        throw StoreError(
          .unknownAttribute, "the entity has no attribute of this name",
          entity: entity.modelName, attributes: [name])
      }
      named.insert(column)
    }
    let columns = named.sorted()
    let values = try rows.map { row in
      try columns.map { position in
        let column = entity.columns[position]
        let value = row.values[column.attribute] ?? fallback(for: position)
        if let fault = column.type.fault(of: value, isOptional: column.isOptional) {
          throw StoreError(
            value.isNull ? .missingValue : .invalidValue, "the value \(fault)",
            entity: entity.modelName, attributes: [column.attribute])
        }
        return value.normalized(for: column)
      }
    }
    return (columns, values)
  }

  /// What a row gets for a column that it does not name and others of its batch do.
  private func fallback(for position: Int) -> StoredValue {
    let column = entity.columns[position]
    if entity.key.contains(position) {
      switch entity.keySource {
      case .generated, .hidden: return .int(0)
      case .uuidV4: return .uuid(UUIDGenerator.random())
      case .uuidV7: return .uuid(UUIDGenerator.timeOrdered())
      case .program: return .null
      }
    }
    return column.defaultValue ?? .null
  }
}

/// Collects rows by names.
struct DynamicCollector: RowVisitor {
  let entity: StoredEntity
  var rows: [DynamicRow] = []
  var batch = Int.max

  init(entity: StoredEntity) { self.entity = entity }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var values: [String: StoredValue] = [:]
    values.reserveCapacity(entity.columns.count)
    do {
      for (position, column) in entity.columns.enumerated() {
        values[column.attribute] = try row.value(at: position)
      }
    } catch let error as StoreError {
      throw error.filling(row, of: entity)
    }
    rows.append(DynamicRow(entity.modelName, values))
    return rows.count < batch ? .next : .pause
  }
}
