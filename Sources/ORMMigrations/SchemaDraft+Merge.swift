internal import ORMStorage

/// A merge: entities whose rows become rows of another.
struct EntityMerge: Codable, Sendable {
  var entities: [String]
  var into: String
  var matching: [String]
}

extension SchemaDraft {
  /// Merges entities one after another, and their rows by the passes.
  mutating func merge(_ merge: EntityMerge, _ pass: Pass) throws {
    var rest = merge.entities.filter { $0 != merge.into }
    guard Set(rest).count == rest.count else {
      throw fault("a merge names each entity once", merge.into)
    }
    if schema.entity(named: merge.into) == nil, let first = rest.first {
      try renameEntity(first, to: merge.into)
      rest.removeFirst()
    }
    if rest.isEmpty { throw fault("a merge takes two entities or more", merge.into) }
    for entity in rest { try self.merge(entity, merge.into, merge.matching, pass) }
  }

  private mutating func merge(
    _ name: String, _ into: String, _ matching: [String], _ pass: Pass
  ) throws {
    let (source, target) = (try entity(name), try entity(into))
    for entity in [source, target] where entity.parent != nil || !entity.subentities.isEmpty {
      throw fault("an entity of a hierarchy cannot be merged", entity.modelName)
    }
    try checkIsNoLink(source)
    try checkMatching(matching, source, target)
    let isByKey = !matching.isEmpty && Set(matching) == Set(target.keyAttributes)
    let hasSameKey = source.keyTypes == target.keyTypes
    guard hasSameKey || target.generatesKeys && !isByKey else {
      throw fault("\(into) has another primary key; change it in a step before", name)
    }
    var transfer = RowTransfer(
      source: name, target: into, matching: matching,
      makesKeys: target.generatesKeys && !isByKey,
      keys: matching.isEmpty && !target.generatesKeys || isByKey
        ? target.keyAttributes : target.keyAttributes.map { "\($0)$merged" })
    try moveKeys(transfer, isIndexed: !matching.isEmpty && !isByKey, pass)
    transfer.columns = try addColumns(of: entity(name), to: into, besides: transfer.keys)
    try pass(&self) { tx in try transfer.copyRows(in: tx) }
    try moveRelationships(of: name, to: into)
    if let position = schema.index(of: source.name) { removeRoot(at: position) }
    describe { schema in
      schema.refer(to: name, as: into)
      schema.editEntities { $0.indexes.removeAll { $0.name.hasSuffix("$merged") } }
    }
  }

  /// Writes the keys that rows are to have, and changes the links to them.
  mutating func moveKeys(_ transfer: RowTransfer, isIndexed: Bool, _ pass: Pass) throws {
    let (source, target) = (try entity(transfer.source), try entity(transfer.target))
    if transfer.keys == target.keyAttributes { return }
    let types = target.key.map { target.columns[$0].type }
    if let position = schema.index(of: source.name) {
      for (name, type) in zip(transfer.keys, types) {
        try add(StoredColumn(name, type, isOptional: true), to: position)
      }
    }
    // They find the rows that match, and those of one entity that do not differ.
    if isIndexed {
      for entity in [source, target] {
        let terms = transfer.matching.compactMap { entity.column(ofAttribute: $0) }
        describe { schema in
          guard let position = schema.index(of: entity.name) else { return }
          schema.entities[position].indexes.append(
            StoredIndex("\(entity.name)$merged", terms.map { .init($0) }, isUnique: true))
        }
      }
    }
    try pass(&self) { tx in try transfer.assignKeys(in: tx) }
    var change = KeyChange(
      old: try entity(transfer.source), key: transfer.keys, names: target.keyAttributes,
      types: types)
    try addLinks(to: &change)
    try changeLinks(by: change, pass)
  }

  /// Throws `invalidPlan` for attributes by which rows of two entities cannot be compared.
  private func checkMatching(
    _ names: [String], _ source: StoredEntity, _ target: StoredEntity
  ) throws {
    for name in names {
      let columns = try [source, target].map { entity in
        guard let column = entity.column(ofAttribute: name) else {
          throw fault("the entity has no attribute of this name", entity.modelName, [name])
        }
        return entity.columns[column]
      }
      let type = columns[0].type
      guard type == columns[1].type, type.isScalar, type.kind != .double,
        columns.allSatisfy({ $0.externalThreshold == nil })
      else {
        throw fault(
          "rows are matched by attributes of one type, and not by floating-point numbers",
          source.modelName, [name])
      }
    }
  }

