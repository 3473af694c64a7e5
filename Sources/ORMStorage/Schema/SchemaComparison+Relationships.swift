// The location of a relationship's links follows from its declaration and that of its inverse
// (``RelationshipDescription``). Where a declaration changes, the links stay in their old location;
// a program that looks for them in another finds none.

extension SchemaComparison {
  /// Refuses relationships whose links are not where the program looks for them.
  mutating func compareRelationships() {
    for entity in declared.everyEntity {
      guard let held = stored[entity.name] else { continue }
      for relationship in entity.relationships {
        if let old = held.relationship(named: relationship.name) {
          compare(old, held, relationship, entity)
        } else if let position = held.column(ofAttribute: relationship.name),
          entity.column(named: held.columns[position].name) == nil
        {
          refuse(
            "the store has an attribute of this name, the program a relationship", entity,
            [relationship.name])
        }
      }
    }
  }

  private mutating func compare(
    _ old: RelationshipDescription, _ held: StoredEntity, _ new: RelationshipDescription,
    _ entity: StoredEntity
  ) {
    let target = stored.entity(named: old.target)?.name ?? old.target
    let wanted = declared.entity(named: new.target)?.name ?? new.target
    if target != wanted {
      refuse(
        "its target is \(target) in the store, \(wanted) in the program", entity, [new.name])
    } else if let location = StoredLinkLocation(old, of: held, in: stored),
      let other = StoredLinkLocation(new, of: entity, in: declared), !other.finds(location)
    {
      refuse(
        "its links are stored in \(location) in the store, in \(other) in the "
          + "program", entity, [new.name])
    }
  }

  /// Keeps, in the schema to be stored, the relationships that the program no longer declares, so
  /// that one that comes back is compared with the store's links.
  ///
  /// Those that contradict the program's declarations are dropped.
  mutating func keepUndeclaredRelationships() {
    var retained: Set<RelationshipName> = []
    for position in changes.union.entities.indices {
      let entity = changes.union.entities[position]
      guard let held = stored[entity.name], declared[entity.name] != nil,
        held.modelName == entity.modelName
      else { continue }
      for relationship in held.relationships
      where entity.relationship(named: relationship.name) == nil
        && entity.column(ofAttribute: relationship.name) == nil
      {
        changes.union.entities[position].relationships.append(relationship)
        retained.insert(.init(entity: entity.modelName, name: relationship.name))
      }
    }
    var isSettled = false
    while !isSettled {
      let contradictory = retained.filter { !isWhole($0) }
      isSettled = contradictory.isEmpty
      retained.subtract(contradictory)
      for position in changes.union.entities.indices {
        let name = changes.union.entities[position].modelName
        changes.union.entities[position].relationships.removeAll {
          contradictory.contains(.init(entity: name, name: $0.name))
        }
      }
    }
  }

  private struct RelationshipName: Hashable {
    var entity: String
    var name: String
  }

  /// Returns whether everything that a relationship names is in the schema to be stored, and its
  /// inverse leads back.
  private func isWhole(_ name: RelationshipName) -> Bool {
    let union = changes.union
    guard let entity = union.entity(named: name.entity),
      let relationship = entity.relationship(named: name.name),
      let target = union.entity(named: relationship.target),
      StoredLinkLocation(relationship, of: entity, in: union) != nil
    else { return false }
    guard let inverse = relationship.inverse else { return true }
    let back = target.relationship(named: inverse)
    return back?.inverse == relationship.name && back?.target == entity.modelName
  }
}

/// The columns that hold a relationship's links, by their names in the store.
struct StoredLinkLocation: Hashable, CustomStringConvertible {
  /// The entity whose rows hold them.
  let entity: String
  /// The columns with the owner's key; empty where the owner's own rows hold the links.
  let owners: [String]
  /// The columns with the target's key; empty where the target's rows hold the links.
  let targets: [String]
  /// The column with the order of the targets, where they are ordered.
  let position: String?

  /// Computes the location; nil if the schema lacks a part that the relationship names.
  init?(
    _ relationship: RelationshipDescription, of owner: StoredEntity, in schema: StoredSchema
  ) {
    let names: (owners: [String], targets: [String], position: String?)
    let referrer: StoredEntity?
    switch relationship.storage {
    case .own(let targets, let position):
      (referrer, names) = (owner, ([], targets, position))
    case .target(let owners, let position):
      (referrer, names) = (schema.entity(named: relationship.target), (owners, [], position))
    case .join(let entity, let owners, let targets, let position):
      (referrer, names) = (schema.entity(named: entity), (owners, targets, position))
    case nil: return nil
    }
    guard let referrer else { return nil }
    func columns(_ attributes: [String]) -> [String]? {
      let positions = attributes.compactMap { referrer.column(ofAttribute: $0) }
      return positions.count == attributes.count ? positions.map { referrer.columns[$0].name } : nil
    }
    guard let owners = columns(names.owners), let targets = columns(names.targets) else {
      return nil
    }
    entity = schema.root(of: referrer).name
    self.owners = owners
    self.targets = targets
    position = names.position.flatMap { columns([$0])?.first }
  }

  /// Returns whether links that were written to the other location are found in this one, in order.
  ///
  /// A relationship that becomes ordered begins with the order of keys; one that is no longer
  /// ordered leaves the column of its order as it is.
  func finds(_ other: StoredLinkLocation) -> Bool {
    let isSameOrder = position == nil || other.position == nil || position == other.position
    return entity == other.entity && owners == other.owners && targets == other.targets
      && isSameOrder
  }

  var description: String {
    "\(entity) (\((owners + targets + [position].compactMap { $0 }).joined(separator: ", ")))"
  }
}
