public import ORMCore

extension WriteTransaction {
  /// Changes attributes of every row the query asks for, and gives how many those are.
  ///
  /// ```swift
  /// let count = try tx.update(Snack.where { $0.price > 9 }) { $0[\.price] -= 1 }
  /// ```
  ///
  /// Arithmetic works on the stored values; one operation, so unique rules hold at its end.
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; then nothing was changed.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try update(query, Changes.collected(changes))
  }

  func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: Changes<Model>, commits: Bool = false
  ) throws -> Int {
    let plan = try plan(of: Model.self)
    var request = try query.request(by: plan.lowering)
    let embedded = try EmbeddedAssignments(changes.assignments, of: plan.entity) {
      Model.neededParts
    }
    let selection = request
    let assignments = try self.assignments(
      embedded.assignments, plan: plan, into: &request.bindings)
    if assignments.isEmpty { return try count(query) }
    try require(embedded.needed, in: selection, of: plan.entity)
    if commits,
      try store.relationshipRules().of(plan.entity)
        .isWrittenAlone(assignments.map(\.column))
    {
      try commitWithNextSearch()
    }
    return try update(request, assignments, entity: plan.entity)
  }

  private func assignments<Model: Persistable>(
    _ assignments: [EmbeddedAssignments.Assignment], plan: ModelPlan<Model>,
    into bindings: inout [StoredValue]
  ) throws -> [StoreChange.Assignment] {
    var check = AssignmentCheck(plan.lowering)
    return try assignments.map {
      try check.assignment(of: $0.attribute, $0.value, into: &bindings)
    }
  }

  /// Changes the attributes that the closure assigns in the row with this key; the others stay.
  ///
  /// ```swift
  /// try tx.patch(Snack.self, 1) { $0.taste = "hot" }
  /// ```
  ///
  /// With `onMissing: .insert` a missing row is made of the key, the assigned values, and defaults.
  ///
  /// - Throws: as `update`; `notFound` unless asked otherwise.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try patch(model, id, onMissing: onMissing, Changes.collected(changes))
  }

  func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing, _ changes: Changes<Model>
  ) throws -> Int {
    let plan = try plan(of: model)
    let key = try id.keyValues()
    _ = try plan.find(key)
    let query = Query<Model>().where(Filter(.all(plan.entity.equalities(plan.entity.key, key))))
    return try patch(query, onMissing: onMissing, changes, isOfKey: true)
  }

  /// Changes the attributes that the closure assigns in every row the query asks for.
  ///
  /// ```swift
  /// let count = try tx.patch(Snack.where { $0.taste == nil }) { $0.taste = "mild" }
  /// ```
  ///
  /// With `onMissing: .insert`, where none matches, a row is made of the equalities of the filter, the
  /// assigned values, and defaults.
  @discardableResult
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try patch(query, onMissing: onMissing, Changes.collected(changes))
  }

  func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing, _ collected: Changes<Model>,
    isOfKey: Bool = false
  ) throws -> Int {
    // A missing row may yet be inserted.
    let isLast = isOfKey && onMissing != .insert
    let count = try update(query, collected, commits: isLast)
    guard count == 0 else { return count }
    switch onMissing {
    case .ignore: return 0
    case .throw:
      throw StoreError(
        .notFound, "there is no row with this key to patch", entity: Model.entity.description.name,
        key: query.filter.condition.keyValues(of: Model.entity.description))
    case .insert:
      try insertPatch(collected, matching: query.filter.condition)
      return 1
    }
  }

  private func insertPatch<Model: Persistable>(
    _ changes: Changes<Model>, matching condition: Condition
  ) throws {
    let plan = try plan(of: Model.self)
    let entity = plan.entity
    var values: [Int: StoredValue] = [:]
    for (name, value) in condition.equalities {
      if let column = entity.column(ofAttribute: name) { values[column] = value }
    }
    let embedded = try EmbeddedAssignments(changes.assignments, of: entity) { Model.neededParts }
    for (attribute, operand) in embedded.assignments {
      guard case .path(let path) = attribute else { continue }
      guard case .value(let value) = operand else {
        throw StoreError(
          .missingValue,
          "the patch inserts a row, so this expression has no stored value to read; assign a "
            + "value",
          entity: entity.modelName, attributes: path.names)
      }
      values[try entity.column(of: path)] = value
    }
    for position in entity.key where values[position] == nil {
      if plan.keySource == .program {
        throw StoreError(
          .missingValue,
          "the patch would insert a row, but its changes do not set the primary "
            + "key", entity: entity.modelName,
          attributes: [entity.columns[position].attribute])
      }
      values[position] = UUIDGenerator.newKey(
        for: plan.keySource, by: store.runtime.options.uuids)
    }
    for mark in entity.structMarks where try values[entity.column(named: mark)] ?? .null == .null {
      if values.contains(where: { entity.columns[$0].attribute.lies(in: mark) && !$1.isNull }) {
        throw EmbeddedAssignments.missing(mark, of: entity)
      }
    }
    var row = Array(repeating: StoredValue.null, count: entity.columns.count)
    for (position, value) in values {
      row[position] = try entity.checked(value, at: position)
    }
    try put(
      FullRows([row], set: values.keys.sorted()),
      PutRequest(entity: entity.name, mode: .insert, reports: .outcomes), entity: entity)
  }
}

extension Condition {
  /// The attributes that the condition holds equal to a value, where it is one such comparison or
  /// an AND of them.
  fileprivate var equalities: [(String, StoredValue)] {
    switch self {
    case .compare(.path(let path), .equal, .value(let value), let options),
      .compare(.value(let value), .equal, .path(let path), let options):
      return options.isEmpty && path.names.count == 1 ? [(path.names[0], value)] : []
    case .all(let parts): return parts.flatMap(\.equalities)
    default: return []
    }
  }

  /// The values of an entity's key, where the condition holds all of it equal to values.
  fileprivate func keyValues(of entity: EntityDescription) -> [StoredValue] {
    let equalities = Dictionary(self.equalities, uniquingKeysWith: { first, _ in first })
    let values = entity.key.compactMap { equalities[$0] }
    return values.count == entity.key.count ? values : []
  }
}
