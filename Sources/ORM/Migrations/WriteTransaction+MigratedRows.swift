internal import ORMCore

/// A column that is filled from another of its rows, value by value.
struct MappedColumn {
  /// The root, by its name in the program.
  var entity: String
  /// The attribute's name for errors.
  var attribute: String
  /// The attributes of the old and the new column.
  var source: String
  var target: String
  var type: AttributeType
  /// The attribute that keeps values which cannot be mapped.
  var kept: String?
  var mapping: ValueMapping
  var failure: MappingFailure
}

// Rows that a migration changes, in batches, in the order of the key.
extension WriteTransaction {
  /// The number of rows that are held at once.
  static var migrationBatch: Int { 1_000 }
  /// The number of rows that an error names.
  static var namedRows: Int { 100 }

  /// Fetches the rows of an entity that fit a condition, a batch at a time; `body` may change them.
  ///
  /// - Parameter order: attributes that come before the key in the order; none of them changes.
  func migrationBatches(
    of entity: StoredEntity, where condition: Condition = .constant(true),
    orderedBy order: [String] = [], _ body: ([DynamicRow]) throws -> Void
  ) throws {
    let plan = try EntityPlan(entity.modelName, in: store)
    let names = order + entity.keyAttributes
    let terms = names.map { SortTerm(.attribute($0)) }
    var start: QueryCursor?
    var isDone = false
    while !isDone {
      let request = try plan.lowering.request(
        output: .rows, condition: condition, order: terms,
        paging: .limit(Self.migrationBatch, offset: 0), start: start, deleted: .included)
      var collector = DynamicCollector(entity: plan.entity)
      try live().visit(request, &collector)
      if let last = collector.rows.last {
        start = QueryCursor(sort: terms, values: names.map { last[$0] })
        try body(collector.rows)
      }
      isDone = collector.rows.count < Self.migrationBatch
    }
  }

  /// Writes attributes of rows that are there, as they come.
  func rewrite(_ rows: [DynamicRow], of entity: StoredEntity) throws {
    if rows.isEmpty { return }
    let plan = try EntityPlan(entity.modelName, in: store)
    try put(
      plan.rows(of: rows), PutRequest(entity: plan.entity.name, mode: .update),
      entity: plan.entity, isCopy: true)
  }

  /// Fills a column from another.
  func map(_ column: MappedColumn) throws {
    let plan = try EntityPlan(column.entity, in: store)
    var failures: [StoreError] = []
    let isThere = Condition.compare(.attribute(column.source), .notEqual, .value(.null), [])
    try migrationBatches(of: plan.entity, where: isThere) { rows in
      var changed: [DynamicRow] = []
      for row in rows {
        var new = DynamicRow(column.entity, row.key(of: plan.entity))
        let value = row[column.source]
        if let mapped = try column.mapped(value) {
          new[column.target] = mapped
        } else {
          switch column.failure {
          case .throw:
            if failures.count < Self.namedRows {
              failures.append(
                StoreError(
                  .invalidValue, "the value cannot become \(column.type)", entity: column.entity,
                  key: plan.entity.keyAttributes.map { row[$0] }, attributes: [column.attribute]))
            }
            continue
          case .null: new[column.target] = .null
          case .value(let value): new[column.target] = value
          case .keepIn:
            new[column.target] = .null
            if let kept = column.kept { new[kept] = value }
          }
        }
        changed.append(new)
      }
      if failures.isEmpty { try rewrite(changed, of: plan.entity) }
    }
    guard failures.isEmpty else {
      throw StoreError(
        .invalidValue, "values cannot become \(column.type)", entity: column.entity,
        attributes: [column.attribute], failures: failures)
    }
  }

  /// Returns whether values of an expression are known to be of the kind of an attribute.
  func assigns(_ operand: Operand, to name: String, of entity: String) throws -> Bool {
    let plan = try EntityPlan(entity, in: store)
    var check = ConditionCheck(
      entity: plan.entity, schema: store.schema, limits: store.runtime.options.conditionLimits)
    let position: Int = try plan.entity.column(named: name)
    let kind = try plan.entity.kind(of: check.checked(operand), schema: store.schema)
    return kind == plan.entity.columns[position].type.kind
  }

  /// Sets an attribute to the mapped values of an expression.
  func set(
    _ name: String, _ query: DynamicQuery, _ operand: Operand, _ mapping: ValueMapping
  ) throws {
    let plan = try EntityPlan(query.entity, in: store)
    let position: Int = try plan.entity.column(named: name)
    let column = plan.entity.columns[position]
    let mapped = MappedColumn(
      entity: query.entity, attribute: name, source: name, target: name, type: column.type,
      mapping: mapping, failure: .throw)
    var failures: [StoreError] = []
    try migrationBatches(of: plan.entity, where: query.condition) { rows in
      let values = try self.values(of: operand, for: rows, of: plan.entity)
      var changed: [DynamicRow] = []
      for (row, value) in zip(rows, values) {
        var new = DynamicRow(query.entity, row.key(of: plan.entity))
        if let value = try mapped.mapped(value) {
          new[name] = value
          changed.append(new)
        } else if failures.count < Self.namedRows {
          failures.append(
            StoreError(
              .invalidValue, "the value cannot become \(column.type)", entity: query.entity,
              key: plan.entity.keyAttributes.map { row[$0] }, attributes: [name]))
        }
      }
      if failures.isEmpty { try rewrite(changed, of: plan.entity) }
    }
    guard failures.isEmpty else {
      throw StoreError(
        .invalidValue, "values cannot become \(column.type)", entity: query.entity,
        attributes: [name], failures: failures)
    }
  }

