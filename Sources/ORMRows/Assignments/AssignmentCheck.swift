internal import ORMStorage

/// Checks the assignments of a set-based update before the store is asked.
package struct AssignmentCheck {
  private let entity: StoredEntity
  private let schema: StoredSchema?
  private var check: ConditionCheck

  package init(_ lowering: RequestLowering) {
    entity = lowering.entity
    schema = lowering.schema
    check = ConditionCheck(
      entity: lowering.entity, schema: lowering.schema, limits: lowering.limits)
    check.clock = lowering.clock
  }

  /// The assignment of a value to an attribute, its values taken out into `bindings`.
  ///
  /// - Throws: `unknownAttribute`, `invalidCondition`, `invalidValue`, `missingValue`.
  package mutating func assignment(
    of attribute: Operand, _ value: Operand, into bindings: inout [StoredValue]
  ) throws -> StoreChange.Assignment {
    _ = try check.checkedOutput(attribute)
    guard case .path(let path) = attribute else {
      throw StoreError(
        .invalidCondition, "only attributes can be assigned", entity: entity.modelName)
    }
    let position = try entity.column(of: path)
    let column = entity.columns[position]
    if entity.key.contains(position) {
      throw StoreError(
        .invalidValue, "a primary key cannot be changed; delete the row and insert another",
        entity: entity.modelName, attributes: [column.attribute])
    }
    if let derived = column.derived {
      throw StoreError(
        .invalidValue,
        "it is derived from \(derived) and cannot be assigned", entity: entity.modelName,
        attributes: [column.attribute])
    }
    var operand = try check.checked(value)
    if case .value(let value) = operand {
      operand = .value(try entity.checked(value, at: position))
    } else if column.isExternal {
      throw StoreError(
        .invalidCondition, "it is stored externally: assign a value, not an expression",
        entity: entity.modelName, attributes: [column.attribute])
    } else if let kind = try entity.kind(of: operand, schema: schema), kind != column.type.kind,
      !(kind.isNumber && column.type.kind.isNumber)
    {
      throw StoreError(
        .invalidCondition, "a \(kind.rawValue) cannot be assigned to this attribute: \(operand)",
        entity: entity.modelName, attributes: [column.attribute])
    }
    return StoreChange.Assignment(
      column: position, value: operand.parameterized(into: &bindings))
  }
}
