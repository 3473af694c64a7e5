internal import ORMStorage

/// The rules of relationships, checked when a schema is built.
enum RelationshipCheck {
  /// Every broken rule, each with the names of both ends.
  static func failures(of entities: [EntityDescription]) -> [StoreError] {
    let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
    var failures: [StoreError] = []
    for entity in entities {
      for (index, relationship) in entity.relationships.enumerated() {
        let isTaken =
          entity.position(of: relationship.name) != nil
          || entity.relationships[..<index].contains { $0.name == relationship.name }
        if isTaken {
          failures.append(failure(entity, relationship, "another property has this name"))
        }
        if let fault = SchemaCheck.nameFault(relationship.name) {
          failures.append(failure(entity, relationship, "the relationship's name \(fault)"))
        }
        failures += nameFailures(of: relationship, at: index, in: entity)
        guard let target = byName[relationship.target] else {
          failures.append(
            failure(
              entity, relationship,
              "its target \(relationship.target) is not in the schema; add that model"))
          continue
        }
        failures += self.failures(of: relationship, in: entity, target: target, byName)
      }
    }
    return failures + nameFailures(of: entities)
  }

  private static func failures(
    of relationship: RelationshipDescription, in entity: EntityDescription,
    target: EntityDescription, _ byName: [String: EntityDescription]
  ) -> [StoreError] {
    var failures: [StoreError] = []
    func fail(_ message: String) { failures.append(failure(entity, relationship, message)) }
    let fullName = "\(entity.name).\(relationship.name)"
    var inverse: RelationshipDescription?
    if let name = relationship.inverse {
      inverse = target.relationship(named: name)
      if inverse == nil {
        fail("its inverse \(target.name).\(name) does not exist")
      } else if inverse?.target != entity.name || inverse?.inverse != relationship.name {
        fail("its inverse \(target.name).\(name) does not have \(fullName) as its inverse")
      }
    }
    if target.key.isEmpty { fail("its target \(target.name) has no primary key to link by") }
    if relationship.storage == nil {
      fail(
        relationship.through == nil
          ? "it is not resolved: make the schema from models, or state where its links are stored"
          : "\(relationship.through ?? "") has no to-ones to \(entity.name) and \(target.name)")
    }
    if relationship.isRequired, relationship.isToMany {
      fail("a to-many cannot be required; give it a count instead")
    }
    if entity.isKey(relationship) {
      if let inverse, inverse.deleteRule == .nullify {
        fail(
          "it is part of the primary key, so \(target.name).\(inverse.name) cannot have the delete "
            + "rule nullify; choose cascade or deny")
      } else if inverse == nil, relationship.targetDeleteRule == .nullify {
        fail(
          "it is part of the primary key, so deleting its target cannot nullify it; choose cascade or "
            + "deny")
      }
      if inverse?.isRequired == true {
        fail("it is part of the primary key, so its inverse cannot be required too")
      }
    } else if relationship.isRequired, let inverse {
      let other = "\(target.name).\(inverse.name)"
      if inverse.isRequired { fail("it and its inverse \(other) cannot both be required") }
      if inverse.deleteRule == .nullify {
        fail("it is required, so \(other) cannot have the delete rule nullify")
      }
    } else if relationship.isRequired, relationship.targetDeleteRule == .nullify {
      fail("it is required, so deleting its target cannot nullify it; choose another delete rule")
    }
    if let count = relationship.count,
      count.minimum < 0 || count.maximum.map({ $0 < count.minimum }) == true
    {
      fail("the range of its count is empty or negative")
    }
    if relationship.isShared, relationship.inverse != nil {
      fail("only a one-way relationship can declare its targets shared")
    }
    if let through = relationship.through {
      if byName[through] == nil { fail("its linking entity \(through) is not in the schema") }
      if inverse?.isToMany == false { fail("only a many-to-many can go through a linking entity") }
      if inverse != nil, inverse?.through != through {
        fail("its inverse \(target.name).\(inverse?.name ?? "") does not go through \(through)")
      }
      if relationship.isOrdered {
        fail(
          "a relationship through a linking entity cannot be ordered; sort by an attribute of that "
            + "entity")
      }
    }
    return failures
  }

  /// The failures of a stored name: one that no name can have, that another relationship of the entity
  /// has, or that names nothing.
  private static func nameFailures(
    of relationship: RelationshipDescription, at index: Int, in entity: EntityDescription
  ) -> [StoreError] {
    guard let storedName = relationship.storedName else { return [] }
    if let fault = SchemaCheck.nameFault(storedName) {
      return [failure(entity, relationship, "its name in the store \(fault)")]
    }
    let other = entity.relationships.enumerated().first { position, other in
      position != index && (other.storedName == nil || position < index)
        && (other.storedName ?? other.name).lowercased() == storedName.lowercased()
    }
    if let other = other?.element {
      return [
        failure(
          entity, relationship,
          "it has the same name in the store as \(other.name), apart from case")
      ]
    }
    guard relationship.namesNothing(in: entity) else { return [] }
    let remedy =
      relationship.through.map { "the links are rows of \($0); name the to-ones of that" }
      ?? "\(relationship.target).\(relationship.inverse ?? "") names its links; name that one"
    return [failure(entity, relationship, "its name in the store names nothing: \(remedy)")]
  }

  /// Join entities must not take the names of others.
  private static func nameFailures(of entities: [EntityDescription]) -> [StoreError] {
    var failures: [StoreError] = []
    for entity in entities {
      for relationship in entity.relationships where relationship.through == nil {
        guard case .join(let join, _, _, _) = relationship.storage,
          let name = [join, relationship.storedJoinName(in: entity)].lazy.compactMap({ $0 })
            .first(where: { name in
              entities.contains {
                $0.name.lowercased() == name.lowercased()
                  || $0.storedName?.lowercased() == name.lowercased()
              }
            })
        else { continue }
        failures.append(
          failure(
            entity, relationship,
            "its links are stored under the name \(name), which another entity has"))
      }
    }
    return failures
  }

  /// Returns warnings about relationships that are doubtful but allowed.
  static func warnings(of entities: [EntityDescription]) -> [String] {
    entities.flatMap { entity in
      entity.relationships.filter { $0.inverse == nil && $0.through == nil }.map {
        "\(entity.name).\($0.name) is one-way: \($0.target) has no relationship back"
      }
    }
  }

  private static func failure(
    _ entity: EntityDescription, _ relationship: RelationshipDescription, _ message: String
  ) -> StoreError {
    StoreError(.invalidSchema, message, entity: entity.name, attributes: [relationship.name])
  }
}
