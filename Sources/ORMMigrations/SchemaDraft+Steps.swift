internal import ORMStorage

// The changes of single steps, by names in the program.
extension SchemaDraft {
  // MARK: Names

  mutating func renameEntity(_ name: String, to new: String, alias: Bool = false) throws {
    let entity = try self.entity(name)
    if name == new { return }
    if schema.entity(named: new) != nil { throw fault("there is an entity \(new) already", name) }
    if alias, entity.parent != nil || !entity.subentities.isEmpty {
      throw fault("an entity of a hierarchy cannot keep its name as an alias", name)
    }
    renameInAliases(entity: name, to: new, alias: alias)
    guard entity.parent == nil else { return try renameSubentity(entity, to: new) }
    guard let position = schema.index(of: entity.name) else { return }
    let kind = entity.subentities.isEmpty ? nil : entity.kindName
    try renameRoot(at: position, to: new)
    if let kind {
      let location = ColumnLocation(root: position, name: kind, owner: name)
      try rename(location, to: "\(new).kind")
      edit(ColumnLocation(root: position, name: "\(new).kind", owner: new)) { column, isRoot in
        if isRoot { column.attribute = "\(new)$kind" }
      }
    }
    refer(to: name, as: new)
  }

  private mutating func renameSubentity(_ entity: StoredEntity, to new: String) throws {
    guard let position = schema.index(of: schema.root(of: entity).name) else { return }
    let oldStored = entity.name
    let own = entity.columns.map(\.name).filter { $0.hasPrefix("\(oldStored).") }
    for name in own {
      let location = ColumnLocation(root: position, name: name, owner: entity.modelName)
      let moved = "\(new)." + name.dropFirst(oldStored.count + 1)
      try rename(location, to: moved)
      edit(ColumnLocation(root: position, name: moved, owner: new)) { column, isRoot in
        guard isRoot, let dollar = column.attribute.firstIndex(of: "$") else { return }
        column.attribute = new + column.attribute[dollar...]
      }
    }
    describe { schema in
      let views = schema.entities[position].subentities
      for index in views.indices where views[index].name == oldStored {
        schema.entities[position].subentities[index].name = new
      }
    }
    refer(to: entity.modelName, as: new)
    renamedKinds.append(
      RenamedKind(root: schema.entities[position].name, from: oldStored, to: new))
  }

  private mutating func refer(to name: String, as new: String) {
    describe { $0.refer(to: name, as: new) }
    for position in linkMoves.indices where linkMoves[position].entity == name {
      linkMoves[position].entity = new
    }
  }

  mutating func renameAttribute(
    _ name: String, to new: String, in entityName: String, alias: Bool = false
  ) throws {
    let entity = try self.entity(entityName)
    let attributes = entity.columns.map(\.attribute).filter {
      $0 == name || $0.hasPrefix("\(name).")
    }
    if attributes.isEmpty { _ = try location(name, of: entityName) }
    for attribute in attributes {
      try renameOne(
        attribute, to: new + attribute.dropFirst(name.count), in: entityName, alias: alias)
    }
  }

  private mutating func renameOne(
    _ name: String, to new: String, in entityName: String, alias: Bool
  ) throws {
    var location = try self.location(name, of: entityName)
    if name == new { return }
    let before = schema
    let root = schema.entities[location.root]
    let family = [root] + root.subentities
    if let taken = family.first(where: {
      $0.column(named: location.name) != nil && $0.column(ofAttribute: new) != nil
    }) {
      throw fault("there is an attribute of this name already", taken.modelName, [new])
    }
    let prefix =
      location.name.contains(".") && family.contains { location.name.hasPrefix("\($0.name).") }
    let owner = family.first { prefix && location.name.hasPrefix("\($0.name).") }
    let stored = (owner.map { "\($0.name)." } ?? "") + new
    try rename(location, to: stored)
    location.name = stored
    edit(location) { column, isRoot in
      let isHeld = isRoot && column.isOfSubentities
      column.attribute = isHeld ? "\(location.owner)$\(new)" : new
    }
    let owners = family.filter { $0.column(ofAttribute: name) != nil }.map(\.modelName)
    describe { $0.refer(toAttribute: name, of: owners, as: new) }
    renameInAliases(property: name, to: new, of: owners, alias: alias)
    let formats = FormatRenaming(schema: before, owners: owners, name: name, newName: new)
    describe { formats.apply(to: &$0) }
  }

