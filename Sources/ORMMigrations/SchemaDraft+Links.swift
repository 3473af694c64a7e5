internal import ORMStorage

/// A relationship whose links move to where a declared schema stores them.
struct LinkMove {
  var entity: String
  var name: String
  var surplus: MigrationStep.SurplusLinks
}

extension SchemaDraft {
  /// Notes that the links of a relationship move at the end.
  mutating func moveLinks(
    of name: String, in entity: String, _ surplus: MigrationStep.SurplusLinks
  ) throws {
    _ = try relationship(name, of: entity)
    linkMoves.append(LinkMove(entity: entity, name: name, surplus: surplus))
  }

  /// Moves the links that were noted.
  ///
  /// - Parameter copy: moves the links of a copy; called with the draft that has both locations.
  mutating func moveLinks(
    to declared: StoredSchema, _ copy: (inout SchemaDraft, LinkCopy) throws -> Void
  ) throws {
    for move in linkMoves {
      guard let entity = declared.entity(named: move.entity),
        let wanted = entity.relationship(named: move.name)
      else {
        throw fault(
          "the program declares no relationship whose links could move", move.entity, [move.name])
      }
      let old = try relationship(move.name, of: move.entity)
      if old.storage == wanted.storage && old.inverse == wanted.inverse { continue }
      let isSameLocation = isLocation(of: old, move.entity, free: wanted, declared)
      let (before, after) = (LinkEnds(old, in: schema), LinkEnds(wanted, in: declared))
      if isSameLocation && !before.takesMore(than: after) { continue }
      let added = isSameLocation ? [] : try addLocation(of: wanted, entity, declared)
      guard let target = schema.entity(named: old.target) else {
        throw fault("the store has no target of the links", move.entity, [move.name])
      }
      let owner = schema.root(of: try self.entity(move.entity))
      let links = LinkCopy(
        move: move, old: before, new: after, owner: owner, target: schema.root(of: target),
        isSameLocation: isSameLocation)
      try copy(&self, links)
      // Afterwards names follow the declaration, and missing parts are added.
      if isSameLocation { continue }
      try removeLinks(of: old, try self.entity(move.entity))
      for (name, column) in added where !column.isOptional && !column.isInternal {
        try setOptional(column.attribute, in: name, false)
      }
      describe { schema in
        schema.editEntities { other in
          func exchange(_ name: String, by new: RelationshipDescription?) {
            other.relationships.removeAll { $0.name == name }
            if let new { other.relationships.append(new) }
          }
          if other.modelName == entity.modelName { exchange(move.name, by: wanted) }
          if other.modelName == old.target, let inverse = old.inverse {
            exchange(
              inverse, by: declared.entity(named: old.target)?.relationship(named: inverse))
          }
          if other.modelName == wanted.target, let inverse = wanted.inverse {
            exchange(
              inverse, by: declared.entity(named: wanted.target)?.relationship(named: inverse))
          }
        }
      }
    }
    linkMoves = []
  }

  /// Returns whether the links of a relationship stay where they are if it is declared otherwise: in
  /// attributes of the same names, or of names that nothing else has.
  private func isLocation(
    of old: RelationshipDescription, _ entity: String, free wanted: RelationshipDescription,
    _ declared: StoredSchema
  ) -> Bool {
    guard old.isStored(as: wanted, in: schema, declared) else { return false }
    func isFree(_ before: [String], _ after: [String], in entity: String) -> Bool {
      zip(before, after).allSatisfy { old, new in
        old == new || schema.entity(named: entity)?.column(ofAttribute: new) == nil
      }
    }
    switch (old.storage, wanted.storage) {
    case (.own(let before, _), .own(let after, _)): return isFree(before, after, in: entity)
    case (.target(let before, _), .target(let after, _)):
      return isFree(before, after, in: old.target)
    case (.join(let before, _, _, _), .join(let after, _, _, _)):
      return before == after || schema.entity(named: after) == nil
    default: return true
    }
  }

  /// Adds the columns or the entity in which a relationship is declared to store its links; columns
  /// are optional as long as they have no links.
  private mutating func addLocation(
    of wanted: RelationshipDescription, _ entity: StoredEntity, _ declared: StoredSchema
  ) throws -> [(entity: String, column: StoredColumn)] {
    switch wanted.storage {
    case .own(let names, let position):
      return try addColumns(names + [position].compactMap { $0 }, of: entity)
    case .target(let names, let position):
      guard let target = declared.entity(named: wanted.target) else { return [] }
      return try addColumns(names + [position].compactMap { $0 }, of: target)
    case .join(let name, own: _, target: _, position: _):
      guard var join = declared.entity(named: name), join.parent == nil, join.subentities.isEmpty
      else { return [] }
      if schema.entity(named: name) != nil {
        return wanted.through == nil ? try addColumns(join.columns.map(\.attribute), of: join) : []
      }
      join.rules = []
      join.templates = []
      try add(join)
      return []
    case nil: return []
    }
  }

  private mutating func addColumns(
    _ names: [String], of declared: StoredEntity
  ) throws -> [(entity: String, column: StoredColumn)] {
    guard declared.parent == nil, let held = schema.entity(named: declared.modelName),
      let position = schema.index(of: held.name)
    else {
      throw fault("links of a subentity cannot be moved", declared.modelName)
    }
    var added: [(entity: String, column: StoredColumn)] = []
    for name in names where held.column(ofAttribute: name) == nil {
      guard let column = declared.column(ofAttribute: name).map({ declared.columns[$0] }) else {
        continue
      }
      var optional = column
      optional.isOptional = true
      let views = held.subentities.map { ($0.modelName, optional) }
      try add(optional, to: position, views: Dictionary(views) { first, _ in first })
      added.append((declared.modelName, column))
    }
    return added
  }
}
