internal import ORMRows
internal import ORMStorage

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
  var retained: String?
  var mapping: ValueMapping
  var failure: MappingFailure
}

// Passes of a migration over rows.
extension WriteTransaction {
  /// The number of rows that an error names.
  static var namedRows: Int { 100 }

  /// Fills a column from another, or from an expression.
  ///
  /// - Parameter operand: an expression that is mapped instead of the source.
  func map(
    _ column: MappedColumn, where condition: Condition, of operand: Operand? = nil
  ) throws {
    let entity = try EntityPlan(column.entity, in: store).entity
    let source: Int = try entity.column(named: column.source)
    let target: Int = try entity.column(named: column.target)
    let retained: [Int] = try [column.retained].compactMap { $0 }.map {
      try entity.column(named: $0)
    }
    let operands = operand.map { entity.keyAttributes.map { .attribute($0) } + [$0] }
    var failures: [StoreError] = []
    var check = StopCheck()
    try valueBatches(
      of: entity, reading: entity.key + [source] + retained, as: operands, where: condition
    ) { rows in
      for index in rows.indices {
        try check.step()
        let value = rows[index][source]
        var mapped = try ClosureFailure.naming(
          column.entity, entity.key.map { rows[index][$0] }, [column.attribute]
        ) { try column.mapped(value) }
        if mapped == nil {
          switch column.failure {
          case .throw:
            // The rest is looked through for other values, and nothing more is written.
            (store as? MigrationStore)?.parts?.mayPause = false
            if failures.count == Self.namedRows { continue }
            failures.append(
              StoreError(
                .invalidValue, "the value cannot become \(column.type)", entity: column.entity,
                key: entity.key.map { rows[index][$0] }, attributes: [column.attribute]))
            continue
          case .null: break
          case .value(let other): mapped = other
          case .keepIn:
            for retained in retained {
              rows[index][retained] = try entity.checked(value, at: retained)
            }
          }
        }
        rows[index][target] = try entity.checked(mapped ?? .null, at: target)
      }
      if failures.isEmpty {
        try rewrite(FullRows(rows, set: entity.key + [target] + retained), of: entity)
      }
    }
    guard failures.isEmpty else {
      throw StoreError(
        .invalidValue, "values cannot become \(column.type)", entity: column.entity,
        attributes: [column.attribute], failures: failures)
    }
  }

  /// Copies the rows of the original of an entity that is migrated in copies, and its greatest key.
  func copyRows(of entity: StoredEntity) throws {
    let suffix = MigrationEntity.originalSuffix
    let original = try EntityPlan(entity.modelName + suffix, in: store).entity
    let copy = try EntityPlan(entity.modelName, in: store).entity
    let columns = Array(original.columns.indices)
    try valueBatches(of: original, reading: columns, where: .constant(true)) { rows in
      try put(
        FullRows(rows, set: columns), PutRequest(entity: copy.name, mode: .insert), entity: copy,
        isCopy: true)
    }
    if copy.generatesKeys, let greatest = try live().greatestKey(of: original.name) {
      try writing().raiseGreatestKey(of: copy.name, to: greatest)
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
    let entity = try EntityPlan(query.entity, in: store).entity
    let position: Int = try entity.column(named: name)
    let column = MappedColumn(
      entity: query.entity, attribute: name, source: name, target: name,
      type: entity.columns[position].type, mapping: mapping, failure: .throw)
    try map(column, where: query.condition, of: operand)
  }

  /// Passes rows to a closure and writes its changes.
  ///
  /// The rows of a batch are written by one put, of every column that any of them changes.
  func changeRows(
    of entity: StoredEntity, _ body: (inout DynamicRow) throws -> Void
  ) throws {
    let stored = try EntityPlan(entity.modelName, in: store).entity
    let external = Set(entity.columns.filter { $0.externalThreshold != nil }.map(\.attribute))
    let shown = stored.columns.indices.filter { !external.contains(stored.columns[$0].attribute) }
    let list = AttributeList(of: stored, at: shown)
    func fault(_ column: Int, _ kind: String) -> StoreError {
      StoreError(
        .invalidPlan, "a closure cannot change an attribute \(kind)", entity: entity.modelName,
        attributes: [stored.columns[column].attribute])
    }
    // The closure may take any time.
    var check = StopCheck(every: 8)
    try valueBatches(of: stored, reading: shown, where: .constant(true)) { rows in
      var changed = FullRows([], set: stored.key)
      for old in rows {
        try check.step()
        var row = DynamicRow(entity.modelName, list, old)
        try ClosureFailure.naming(entity.modelName, stored.key.map { old[$0] }) { try body(&row) }
        var new = row.takeValues(of: list) ?? old
        for (name, value) in row.values.sorted(by: { $0.key < $1.key }) {
          let column: Int = try stored.column(named: name)
          if list.positions[name] == nil { throw fault(column, "that is stored externally") }
          new[column] = value
        }
        var isChanged = false
        for column in shown where new[column] != old[column] {
          if stored.key.contains(column) { throw fault(column, "of the primary key") }
          new[column] = try stored.checked(new[column], at: column)
          isChanged = true
          if !changed.columns.contains(column) { changed.columns.append(column) }
        }
        if isChanged { changed.values.append(new) }
      }
      try rewrite(changed, of: stored)
    }
  }

  /// Deletes rows that agree in attributes with one that stays.
  func removeDuplicates(
    of names: [String], in entity: StoredEntity, _ keeping: MigrationStep.RetainedDuplicate
  ) throws {
    let plan = try EntityPlan(entity.modelName, in: store)
    let isWhole = Condition.all(
      names.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
    var last: (values: [StoredValue], key: [String: StoredValue])?
    var surplus: [[String: StoredValue]] = []
    (store as? MigrationStore)?.parts?.mayPause = false
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
    let greatest = try aggregate(
      DynamicQuery(split.into), Aggregate(.maximum, .attribute(split.key)))
    if case .int(let key) = greatest { last = key }
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