  mutating func renameRelationship(
    _ name: String, to new: String, in entityName: String, alias: Bool = false
  ) throws {
    let relationship = try self.relationship(name, of: entityName)
    let entity = try self.entity(entityName)
    if name == new { return }
    if entity.relationship(named: new) != nil || entity.column(ofAttribute: new) != nil {
      throw fault("there is a property of this name already", entityName, [new])
    }
    let owners = owners(of: relationship, entity)
    renameInAliases(property: name, to: new, of: owners.sorted(), alias: alias)
    let formats = FormatRenaming(
      schema: schema, owners: owners.sorted(), name: name, newName: new)
    describe { schema in
      formats.apply(to: &schema)
      schema.editEntities { entity in
        for position in entity.relationships.indices {
          if owners.contains(entity.modelName), entity.relationships[position].name == name {
            entity.relationships[position].name = new
          } else if entity.relationships[position].inverse == name,
            owners.contains(entity.relationships[position].target)
          {
            entity.relationships[position].inverse = new
          }
        }
        for position in entity.columns.indices
        where entity.columns[position].derived?.relationship == name
          && owners.contains(entity.modelName)
        {
          entity.columns[position].derived?.relationship = new
        }
      }
    }
    for position in linkMoves.indices
    where linkMoves[position].name == name && owners.contains(linkMoves[position].entity) {
      linkMoves[position].name = new
    }
  }

  /// The relationship of an entity.
  ///
  /// - Throws: `invalidPlan` if there is none.
  func relationship(_ name: String, of entity: String) throws -> RelationshipDescription {
    guard let found = try self.entity(entity).relationship(named: name) else {
      throw fault("the entity has no relationship of this name at this version", entity, [name])
    }
    return found
  }

  /// The entities of a hierarchy that have a relationship, by their names in the program.
  private func owners(of relationship: RelationshipDescription, _ entity: StoredEntity) -> Set<
    String
  > {
    let root = schema.root(of: entity)
    return Set(
      ([root] + root.subentities).filter { $0.relationships.contains(relationship) }
        .map(\.modelName))
  }

  // MARK: Dropping

  mutating func dropEntity(_ name: String) throws {
    let entity = try self.entity(name)
    guard entity.parent == nil, entity.subentities.isEmpty else {
      throw fault(
        "it is part of a hierarchy; delete its rows and drop its attributes instead", name)
    }
    for other in schema.everyEntity {
      for relationship in other.relationships
      where relationship.target == name || relationship.through == name
        || other.modelName == name
      {
        if schema.entity(named: other.modelName)?.relationship(named: relationship.name) != nil {
          try dropRelationship(relationship.name, in: other.modelName)
        }
      }
    }
    if let position = schema.index(of: entity.name) { removeRoot(at: position) }
  }

  mutating func dropAttribute(_ name: String, in entityName: String) throws {
    let entity = try self.entity(entityName)
    let attributes = entity.columns.map(\.attribute).filter {
      $0 == name || $0.hasPrefix("\(name).")
    }
    if attributes.isEmpty { _ = try location(name, of: entityName) }
    for attribute in attributes {
      let location = try self.location(attribute, of: entityName)
      let root = schema.entities[location.root]
      if root.key.contains(where: { root.columns[$0].name == location.name }) {
        throw fault("an attribute of the primary key cannot be dropped", entityName, [attribute])
      }
      if let link = entity.relationships.first(where: { $0.storage?.names(attribute) == true }) {
        throw fault("it holds the links of \(link.name); drop that", entityName, [attribute])
      }
      remove(location)
    }
  }

  mutating func dropRelationship(_ name: String, in entityName: String) throws {
    let relationship = try self.relationship(name, of: entityName)
    let entity = try self.entity(entityName)
    let owners = owners(of: relationship, entity)
    try removeLinks(of: relationship, entity)
    describe { schema in
      schema.editEntities { other in
        other.relationships.removeAll {
          ($0 == relationship && owners.contains(other.modelName))
            || ($0.inverse == name && $0.name == relationship.inverse
              && $0.target == entity.modelName)
        }
      }
    }
  }

