// Subentities, as stores keep them: their rows are rows of one entity, the root of the hierarchy.
//
// The root's columns are its own, then those that subentities add, which are optional in the store
// and named after the subentity ("Car.doors" in the store, "Car$doors" where attributes are asked for:
// neither is a name that a program could give), then the kind of the row: the stored name of its
// subentity, nil for a row of the root itself. Engines know the root alone. A subentity is part of it as a
// view: an entity whose columns have the names of those of the root.

extension StoredEntity {
  /// The subentities, theirs among them, each after its parent; in the root of a hierarchy alone.
  ///
  /// They have no rows of their own: `columns` says by their stored names which columns of the root
  /// hold a subentity's attributes, and which of them its model requires.
  public var subentities: [StoredEntity] {
    get { nested ?? [] }
    set { nested = newValue.isEmpty ? nil : newValue }
  }

  /// The columns that a write by this entity sets: all but the kind and those that the root of a hierarchy
  /// holds for its subentities.
  package var ownColumns: [Int] {
    nested == nil
      ? Array(columns.indices) : columns.indices.filter { !columns[$0].isOfSubentities }
  }

  /// The names in the program of an entity's attributes: those that a root holds for a subentity are
  /// the subentity's.
  func programNames(of attributes: [String]) -> (entity: String, attributes: [String]) {
    guard
      let column = columns.first(where: { $0.isInternal && $0.attribute == attributes.first }),
      let owner = subentities.first(where: { $0.column(named: column.name) != nil })
    else { return (modelName, attributes) }
    let names = attributes.map { name in
      self.column(ofAttribute: name).map { columns[$0].name }
        .flatMap { owner.column(named: $0) }.map { owner.columns[$0].attribute } ?? name
    }
    return (owner.modelName, names)
  }

  /// The name of the column that holds the kind of a row, in the root of a hierarchy.
  package var kindName: String { "\(name).kind" }

  /// The kinds of those rows that are of a subentity, its own subentities among them.
  package func kinds(of subentity: StoredEntity) -> [String] {
    [subentity.name]
      + subentities.filter { $0.parent == subentity.modelName }.flatMap { kinds(of: $0) }
  }
}

extension StoredSchema {
  /// The entities with the subentities of each after it.
  package var everyEntity: [StoredEntity] { entities.flatMap { [$0] + $0.subentities } }

  /// True if there are subentities.
  package var hasSubentities: Bool { entities.contains { $0.nested != nil } }

  /// The root of an entity's hierarchy; the entity itself where it is no subentity.
  package func root(of entity: StoredEntity) -> StoredEntity {
    guard entity.parent != nil else { return entity }
    return entities.first { root in
      root.nested?.contains { $0.name == entity.name } == true
    } ?? entity
  }

  /// The entity that declares an attribute first: the entity itself, or one above it.
  package func declaring(_ attribute: String, of entity: StoredEntity) -> StoredEntity {
    var entity = entity
    while let parent = entity.parent.flatMap({ self.entity(named: $0) }),
      parent.column(ofAttribute: attribute) != nil
    {
      entity = parent
    }
    return entity
  }

  /// The subentity that fits.
  func subentity(where fits: (StoredEntity) -> Bool) -> StoredEntity? {
    for entity in entities {
      if let found = entity.nested?.first(where: fits) { return found }
    }
    return nil
  }
}

extension StoredColumn {
  /// True if the root of a hierarchy holds the column for its subentities.
  package var isOfSubentities: Bool { isInternal && attribute.utf8.contains(UInt8(ascii: "$")) }

  /// The name in the store without that of the subentity before it.
  ///
  /// Names in the store hold no dots otherwise.
  package var ownName: String {
    name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
