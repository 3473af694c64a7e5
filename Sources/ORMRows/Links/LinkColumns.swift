internal import ORMStorage

/// Columns of one entity that hold the keys of another, as a check looks at them.
package struct LinkColumns {
  package let referrer: StoredEntity
  package let columns: [Int]
  package let owner: StoredEntity
  /// The relationship and the entity that declares it, for errors.
  package let entity: String
  package let relationship: String
  /// True if an owner has one referrer at most.
  package let isOne: Bool
  /// True if the delete rule leaves keys of deleted targets in the columns.
  package var mayDangle: Bool

  /// The columns of every link of a schema, each once.
  package static func all(of schema: StoredSchema) -> [LinkColumns] {
    var found: [LinkColumns] = []
    func add(_ link: LinkColumns) {
      let known = found.firstIndex {
        $0.referrer.modelName == link.referrer.modelName && $0.columns == link.columns
      }
      if let known {
        found[known].mayDangle = found[known].mayDangle || link.mayDangle
      } else {
        found.append(link)
      }
    }
    for entity in schema.everyEntity {
      for relationship in entity.relationships {
        guard let target = schema.entity(named: relationship.target),
          let location = schema.location(of: relationship, in: entity)
        else { continue }
        let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
        let targetRule = inverse?.deleteRule ?? relationship.targetDeleteRule
        func link(
          _ referrer: StoredEntity, _ columns: [Int], _ owner: StoredEntity, _ rule: DeleteRule,
          isOne: Bool = false
        ) -> LinkColumns {
          LinkColumns(
            referrer: referrer, columns: columns, owner: owner, entity: entity.modelName,
            relationship: relationship.name, isOne: isOne, mayDangle: rule == .noAction)
        }
        switch location {
        case .here(let columns, position: _):
          add(link(entity, columns, target, targetRule, isOne: inverse?.isToMany == false))
        case .there(let columns, position: _):
          if inverse == nil { add(link(target, columns, entity, relationship.deleteRule)) }
        case .between(let join, let here, let there):
          add(link(join, here, entity, relationship.deleteRule))
          add(link(join, there, target, targetRule))
        }
      }
    }
    return found
  }
}
