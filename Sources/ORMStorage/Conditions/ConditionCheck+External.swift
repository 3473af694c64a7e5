// Conditions on attributes whose larger values are stored outside of rows: they ask whether there is a
// value. Stores see a reference to the value, and could answer nothing else.

internal import ORMValues

extension ConditionCheck {
  /// An operand whose value is passed unread, so that it may be stored outside.
  package mutating func checkedOutput(_ operand: Operand) throws -> Operand {
    try checkStack(for: operand)
    mayNameExternal = true
    return try check(operand, depth: 1).operand
  }

  /// Returns whether a comparison asks no more than whether there is a value.
  func comparesWithNil(_ left: Operand, _ comparator: Comparator, _ right: Operand) -> Bool {
    (comparator == .equal || comparator == .notEqual)
      && (left == .value(.null) || right == .value(.null))
  }

  /// Refuses a column stored outside where its value would have to be looked at.
  func checkNameable(_ column: StoredColumn, of entity: StoredEntity, _ isAllowed: Bool) throws {
    guard column.isExternal, !isAllowed, !allowsExternal else { return }
    throw StoreError(
      .invalidCondition,
      "it is stored externally: a condition can only test it for nil",
      entity: entity.modelName, attributes: [column.attribute])
  }
}
