@_spi(Records) internal import ORMStorage

/// A rule that is ready to look at rows, for the length of one operation.
package struct BoundRule {
  package let rule: ValidationRule
  private let condition: BoundCondition

  package init(rule: ValidationRule, condition: BoundCondition) {
    self.rule = rule
    self.condition = condition
  }

  /// Returns whether a row keeps the rule.
  func holds(for row: BufferedRow) throws -> Bool { try condition.matches(row) }

  /// Returns whether a row in core's own form of bytes keeps the rule.
  func holds(for record: RecordReader) throws -> Bool { try condition.matches(record: record) }

  /// The failure of a row that breaks the rule; nil for one that keeps it.
  package func failure(of row: BufferedRow, entity: StoredEntity) throws -> StoreError? {
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
  package static func broken(
    _ failures: [StoreError], entity: StoredEntity, key: @autoclosure () -> [StoredValue]
  ) -> StoreError? {
    guard let first = failures.first else { return nil }
    let key = key()
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