  /// Removes the columns or the join entity that hold a relationship's links.
  mutating func removeLinks(
    of relationship: RelationshipDescription, _ entity: StoredEntity
  ) throws {
    switch relationship.storage {
    case .own(let names, let position):
      try removeColumns(names + [position].compactMap { $0 }, of: entity.modelName)
    case .target(let names, let position):
      try removeColumns(names + [position].compactMap { $0 }, of: relationship.target)
    case .join(let join, own: _, target: _, position: _) where relationship.through == nil:
      if let joined = schema.entity(named: join), let position = schema.index(of: joined.name) {
        removeRoot(at: position)
      }
    case .join, nil: break
    }
  }

  private mutating func removeColumns(_ names: [String], of entity: String) throws {
    for name in names where schema.entity(named: entity)?.column(ofAttribute: name) != nil {
      let location = try self.location(name, of: entity)
      let root = schema.entities[location.root]
      // A link that is part of the key goes with its entity.
      if root.key.contains(where: { root.columns[$0].name == location.name }) {
        throw fault("its links are part of the primary key", entity, [name])
      }
      remove(location)
    }
  }

  // MARK: Attributes

  mutating func addAttribute(
    _ name: String, _ type: AttributeType, in entityName: String, _ value: StoredValue?
  ) throws {
    let entity = try self.entity(entityName)
    if entity.column(ofAttribute: name) != nil || entity.relationship(named: name) != nil {
      throw fault("there is a property of this name already", entityName, [name])
    }
    let root = schema.root(of: entity)
    guard let position = schema.index(of: root.name) else { return }
    if let value, let fault = type.fault(of: value, isOptional: false) {
      throw self.fault("the default \(fault)", entityName, [name])
    }
    var column = StoredColumn(
      name, type, isOptional: value == nil, defaultValue: value)
    var views: [String: StoredColumn] = [:]
    if entity.parent == nil {
      for view in root.subentities { views[view.modelName] = column }
    } else {
      column.name = "\(entity.name).\(name)"
      for view in root.subentities where schema.isKind(view, of: entity) {
        views[view.modelName] = column
      }
      column.attribute = "\(entity.modelName)$\(name)"
      column.isOptional = true
      column.isInternal = true
    }
    try add(column, to: position, views: views)
  }

  mutating func setOptional(_ name: String, in entity: String, _ isOptional: Bool) throws {
    let location = try self.location(name, of: entity)
    let root = schema.entities[location.root]
    if root.key.contains(where: { root.columns[$0].name == location.name }) {
      throw fault("a primary key is required", entity, [name])
    }
    edit(location) { column, isRoot in
      if !(isRoot && column.isOfSubentities) { column.isOptional = isOptional }
    }
  }

  mutating func setType(_ name: String, in entity: String, _ type: AttributeType) throws {
    edit(try location(name, of: entity)) { column, _ in
      column.type = type
      column.defaultValue = nil
      column.computedDefault = nil
      if type.kind != .string { column.isNormalized = false }
    }
  }

  // MARK: Checks

  func checkTypeChange(
    of name: String, in entity: String, _ failure: MappingFailure
  ) throws {
    let location = try self.location(name, of: entity)
    try checkAssigned(name, in: entity)
    let root = schema.entities[location.root]
    let column = root.column(named: location.name).map { root.columns[$0] }
    if column?.derived != nil { throw fault("it is a derived attribute", entity, [name]) }
    switch failure {
    case .throw, .value: break
    case .null where column?.isOptional == true: break
    case .null: throw fault("it is required and cannot become null", entity, [name])
    case .keepIn(let other):
      guard column?.isOptional == true else {
        throw fault("it is required and cannot become null", entity, [name])
      }
      let retained = try self.location(other, of: entity)
      let type = root.column(named: retained.name).map { root.columns[$0].type }
      if type != column?.type {
        throw fault("it does not have the type of \(name), which it is to keep", entity, [other])
      }
    }
  }

  /// Throws `invalidPlan` for an attribute that a step cannot assign.
  func checkAssigned(_ name: String, in entity: String) throws {
    let location = try self.location(name, of: entity)
    let root = schema.entities[location.root]
    if root.key.contains(where: { root.columns[$0].name == location.name }) {
      throw fault("an attribute of the primary key cannot be changed", entity, [name])
    }
    if root.columns.contains(where: { $0.name == location.name && $0.externalThreshold != nil }) {
      throw fault("an attribute that is stored externally cannot be changed", entity, [name])
    }
  }

