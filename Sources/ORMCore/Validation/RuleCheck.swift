internal import ORMStorage

/// The rules of rules: formats that can be asked, over attributes of the entity itself.
struct RuleCheck {
  let schema: StoredSchema

  /// Every broken rule.
  var failures: [StoreError] {
    schema.everyEntity.flatMap { entity in
      entity.rules.compactMap { failure(of: $0, in: entity) }
    }
  }

  private func failure(of rule: ValidationRule, in entity: StoredEntity) -> StoreError? {
    do {
      let condition = try rule.condition(for: .stored(entity, schema))
      // Without a schema nothing leads through a relationship.
      var check = ConditionCheck(entity: entity, limits: ConditionLimits())
      _ = try check.checked(condition)
      for name in rule.attributes where entity.column(ofAttribute: name) == nil {
        throw StoreError(.unknownAttribute, "the entity has no attribute \(name)")
      }
      return nil
    } catch {
      let message = (error as? StoreError)?.message ?? "\(error)"
      return StoreError(
        .invalidSchema, "the validation rule \(rule.name) is invalid: \(message)",
        entity: entity.modelName, attributes: rule.attributes)
    }
  }
}
