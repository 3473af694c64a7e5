internal import ORMValues

extension SchemaComparison {
  /// The subentities of a root that is held and declared: those held, then those that are new.
  ///
  /// Their columns are compared as the root's. Here only the columns that a subentity requires are
  /// compared.
  mutating func joinSubentities(_ old: StoredEntity, _ new: StoredEntity) -> [StoredEntity] {
    var union: [StoredEntity] = []
    for entity in old.subentities {
      guard let wanted = new.subentities.first(where: { $0.name == entity.name }) else {
        union.append(entity)
        refuseIfStrict(
          "the store has a subentity that the program does not declare; declare it", entity)
        continue
      }
      union.append(wanted)
      if old.parentName(of: entity) != new.parentName(of: wanted) {
        refuse("it is a subentity of another entity", wanted)
      }
      compareColumns(of: entity, wanted, oldRoot: old)
    }
    for entity in new.subentities
    where !old.subentities.contains(where: { $0.name == entity.name }) {
      union.append(entity)
      refuseIfStrict("the store lacks a subentity that the program declares", entity)
    }
    return union
  }

  private mutating func compareColumns(
    of old: StoredEntity, _ new: StoredEntity, oldRoot: StoredEntity
  ) {
    for column in old.columns {
      guard let wanted = new.column(named: column.name).map({ new.columns[$0] }) else {
        if !column.isOptional && column.defaultValue == nil && !isReader {
          refuse(
            "the store has a required attribute without a default that the program does not "
              + "declare", new, [column.attribute])
        }
        continue
      }
      if differsInOptionality(column, wanted) {
        let state = column.isOptional ? "optional in the store" : "required in the store"
        refuse("\(state), but not in the program", new, [wanted.attribute])
      }
    }
    for column in new.columns where old.column(named: column.name) == nil {
      if !refuseIfRenamed(column, old, new), !column.canBeAdded {
        refuse("the store lacks a required attribute that has no default", new, [column.attribute])
      }
    }
  }

  /// An entity does not become a subentity, nor a subentity an entity without a parent: its rows are
  /// elsewhere.
  mutating func findMovedEntities() {
    for entity in declared.everyEntity {
      guard let old = stored.everyEntity.first(where: { $0.name == entity.name }),
        (old.parent == nil) != (entity.parent == nil)
          || stored.root(of: old).name != declared.root(of: entity).name
      else { continue }
      refuse(
        entity.parent == nil
          ? "it is a subentity in the store" : "it is not a subentity of this entity in the store",
        entity)
    }
  }
}

extension StoredEntity {
  /// The stored name of a subentity's parent, since names in the program may change.
  fileprivate func parentName(of entity: StoredEntity) -> String {
    subentities.first { $0.modelName == entity.parent }?.name ?? name
  }
}