  /// Throws `invalidPlan` for an entity whose rows are links of others.
  func checkIsNoLink(_ entity: StoredEntity) throws {
    for other in schema.everyEntity {
      for relationship in other.relationships where relationship.through == entity.modelName {
        throw fault(
          "its rows are the links of \(other.modelName).\(relationship.name)", entity.modelName)
      }
    }
  }

  /// Adds the columns that the target of a merge lacks, and returns the pairs of attributes.
  ///
  /// An attribute that not both have becomes optional, unless it has a constant default.
  private mutating func addColumns(
    of source: StoredEntity, to into: String, besides keys: [String]
  ) throws -> [(from: String, to: String)] {
    let target = try entity(into)
    guard let position = schema.index(of: target.name) else { return [] }
    var pairs: [(from: String, to: String)] = []
    for (index, column) in source.columns.enumerated() where !keys.contains(column.attribute) {
      let name = column.attribute
      if source.key.contains(index), source.generatesKeys || target.keyAttributes.contains(name) {
        continue
      }
      try checkMoves(column, of: source)
      if column.derived != nil { continue }
      pairs.append((name, name))
      if let other = target.column(ofAttribute: name).map({ target.columns[$0] }) {
        if other.type != column.type || other.externalThreshold != nil {
          throw fault("it is of another type in \(into)", source.modelName, [name])
        }
        let isKey = target.keyAttributes.contains(name)
        if column.isOptional, !isKey { try setOptional(name, in: into, true) }
      } else {
        if target.relationship(named: name) != nil {
          throw fault("there is a relationship of this name", into, [name])
        }
        var added = column
        added.name = name
        added.isOptional = true
        added.defaultValue = nil
        added.computedDefault = nil
        added.role = nil
        try add(added, to: position)
      }
    }
    for column in target.columns where source.column(ofAttribute: column.attribute) == nil {
      let isKey = target.keyAttributes.contains(column.attribute)
      if !isKey, !column.isOptional, column.defaultValue == nil {
        try setOptional(column.attribute, in: into, true)
      }
    }
    return pairs
  }

  /// Throws `invalidPlan` for a column whose values cannot move to another entity.
  func checkMoves(_ column: StoredColumn, of entity: StoredEntity) throws {
    if column.externalThreshold != nil {
      throw fault(
        "an attribute that is stored externally cannot move", entity.modelName, [column.attribute])
    }
  }

  /// Gives the relationships of an entity to another.
  ///
  /// One that the other has too stays, if both store their links in the same attributes; the inverse
  /// of the former ends.
  ///
  /// - Parameter isInherited: true if the entity becomes a subentity of the other: the relationships
  ///   that only it has stay with it.
  mutating func moveRelationships(
    of name: String, to into: String, isInherited: Bool = false
  ) throws {
    let (source, target) = (try entity(name), try entity(into))
    var moved: [RelationshipDescription] = []
    var ended: [RelationshipDescription] = []
    for relationship in source.relationships {
      guard let other = target.relationship(named: relationship.name) else {
        if target.column(ofAttribute: relationship.name) != nil {
          throw fault("there is an attribute of this name", into, [relationship.name])
        }
        moved.append(relationship)
        continue
      }
      guard case .own = relationship.storage, other.storage == relationship.storage,
        other.target == relationship.target
      else {
        throw fault(
          "both have a relationship of this name, and store its links in other ways; rename one in a "
            + "step before", into, [relationship.name])
      }
      if relationship.inverse != other.inverse { ended.append(relationship) }
    }
    describe { schema in
      schema.editEntities { entity in
        if entity.modelName == into, !isInherited { entity.relationships += moved }
        if entity.modelName == name { entity.relationships = moved }
        for relationship in ended where entity.modelName == relationship.target {
          entity.relationships.removeAll { $0.name == relationship.inverse }
        }
      }
    }
  }
}

extension StoredEntity {
  /// The attributes of the key with their types.
  var keyTypes: [String: AttributeType] {
    Dictionary(key.map { (columns[$0].attribute, columns[$0].type) }) { first, _ in first }
  }
}