  /// Throws `invalidPlan` for a statement of SQL that neither changes rows nor adds to the database.
  ///
  /// Those that end the transaction, act on the connection, or drop and alter tables are refused.
  func checkStatement(_ text: String) throws {
    let words = ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "CREATE", "ANALYZE"]
    let first = text.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
    if !words.contains(first) {
      throw fault("a statement of SQL begins with \(words.joined(separator: ", "))")
    }
  }

  /// Throws `invalidPlan` for an expression or a condition that does not fit an entity.
  func checkFormats(_ value: String?, _ condition: String?, in name: String) throws {
    let entity = try self.entity(name)
    let names = FormatEntity.stored(entity, schema)
    do {
      if let value {
        var parser = try FormatParser(value, for: names)
        _ = try parser.operand()
      }
      if let condition {
        var parser = try FormatParser(condition, for: names)
        _ = try parser.condition()
      }
    } catch let error as StoreError {
      throw fault(error.message, name, error.attributes)
    }
  }
}

extension StoredSchema {
  /// Returns whether an entity of a hierarchy is another, or below it.
  func isKind(_ entity: StoredEntity, of other: StoredEntity) -> Bool {
    var name: String? = entity.modelName
    while let current = name {
      if current == other.modelName { return true }
      name = self.entity(named: current)?.parent
    }
    return false
  }

  /// Changes each entity, views of subentities among them.
  mutating func editEntities(_ change: (inout StoredEntity) -> Void) {
    for position in entities.indices {
      change(&entities[position])
      for view in entities[position].subentities.indices {
        change(&entities[position].subentities[view])
      }
    }
  }

  /// Gives an entity another name in the program, wherever it is named.
  mutating func refer(to name: String, as new: String) {
    editEntities { entity in
      if entity.modelName == name { entity.modelName = new }
      if entity.parent == name { entity.parent = new }
      for position in entity.relationships.indices {
        if entity.relationships[position].target == name {
          entity.relationships[position].target = new
        }
        if entity.relationships[position].through == name {
          entity.relationships[position].through = new
        }
        if case .join(name, let own, let target, let ordering) = entity.relationships[position]
          .storage
        {
          entity.relationships[position].storage = .join(
            entity: new, own: own, target: target, position: ordering)
        }
      }
      for position in entity.templates.indices where entity.templates[position].target == name {
        entity.templates[position].target = new
      }
    }
  }

  /// Gives an attribute of some entities another name, wherever it is named.
  fileprivate mutating func refer(
    toAttribute name: String, of owners: [String], as new: String
  ) {
    func renamed(_ names: [String]) -> [String] { names.map { $0 == name ? new : $0 } }
    func renamed(_ one: String?) -> String? { one == name ? new : one }
    let known = self
    editEntities { entity in
      for position in entity.relationships.indices {
        let relationship = entity.relationships[position]
        switch relationship.storage {
        case .own(let names, let ordering) where owners.contains(entity.modelName):
          entity.relationships[position].storage = .own(renamed(names), position: renamed(ordering))
        case .target(let names, let ordering) where owners.contains(relationship.target):
          entity.relationships[position].storage = .target(
            renamed(names), position: renamed(ordering))
        case .join(let join, let own, let target, let ordering) where owners.contains(join):
          entity.relationships[position].storage = .join(
            entity: join, own: renamed(own), target: renamed(target), position: renamed(ordering))
        default: break
        }
      }
      for position in entity.columns.indices {
        guard let derived = entity.columns[position].derived, derived.attribute == name,
          let target = known.entity(named: entity.modelName)?
            .relationship(named: derived.relationship)?.target, owners.contains(target)
        else { continue }
        entity.columns[position].derived?.attribute = new
      }
    }
  }
}

extension RelationshipDescription.Storage {
  /// Returns whether an attribute of the entity itself holds links.
  func names(_ attribute: String) -> Bool {
    if case .own(let names, let position) = self {
      names.contains(attribute) || position == attribute
    } else {
      false
    }
  }
}
