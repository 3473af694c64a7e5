internal import ORMCore
internal import ORMRows
internal import ORMStorage

extension DifferenceFinder {
  /// Compares the relationships that an entity declares itself.
  mutating func compareRelationships(_ held: StoredEntity, _ entity: StoredEntity) {
    let before = old.declaredRelationships(of: held)
    let after = new.declaredRelationships(of: entity)
    let dropped = before.filter { entity.relationship(named: $0.name) == nil }
    let added = after.filter { held.relationship(named: $0.name) == nil }
    for relationship in dropped {
      let others = added.filter {
        $0.isToMany == relationship.isToMany
          && ($0.target == relationship.target || mayBeRenamed(relationship.target, $0.target))
      }
      ask(.relationship, entity.modelName, relationship.name, others.map(\.name))
    }
    for relationship in dropped { drop(relationship, of: entity) }
    for relationship in added { add(relationship, to: entity, among: dropped) }
    for relationship in after {
      if let other = before.first(where: { $0.name == relationship.name }) {
        compare(other, relationship, of: entity)
      }
    }
  }

  /// Returns true, once, for the first end of a relationship that takes care of both.
  private mutating func settle(_ relationship: RelationshipDescription, of entity: String) -> Bool {
    if let inverse = relationship.inverse {
      settled.insert(RelationshipEnd(entity: relationship.target, name: inverse))
    }
    return settled.insert(RelationshipEnd(entity: entity, name: relationship.name)).inserted
  }

  private mutating func drop(_ relationship: RelationshipDescription, of entity: StoredEntity) {
    var change = Change(
      kind: .dropped, part: .relationship, entity: entity.modelName, name: relationship.name,
      detail: relationship.text)
    change.isOpen = questions.contains {
      $0.part == .relationship && $0.entity == entity.modelName && $0.name == relationship.name
    }
    // The links go with an entity that is dropped.
    let ends = [relationship.target, relationship.through].compactMap { $0 }
    if ends.allSatisfy({ new.entity(named: $0) != nil }), settle(relationship, of: entity.modelName)
    {
      change.steps = [.dropRelationship(relationship.name, in: entity.modelName)]
      change.remark = "its links are lost"
    }
    changes.append(change)
  }

  private mutating func add(
    _ relationship: RelationshipDescription, to entity: StoredEntity,
    among dropped: [RelationshipDescription]
  ) {
    var change = Change(
      kind: .added, part: .relationship, entity: entity.modelName, name: relationship.name,
      detail: relationship.text)
    if case .own(let names, position: _) = relationship.storage {
      let columns = entity.columns.filter { names.contains($0.attribute) && !$0.canBeAdded }
      change.steps = columns.map {
        .addAttribute($0.attribute, $0.type, in: entity.modelName, default: $0.type.kind.zero)
      }
      if !columns.isEmpty {
        change.remark = "it is required, and the target for rows that are there is a guess"
      }
    }
    change.isOpen =
      !change.steps.isEmpty
      && questions.contains {
        $0.part == .relationship && $0.entity == entity.modelName
          && $0.candidates.contains { $0.name == relationship.name }
      }
    changes.append(change)
  }

  private mutating func compare(
    _ held: RelationshipDescription, _ relationship: RelationshipDescription,
    of entity: StoredEntity
  ) {
    var change = Change(
      kind: .changed, part: .relationship, entity: entity.modelName, name: relationship.name)
    var details: [String] = []
    if held.isToMany != relationship.isToMany || held.target != relationship.target {
      details.append("\(held.text) → \(relationship.text)")
    }
    if held.inverse != relationship.inverse {
      details.append("inverse \(held.inverse ?? "none") → \(relationship.inverse ?? "none")")
    }
    if held.through != relationship.through {
      details.append("through \(held.through ?? "none") → \(relationship.through ?? "none")")
    }
    if held.isOrdered != relationship.isOrdered {
      details.append(held.isOrdered ? "ordered → unordered" : "unordered → ordered")
    }
    if held.isShared != relationship.isShared {
      details.append(held.isShared ? "shared → one referrer" : "one referrer → shared")
    }
    let isOne = !held.isToMany && !relationship.isToMany
    if isOne, held.isRequired != relationship.isRequired {
      details.append(relationship.isRequired ? "optional → required" : "required → optional")
    }
    if held.target != relationship.target {
      change.isOpen = mayBeRenamed(held.target, relationship.target)
      if settle(held, of: entity.modelName) {
        change.steps = [.dropRelationship(held.name, in: entity.modelName)]
        change.remark = "its links are lost"
      }
    } else if !held.isStored(as: relationship, in: old, new) {
      if settle(relationship, of: entity.modelName) {
        change.steps = [.moveLinks(of: relationship.name, in: entity.modelName)]
        if held.isToMany && !relationship.isToMany {
          change.remark = "several targets stop the migration, unless surplus: says .keepFirst"
        }
      }
      if details.isEmpty { details.append("its links are stored elsewhere") }
    } else if isOne, held.isRequired != relationship.isRequired,
      case .own(let names, position: _) = held.storage
    {
      change.steps = names.map {
        relationship.isRequired
          ? .makeRequired($0, in: entity.modelName) : .makeOptional($0, in: entity.modelName)
      }
      if relationship.isRequired { change.remark = "rows without a target stop the migration" }
    }
    if held.deleteRule != relationship.deleteRule
      || held.targetDeleteRule != relationship.targetDeleteRule
    {
      details.append("another delete rule")
    }
    if held.count != relationship.count { details.append("another number of targets") }
    if details.isEmpty { return }
    change.detail = details.joined(separator: ", ")
    changes.append(change)
  }

  /// Returns whether a question asks if an entity got another name.
  private func mayBeRenamed(_ name: String, _ other: String) -> Bool {
    questions.contains {
      $0.part == .entity && $0.entity == name && $0.candidates.contains { $0.name == other }
    }
  }
}

extension RelationshipDescription {
  /// The target, and the number of targets.
  fileprivate var text: String {
    "to \(isToMany ? "many" : "one") \(target)\(!isToMany && !isRequired ? "?" : "")"
  }
}
