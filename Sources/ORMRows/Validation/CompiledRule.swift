package import FoundationEssentials
internal import ORMStorage

/// A rule whose condition was looked up in its entity.
package struct CompiledRule: Sendable {
  package let rule: ValidationRule
  /// The condition as stores understand it; it names attributes of the row alone.
  package let condition: Condition
  /// The columns it reads.
  package let columns: Set<Int>
  private let compiled: CompiledCondition
  private let entity: StoredEntity
  /// True if it must be made anew each time, because it names the present time.
  private let isTimed: Bool
  /// The program's own clock, see `StoreOptions.now`; nil for that of the system.
  private let clock: (@Sendable () -> Date)?

  package init(
    _ rule: ValidationRule, entity: StoredEntity, schema: StoredSchema,
    clock: (@Sendable () -> Date)?
  ) throws {
    self.rule = rule
    self.entity = entity
    self.clock = clock
    let written = try rule.condition(for: .stored(entity, schema))
    condition = try Self.checked(written, entity, clock)
    compiled = try CompiledCondition(
      condition, entity: entity, schema: StoredSchema(entities: [entity]))
    columns = Set(compiled.columns)
    var isTimed = false
    written.forEachOperand { if $0 == .now { isTimed = true } }
    self.isTimed = isTimed
  }

  private static func checked(
    _ condition: Condition, _ entity: StoredEntity, _ clock: (@Sendable () -> Date)?
  ) throws -> Condition {
    var check = ConditionCheck(entity: entity, limits: ConditionLimits())
    check.clock = clock
    return try check.checked(condition)
  }

  /// The condition at this time.
  package func current() throws -> Condition {
    guard isTimed else { return condition }
    return try Self.checked(
      rule.condition(for: .stored(entity, StoredSchema(entities: [entity]))), entity, clock)
  }

  /// The rule made ready to look at rows.
  package func bound() throws -> BoundRule {
    guard isTimed else { return BoundRule(rule: rule, condition: try compiled.bound(to: [])) }
    let compiled = try CompiledCondition(
      current(), entity: entity, schema: StoredSchema(entities: [entity]))
    return BoundRule(rule: rule, condition: try compiled.bound(to: []))
  }
}
