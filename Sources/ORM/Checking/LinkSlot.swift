internal import ORMCore

/// Columns of one entity that hold the keys of another, as a check looks at them.
struct LinkSlot {
  let referrer: StoredEntity
  let columns: [Int]
  let owner: StoredEntity
  /// The relationship and the entity that declares it, for errors.
  let entity: String
  let relationship: String
  /// True if an owner has one referrer at most.
  let isOne: Bool
  /// True if a rule leaves keys of what is deleted.
  var mayDangle: Bool

  /// Every slot of a schema, each once.
  static func all(of schema: StoredSchema) -> [LinkSlot] {
    var slots: [LinkSlot] = []
    func add(_ slot: LinkSlot) {
      let known = slots.firstIndex {
        $0.referrer.modelName == slot.referrer.modelName && $0.columns == slot.columns
      }
      if let known {
        slots[known].mayDangle = slots[known].mayDangle || slot.mayDangle
      } else {
        slots.append(slot)
      }
    }
    for entity in schema.everyEntity {
      for relationship in entity.relationships {
        guard let target = schema.entity(named: relationship.target),
          let location = schema.location(of: relationship, in: entity)
        else { continue }
        let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
        let targetRule = inverse?.deleteRule ?? relationship.targetDeleteRule
        func slot(
          _ referrer: StoredEntity, _ columns: [Int], _ owner: StoredEntity, _ rule: DeleteRule,
          isOne: Bool = false
        ) -> LinkSlot {
          LinkSlot(
            referrer: referrer, columns: columns, owner: owner, entity: entity.modelName,
            relationship: relationship.name, isOne: isOne, mayDangle: rule == .noAction)
        }
        switch location {
        case .here(let columns, position: _):
          add(slot(entity, columns, target, targetRule, isOne: inverse?.isToMany == false))
        case .there(let columns, position: _):
          if inverse == nil { add(slot(target, columns, entity, relationship.deleteRule)) }
        case .between(let join, let here, let there):
          add(slot(join, here, entity, relationship.deleteRule))
          add(slot(join, there, target, targetRule))
        }
      }
    }
    return slots
  }
}
