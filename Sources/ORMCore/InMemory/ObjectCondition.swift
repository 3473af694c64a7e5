internal import ORMStorage

/// A condition ready to be asked of objects in memory, as often as one likes.
final class ObjectCondition: Sendable {
  let plan: ObjectPlan
  private let compiled: CompiledCondition

  /// A condition on the rows of a plan.
  init(_ condition: Condition, _ plan: ObjectPlan) throws {
    self.plan = plan
    var check = ConditionCheck(entity: plan.entity, limits: ConditionLimits())
    compiled = try CompiledCondition(
      check.checked(condition), entity: plan.entity,
      schema: StoredSchema(entities: [plan.entity]))
  }

  /// The condition itself, if it names nothing but the object's own row.
  var ofRowAlone: CompiledCondition? { plan.isOfRowAlone ? compiled : nil }

  /// Returns whether it holds for an object, which is scope 0.
  func holds(
    for object: any Persistable, _ evaluation: ObjectEvaluation = ObjectEvaluation()
  ) throws -> Bool {
    try holds(for: [0: ObjectInScope(object: object, identity: .asked)], evaluation)
  }

  /// Returns whether it holds for the asked object.
  func holds(
    for objects: ObjectPlan.Objects, _ evaluation: ObjectEvaluation
  ) throws -> Bool {
    let row = try plan.row(objects, evaluation)
    return try evaluation.bound(self) { try compiled.bound(to: []) }.matches(row)
  }
}

/// A value ready to be worked out for objects in memory.
struct ObjectOperand: Sendable {
  let plan: ObjectPlan
  /// The kind of its value; nil where that is known only for each row.
  let kind: AttributeType.Kind?
  private let compiled: CompiledOperand

  /// An operand on the rows of a plan.
  init(_ operand: Operand, _ plan: ObjectPlan) throws {
    self.plan = plan
    var check = ConditionCheck(entity: plan.entity, limits: ConditionLimits())
    let (checked, kind) = try check.check(operand, depth: 1)
    self.kind = kind
    compiled = try CompiledOperand(
      checked, entity: plan.entity, schema: StoredSchema(entities: [plan.entity]))
  }

  /// Its value for an object, which is scope 0.
  func value(for object: any Persistable) throws -> StoredValue {
    try value(for: [0: ObjectInScope(object: object, identity: .asked)], ObjectEvaluation())
  }

  /// Its value for the asked object.
  func value(
    for objects: ObjectPlan.Objects, _ evaluation: ObjectEvaluation
  ) throws -> StoredValue {
    try compiled.bound(to: []).evaluate(plan.row(objects, evaluation))
  }
}
