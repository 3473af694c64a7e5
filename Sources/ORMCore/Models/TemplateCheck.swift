internal import ORMStorage

/// The rules of templates: names that no other has in the entity, and formats that can be asked.
struct TemplateCheck {
  let schema: StoredSchema

  /// Every broken rule.
  func failures(of entities: [EntityDescription]) -> [StoreError] {
    entities.flatMap { entity in
      var names: Set<String> = []
      return entity.templates.compactMap { template in
        guard names.insert(template.name).inserted else {
          return StoreError(
            .invalidSchema, "two templates are named \(template.name)", entity: entity.name)
        }
        return failure(of: template, in: entity.name)
      }
    }
  }

  private func failure(of template: QueryTemplate, in entity: String) -> StoreError? {
    guard let own = schema.entity(named: entity) else { return nil }
    let source = FormatEntity.stored(own, schema)
    do {
      if let target = template.target {
        guard let other = schema.entity(named: target) else {
          throw StoreError(.unknownEntity, "the schema has no entity \(target) to fetch")
        }
        _ = try template.parsed(for: .stored(other, schema), source: source)
      } else {
        _ = try template.parsed(for: source)
      }
      if let limit = template.limit, limit < 0 {
        throw StoreError(.invalidPage, "its limit is negative")
      }
      return nil
    } catch {
      let message = (error as? StoreError)?.message ?? "\(error)"
      return StoreError(
        .invalidSchema, "the template \(template.name) is invalid: \(message)",
        entity: entity)
    }
  }
}
