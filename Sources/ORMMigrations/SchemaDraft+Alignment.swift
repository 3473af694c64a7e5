internal import ORMStorage

// Names in the store follow the declaration: parts that a step left under a name of its own, or that a
// naming strategy names otherwise, get the declared name. No row is touched.
extension SchemaDraft {
  /// Gives everything that the declared schema knows by its name in the program its name there.
  mutating func align(with declared: StoredSchema) throws {
    for entity in declared.everyEntity { try alignRelationships(of: entity, declared) }
    for entity in declared.entities {
      guard let held = schema.entity(named: entity.modelName), held.parent == nil,
        let position = schema.index(of: held.name)
      else { continue }
      try alignName(ofRootAt: position, to: entity.name, declared)
      try alignColumns(ofRootAt: position, entity)
      alignIndexes(ofRootAt: position, entity)
    }
    alignIndexNames()
  }

  private mutating func alignName(
    ofRootAt position: Int, to name: String, _ declared: StoredSchema
  ) throws {
    if schema.entities[position].name == name { return }
    // Another entity that is to leave the name goes to one that no program can give.
    if let other = schema.index(of: name) {
      guard let wanted = declared.entity(named: schema.entities[other].modelName),
        wanted.name != name
      else {
        throw fault("the store has another entity that is named \(name)", name)
      }
      try renameRoot(at: other, to: "\(name)$")
    }
    try renameRoot(at: position, to: name)
  }

  private mutating func alignColumns(ofRootAt position: Int, _ entity: StoredEntity) throws {
    let held = schema.entities[position]
    var wanted: [(location: ColumnLocation, name: String)] = []
    for column in entity.columns {
      guard let own = held.column(ofAttribute: column.attribute).map({ held.columns[$0] }),
        own.name != column.name
      else { continue }
      wanted.append((ColumnLocation(root: position, name: own.name, owner: ""), column.name))
    }
    // Through names that no program can give, since columns may exchange theirs.
    for index in wanted.indices {
      let draft = "\(wanted[index].name)$"
      try rename(wanted[index].location, to: draft)
      wanted[index].location.name = draft
    }
    for (location, name) in wanted { try rename(location, to: name) }
  }

  /// Gives the columns and join entities of a relationship whose links are stored in the same form
  /// the names that they are declared with.
  private mutating func alignRelationships(
    of entity: StoredEntity, _ declared: StoredSchema
  ) throws {
    for relationship in entity.relationships {
      guard let held = schema.entity(named: entity.modelName),
        let old = held.relationship(named: relationship.name), old.storage != relationship.storage
      else { continue }
      switch (old.storage, relationship.storage) {
      case (.own(let before, let ordering), .own(let after, let newOrdering)):
        try alignAttributes(before, ordering, after, newOrdering, of: held.modelName)
      case (.target(let before, let ordering), .target(let after, let newOrdering)):
        try alignAttributes(before, ordering, after, newOrdering, of: old.target)
      case (
        .join(let join, let own, let target, let ordering),
        .join(let newJoin, let newOwn, let newTarget, let newOrdering)
      )
      where old.through == nil && relationship.through == nil
        && old.isStored(as: relationship, in: schema, declared):
        if join != newJoin, schema.entity(named: join) != nil {
          try renameEntity(join, to: newJoin)
        }
        try alignAttributes(own + target, ordering, newOwn + newTarget, newOrdering, of: newJoin)
      default: break
      }
    }
  }

  /// - Parameters:
  ///   - position: the attribute of the order, nil where there is none.
  ///   - newPosition: the attribute of the declared order, which may come or go.
  private mutating func alignAttributes(
    _ before: [String], _ position: String?, _ after: [String], _ newPosition: String?,
    of entity: String
  ) throws {
    guard before.count == after.count else { return }
    if let position, let newPosition {
      try alignAttributes(before + [position], nil, after + [newPosition], nil, of: entity)
      return
    }
    for (old, new) in zip(before, after) where old != new {
      guard let held = schema.entity(named: entity), held.column(ofAttribute: old) != nil,
        held.column(ofAttribute: new) == nil
      else { continue }
      try renameAttribute(old, to: new, in: entity)
    }
  }

  /// Gives indexes over the same terms their declared names; they need not be built again.
  private mutating func alignIndexes(ofRootAt position: Int, _ entity: StoredEntity) {
    let held = schema.entities[position]
    describe { schema in
      for wanted in entity.indexes where !held.indexes.contains(where: { $0.name == wanted.name }) {
        let found = held.indexes.firstIndex { index in
          !entity.indexes.contains { $0.name == index.name } && index.isUnique == wanted.isUnique
            && index.terms.count == wanted.terms.count
            && zip(index.terms, wanted.terms).allSatisfy { own, other in
              own.form == other.form && own.isDescending == other.isDescending
                && held.columns[own.column].name == entity.columns[other.column].name
            }
        }
        if let found { schema.entities[position].indexes[found].name = wanted.name }
      }
    }
  }

  /// Names indexes of renamed entities that the program does not declare so that no two share a name.
  private mutating func alignIndexNames() {
    var names: Set<String> = []
    describe { schema in
      for entity in schema.entities.indices {
        for index in schema.entities[entity].indexes.indices {
          var name = schema.entities[entity].indexes[index].name
          while !names.insert(name).inserted { name += "$" }
          schema.entities[entity].indexes[index].name = name
        }
      }
    }
  }
}
