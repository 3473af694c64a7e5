internal import ORMStorage

/// The rules of subentities, checked when a schema is built.
struct HierarchyCheck {
  private let entities: [EntityDescription]
  private let byName: [String: EntityDescription]

  /// A check of entities whose names in the store are worked out.
  init(_ entities: [EntityDescription]) {
    self.entities = entities
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Every broken rule, each naming the subentity, and the attribute where it is of one.
  var failures: [StoreError] {
    let parents = Set(entities.compactMap(\.parent))
    if parents.isEmpty { return [] }
    return entities.flatMap { entity -> [StoreError] in
      var failures = parents.contains(entity.name) ? failures(ofParent: entity) : []
      failures += softDeleteFailures(of: entity)
      guard let name = entity.parent else { return failures }
      guard let parent = byName[name] else {
        return failures + [failure(entity, "its parent \(name) is not in the schema")]
      }
      if isBelowItself(entity) {
        return failures + [failure(entity, "it is a subentity of itself")]
      }
      failures += self.failures(of: entity, below: parent)
      return failures
    }
  }

  private func isBelowItself(_ entity: EntityDescription) -> Bool {
    var seen: Set<String> = []
    var next = entity.parent
    while let name = next, seen.insert(name).inserted {
      if name == entity.name { return true }
      next = byName[name]?.parent
    }
    return false
  }

  /// Returns the failures of soft deletes.
  ///
  /// A row can be deleted by any entity of the hierarchy, so the root declares the attribute.
  private func softDeleteFailures(of entity: EntityDescription) -> [StoreError] {
    guard entity.parent != nil else { return [] }
    let root = ancestors(of: entity).last
    return entity.attributes.compactMap { attribute in
      guard attribute.role == .deletedAt,
        root?.attributes.contains(where: { $0.name == attribute.name && $0.role == .deletedAt })
          != true
      else { return nil }
      return failure(
        entity,
        "a soft delete applies to the whole hierarchy: declare it in \(root?.name ?? "its root")",
        attribute.name)
    }
  }

  /// Returns the failures of an entity with subentities: a missing key, and required relationships.
  private func failures(ofParent entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    if entity.key.isEmpty {
      failures.append(failure(entity, "an entity with subentities needs a key"))
    }
    for relationship in entity.relationships {
      if relationship.isRequired || (relationship.count?.minimum ?? 0) > 0 {
        failures.append(
          failure(
            entity,
            entity.isKey(relationship)
              ? "an entity whose key is made of to-ones cannot have subentities"
              : "it cannot be required: objects of subentities are inserted without it",
            relationship.name))
      }
    }
    return failures
  }

  private func failures(
    of entity: EntityDescription, below parent: EntityDescription
  ) -> [StoreError] {
    var failures: [StoreError] = []
    if entity.key != parent.key || entity.keySource != parent.keySource {
      failures.append(
        failure(
          entity,
          "its primary key must be the one of its parent \(parent.name)", entity.key.first))
    }
    let above = ancestors(of: entity)
    let held = Set(above.flatMap(\.heldKeys))
    for attribute in parent.attributes where !held.contains(attribute.name) {
      guard let position = entity.position(of: attribute.name) else {
        failures.append(
          failure(entity, "it lacks an attribute of its parent \(parent.name)", attribute.name))
        continue
      }
      if let difference = entity.attributes[position].difference(from: attribute) {
        failures.append(
          failure(
            entity, "\(difference) from its parent \(parent.name)", attribute.name))
      }
    }
    let relationships = Set(above.flatMap { $0.relationships.map(\.name) })
    for name in entity.attributes.map(\.name)
    where held.contains(name) || relationships.contains(name) {
      failures.append(
        failure(
          entity,
          "it belongs to \(owner(of: name, above)) and must not be declared again; use it "
            + "through that", name)
      )
    }
    for name in entity.relationships.map(\.name)
    where held.contains(name) || relationships.contains(name) {
      failures.append(
        failure(
          entity,
          "it is a relationship of \(owner(of: name, above)) and must not be declared again; use "
            + "it through that", name))
    }
    return failures + uniqueFailures(of: entity, below: parent)
  }

  /// A unique rule holds among the rows of the subentity because others have nil in it.
  private func uniqueFailures(
    of entity: EntityDescription, below parent: EntityDescription
  ) -> [StoreError] {
    let inherited = ancestors(of: entity).flatMap(\.indexes)
    return entity.indexes.filter { $0.isUnique && !inherited.contains($0) }.compactMap { index in
      let own = index.terms.filter { parent.position(of: $0.attribute) == nil }
      if own.isEmpty {
        return failure(
          entity, "a unique rule on attributes of the parent must be declared in \(parent.name)",
          index.terms.first?.attribute)
      }
      let isDistinct = own.contains { term in
        guard let position = entity.position(of: term.attribute) else { return true }
        if case .value(let value) = entity.attributes[position].defaultValue {
          return value.isNull
        }
        return true
      }
      return isDistinct
        ? nil
        : failure(
          entity, "a unique rule of a subentity needs at least one own attribute without a default",
          own.first?.attribute)
    }
  }

  /// The entities above one, its parent first.
  private func ancestors(of entity: EntityDescription) -> [EntityDescription] {
    var ancestors: [EntityDescription] = []
    while let parent = (ancestors.last ?? entity).parent.flatMap({ byName[$0] }),
      !ancestors.contains(where: { $0.name == parent.name })
    {
      ancestors.append(parent)
    }
    return ancestors
  }

  private func owner(of name: String, _ ancestors: [EntityDescription]) -> String {
    ancestors.first { $0.relationship(named: name) != nil || $0.heldKeys.contains(name) }?.name
      ?? ""
  }

  private func failure(
    _ entity: EntityDescription, _ message: String, _ attribute: String? = nil
  ) -> StoreError {
    StoreError(
      .invalidSchema, message, entity: entity.name, attributes: attribute.map { [$0] } ?? [])
  }
}

extension EntityDescription {
  /// The attributes that hold the keys of to-ones, which no subentity has.
  fileprivate var heldKeys: Set<String> {
    Set(
      relationships.flatMap { relationship -> [String] in
        guard case .own(let names, position: _) = relationship.storage else { return [] }
        return names
      })
  }
}

extension AttributeDescription {
  /// The difference from the parent's attribute, in words that go before "than"; nil where it is the same.
  ///
  /// A default, a role and a name in the store need not be said again.
  fileprivate func difference(from other: AttributeDescription) -> String? {
    if type != other.type { return "its type differs" }
    if isOptional != other.isOptional { return "its optionality differs" }
    if isNormalized != other.isNormalized { return "its normalization differs" }
    if defaultValue != nil, defaultValue != other.defaultValue {
      return "its default differs"
    }
    if role != nil, role != other.role { return "its managed role differs" }
    if derived != nil, derived != other.derived { return "its derivation differs" }
    return nil
  }
}