  /// The values of an expression for rows that come one after another in the order of the key.
  private func values(
    of operand: Operand, for rows: [DynamicRow], of entity: StoredEntity
  ) throws -> [StoredValue] {
    let plan = try EntityPlan(entity.modelName, in: store)
    let terms = entity.keyAttributes.map { SortTerm(.attribute($0)) }
    let keys = rows.map { row in
      Condition.all(
        entity.keyAttributes.map {
          .compare(.attribute($0), .equal, .value(row[$0]), [])
        })
    }
    let condition: Condition
    if entity.keyAttributes.count == 1 {
      condition = .isIn(
        .attribute(entity.keyAttributes[0]),
        list: .value(.array(rows.map { $0[entity.keyAttributes[0]] })), [])
    } else {
      condition = .any(keys)
    }
    let request = try plan.lowering.request(
      output: .values([operand]), condition: condition, order: terms, paging: .all, start: nil,
      deleted: .included)
    var visitor = ValueCollector()
    try live().visit(request, &visitor)
    guard visitor.rows.count == rows.count else {
      throw StoreError(
        .engine, "the store gave other rows the second time", entity: entity.modelName)
    }
    return visitor.rows.map { $0[0] }
  }

  /// Gives rows to a closure and writes what it changes.
  func changeRows(
    of entity: StoredEntity, _ body: (inout DynamicRow) throws -> Void
  ) throws {
    let plan = try EntityPlan(entity.modelName, in: store)
    let external = Set(entity.columns.filter { $0.externalThreshold != nil }.map(\.attribute))
    try migrationBatches(of: plan.entity) { rows in
      var changed: [DynamicRow] = []
      for row in rows {
        var shown = row
        for name in external { shown.values[name] = nil }
        var new = shown
        try body(&new)
        new.values = new.values.filter { shown.values[$0.key] != $0.value }
        if new.values.isEmpty { continue }
        let key = row.key(of: plan.entity)
        let refused = new.values.keys.filter { key[$0] != nil || external.contains($0) }
        if let name = refused.min() {
          throw StoreError(
            .invalidPlan,
            key[name] != nil
              ? "a closure cannot change an attribute of the primary key"
              : "a closure cannot change an attribute that is stored externally",
            entity: entity.modelName, attributes: [name])
        }
        new.values.merge(key) { _, key in key }
        changed.append(new)
      }
      // A put sets the same attributes of all its rows.
      for (_, rows) in Dictionary(grouping: changed, by: { Set($0.values.keys) }) {
        try rewrite(rows, of: plan.entity)
      }
    }
  }

  /// Deletes rows that agree in attributes with one that is kept.
  func removeDuplicates(
    of names: [String], in entity: StoredEntity, _ keeping: MigrationStep.KeptDuplicate
  ) throws {
    let plan = try EntityPlan(entity.modelName, in: store)
    let isWhole = Condition.all(
      names.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
    var last: (values: [StoredValue], key: [String: StoredValue])?
    var surplus: [[String: StoredValue]] = []
    try migrationBatches(of: plan.entity, where: isWhole, orderedBy: names) { rows in
      for row in rows {
        let values = names.map { row[$0] }
        let key = row.key(of: plan.entity)
        if let before = last, zip(before.values, values).allSatisfy(StoredValue.equals) {
          surplus.append(keeping == .first ? key : before.key)
          if keeping == .first { continue }
        }
        last = (values, key)
      }
    }
    for key in surplus {
      try delete(
        DynamicQuery(
          entity.modelName,
          where: .all(
            key.sorted { $0.key < $1.key }.map {
              .compare(.attribute($0.key), .equal, .value($0.value), [])
            }), deleted: .included))
    }
  }

  /// Fills the new entity of a split, a row for each row that has any of the values, with keys from 1.
  func split(_ split: EntitySplit, _ entity: StoredEntity) throws {
    let hasAny = Condition.any(
      split.names.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
    let link = "\(split.link)_\(split.key)"
    var last: Int64 = 0
    try migrationBatches(of: entity, where: hasAny) { rows in
      var targets: [DynamicRow] = []
      var sources: [DynamicRow] = []
      for row in rows {
        last += 1
        var target = DynamicRow(split.into, [split.key: .int(last)])
        for name in split.names { target[name] = row[name] }
        targets.append(target)
        var source = DynamicRow(entity.modelName, row.key(of: entity))
        source[link] = .int(last)
        sources.append(source)
      }
      try copy(targets)
      try rewrite(sources, of: entity)
    }
  }

  /// Throws an error that names rows, if a query finds any.
  func expectNone(
    _ query: DynamicQuery, _ code: StoreError.Code, _ message: String, _ attributes: [String]
  ) throws {
    var first = query
    first.limit = Self.namedRows
    first.deleted = .included
    let entity = try EntityPlan(query.entity, in: store).entity
    let rows = try fetch(first)
    if rows.isEmpty { return }
    let failures = rows.map { row in
      StoreError(
        code, message, entity: query.entity, key: entity.keyAttributes.map { row[$0] },
        attributes: attributes)
    }
    throw StoreError(
      code, message, entity: query.entity, attributes: attributes, failures: failures)
  }
}

extension MappedColumn {
  /// The value of the new column; nil where it cannot be mapped.
  func mapped(_ value: StoredValue) throws -> StoredValue? {
    guard let mapped = try mapping.map(value, to: type) else { return nil }
    return type.fault(of: mapped, isOptional: true) == nil ? mapped : nil
  }
}

extension DynamicRow {
  /// The key's attributes with their values.
  func key(of entity: StoredEntity) -> [String: StoredValue] {
    Dictionary(entity.keyAttributes.map { ($0, self[$0]) }) { first, _ in first }
  }
}
