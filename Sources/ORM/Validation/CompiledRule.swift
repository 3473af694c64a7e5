internal import ORMCore

/// A rule whose condition was looked up in its entity.
struct CompiledRule: Sendable {
  let rule: ValidationRule
  /// The condition as stores understand it; it names attributes of the row alone.
  let condition: Condition
  /// The columns it reads.
  let columns: Set<Int>
  private let compiled: CompiledCondition
  private let entity: StoredEntity
  /// True if it must be made anew each time, because it names the present time.
  private let isTimed: Bool

  init(_ rule: ValidationRule, entity: StoredEntity, schema: StoredSchema) throws {
    self.rule = rule
    self.entity = entity
    let written = try rule.condition(for: .stored(entity, schema))
    condition = try Self.checked(written, entity)
    compiled = try CompiledCondition(
      condition, entity: entity, schema: StoredSchema(entities: [entity]))
    columns = Set(compiled.columns)
    var isTimed = false
    _ = written.rewriting { operand in
      if operand == .now { isTimed = true }
      return nil
    }
    self.isTimed = isTimed
  }

  private static func checked(_ condition: Condition, _ entity: StoredEntity) throws -> Condition {
    var check = ConditionCheck(entity: entity, limits: ConditionLimits())
    return try check.checked(condition)
  }

  /// The condition at this time.
  func current() throws -> Condition {
    guard isTimed else { return condition }
    return try Self.checked(
      rule.condition(for: .stored(entity, StoredSchema(entities: [entity]))), entity)
  }

  /// The rule made ready to look at rows.
  func bound() throws -> BoundRule {
    guard isTimed else { return BoundRule(rule: rule, condition: try compiled.bound(to: [])) }
    let compiled = try CompiledCondition(
      current(), entity: entity, schema: StoredSchema(entities: [entity]))
    return BoundRule(rule: rule, condition: try compiled.bound(to: []))
  }
}

/// A rule that is ready to look at rows, for the length of one operation.
struct BoundRule {
  let rule: ValidationRule
  let condition: BoundCondition

  /// The failure of a row that breaks the rule; nil for one that keeps it.
  func failure(of row: BufferedRow, entity: StoredEntity) throws -> StoreError? {
    if try condition.matches(row) { return nil }
    return StoreError(
      .validationFailed, rule.message, entity: entity.modelName, key: entity.givenKey(of: row),
      attributes: rule.attributes,
      values: rule.attributes.compactMap { entity.column(ofAttribute: $0) }.map { row.values[$0] },
      rule: rule.name)
  }
}

extension StoreError {
  /// One error of all that is wrong with an object; nil where nothing is.
  static func broken(
    _ failures: [StoreError], entity: StoredEntity, key: [StoredValue]
  ) -> StoreError? {
    guard let first = failures.first else { return nil }
    var attributes: [String] = []
    for name in failures.flatMap(\.attributes) where !attributes.contains(name) {
      attributes.append(name)
    }
    let single = failures.map { $0.filling(entity: entity.modelName, key: key) }
    return StoreError(
      .validationFailed,
      failures.count == 1 ? first.message : "\(failures.count) validation rules are broken",
      entity: entity.modelName, key: key, attributes: attributes,
      rule: failures.count == 1 ? first.rule : nil, failures: single)
  }
}
