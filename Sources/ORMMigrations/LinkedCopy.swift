internal import ORMRows
internal import ORMStorage

/// A fold: the target of a to-one, whose attributes become attributes of the entity that leads there.
struct EntityFold: Codable, Sendable {
  var link: String
  var entity: String
  var prefix: String
  /// The attributes that are taken; nil for all.
  var names: [String]?
}

/// An attribute that moves from one end of a to-one to the other.
struct AttributeMove: Codable, Sendable {
  var name: String
  var from: String
  var to: String
  var link: String
}

/// Columns that are copied along a to-one, from its target to the rows that lead there or back.
struct LinkedCopy {
  /// The entity that has the to-one, and its target, by their names in the program.
  let owner: String
  let target: String
  let link: String
  /// The attributes of the owner that hold the target's key, and those of that key.
  let linkNames: [String]
  let keyNames: [String]
  /// The columns, and the names of their copies.
  let columns: [(old: StoredColumn, new: String)]
  /// True if values go from the owner to the target.
  let isToTarget: Bool
  /// True if the target is dropped afterwards.
  let isFold: Bool

  /// The entity that gets the copies.
  var receiver: String { isToTarget ? target : owner }
  /// The entity whose columns are copied.
  var giver: String { isToTarget ? owner : target }

  /// A name that no program can give, for a to-many from the target to the rows that lead there.
  private var back: String { "\(link)$owners" }

  /// The schema with the to-many that ``run(in:)`` asks for.
  func extended(_ schema: StoredSchema) -> StoredSchema {
    var schema = schema
    for position in schema.entities.indices where schema.entities[position].modelName == target {
      schema.entities[position].relationships.append(
        RelationshipDescription(
          back, target: owner, isToMany: true, storage: .target(linkNames, position: nil)))
    }
    return schema
  }

  /// Copies the values; any that would be lost stops it.
  func run(in tx: WriteTransaction) throws {
    if isToTarget { try copyToTarget(in: tx) } else { try copyToOwners(in: tx) }
    for (old, new) in columns where !old.isOptional {
      let isNil = Condition.compare(.attribute(new), .equal, .value(.null), [])
      try tx.expectNone(
        DynamicQuery(receiver, where: isNil), .missingValue, "the value is nil", [new])
    }
  }

  private var isLinked: Condition {
    .all(linkNames.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
  }

  /// True for rows of the giver with a value.
  private var hasValue: Condition {
    .any(columns.map { .compare(.attribute($0.old.attribute), .notEqual, .value(.null), []) })
  }

  private func copyToOwners(in tx: WriteTransaction) throws {
    let isAlone = Condition.not(.some(Elements(.init([back]), scope: 1), .constant(true)))
    try tx.expectNone(
      DynamicQuery(target, where: .all([hasValue, isAlone])), .validationFailed,
      "no row of \(owner) leads to it, and its values would be lost; delete it in a step before",
      columns.map(\.old.attribute))
    if columns.isEmpty { return }
    var values: [String: Operand] = [:]
    for (old, new) in columns { values[new] = .path(.init([link, old.attribute])) }
    try tx.updateInParts(DynamicQuery(owner, where: isLinked, deleted: .included), values)
  }

  private func copyToTarget(in tx: WriteTransaction) throws {
    try tx.expectNone(
      DynamicQuery(owner, where: .all([hasValue, .not(isLinked)])), .validationFailed,
      "\(link) leads to no row of \(target), and the value would be lost",
      columns.map(\.old.attribute))
    let entity = try EntityPlan(owner, in: tx.store).entity
    let other = try EntityPlan(target, in: tx.store).entity
    // Rows of one target are compared across batches.
    (tx.store as? MigrationStore)?.parts?.mayPause = false
    var last: (key: [StoredValue], values: [StoredValue])?
    try tx.migrationBatches(of: entity, where: isLinked, orderedBy: linkNames) { rows in
      var copies: [DynamicRow] = []
      for row in rows {
        let key = linkNames.map { row[$0] }
        let values = columns.map { row[$0.old.attribute] }
        if let last, zip(last.key, key).allSatisfy(StoredValue.equals) {
          guard StoredValue.array(last.values).isIdentical(to: .array(values)) else {
            throw StoreError(
              .conflictingLinks,
              "rows of \(owner) that lead to it have different values; make them equal in a step "
                + "before", entity: target, key: key, attributes: columns.map(\.new))
          }
          continue
        }
        last = (key, values)
        var copy = DynamicRow(target)
        for (name, value) in zip(keyNames, key) { copy[name] = value }
        for (column, value) in zip(columns, values) { copy[column.new] = value }
        copies.append(copy)
      }
      try tx.rewrite(copies, of: other)
    }
  }
}

extension SchemaDraft {
  /// Finds the columns that a fold copies, and their location.
  ///
  /// - Throws: `invalidPlan` if more than the attributes of the target would be lost.
  func copy(of fold: EntityFold) throws -> LinkedCopy {
    let relationship = try linkToOne(fold.link, of: fold.entity)
    let target = try entity(relationship.target)
    let isOther = schema.everyEntity.contains { entity in
      entity.relationships.contains { other in
        if entity.modelName == fold.entity, other.name == fold.link { return false }
        if entity.modelName == target.modelName, other.name == relationship.inverse { return false }
        return entity.modelName == target.modelName || other.target == target.modelName
          || other.through == target.modelName
      }
    }
    if isOther {
      throw fault(
        "it has other relationships; drop or move them in a step before", target.modelName)
    }
    let names =
      fold.names
      ?? target.columns.indices.filter { position in
        !target.columns[position].isInternal
          && !(target.key.contains(position) && target.generatesKeys)
      }.map { target.columns[$0].attribute }
    return try copy(names, relationship, fold.entity, prefix: fold.prefix, isFold: true)
  }

  /// Finds the columns that a move of an attribute copies, and their location.
  ///
  /// - Throws: `invalidPlan` if no to-one leads from one entity to the other.
  func copy(of move: AttributeMove) throws -> LinkedCopy {
    let isToTarget = try entity(move.from).relationship(named: move.link)?.target == move.to
    let owner = isToTarget ? move.from : move.to
    let relationship = try linkToOne(move.link, of: owner)
    guard relationship.target == (isToTarget ? move.to : move.from) else {
      throw fault("it does not lead to \(isToTarget ? move.to : move.from)", owner, [move.link])
    }
    let attributes = try entity(move.from).columns.map(\.attribute).filter {
      $0 == move.name || $0.hasPrefix("\(move.name).")
    }
    if attributes.isEmpty { _ = try location(move.name, of: move.from) }
    return try copy(attributes, relationship, owner, isToTarget: isToTarget)
  }

  /// The relationship, if it is a to-one whose links are in a row of its own entity.
  private func linkToOne(
    _ name: String, of entity: String
  ) throws -> RelationshipDescription {
    let relationship = try self.relationship(name, of: entity)
    guard !relationship.isToMany, case .own = relationship.storage else {
      throw fault("it is no to-one whose links are stored with the entity", entity, [name])
    }
    return relationship
  }

  private func copy(
    _ names: [String], _ relationship: RelationshipDescription, _ owner: String,
    prefix: String = "", isToTarget: Bool = false, isFold: Bool = false
  ) throws -> LinkedCopy {
    let target = try entity(relationship.target)
    let giver = try entity(isToTarget ? owner : relationship.target)
    guard try entity(owner).parent == nil, target.parent == nil, target.subentities.isEmpty,
      !isToTarget || giver.subentities.isEmpty, case .own(let linkNames, _) = relationship.storage
    else {
      throw fault("attributes of subentities cannot move", owner, [relationship.name])
    }
    let columns = try names.map { name in
      let location = try self.location(name, of: giver.modelName)
      guard let column = giver.column(named: location.name).map({ giver.columns[$0] }),
        column.externalThreshold == nil, column.derived == nil, !column.isInternal,
        !giver.relationships.contains(where: { $0.storage?.names(name) == true })
      else {
        throw fault(
          "attributes that are derived, stored externally or hold links cannot move",
          giver.modelName, [name])
      }
      if !isFold { try checkAssigned(name, in: giver.modelName) }
      return (old: column, new: prefix + name)
    }
    return LinkedCopy(
      owner: owner, target: relationship.target, link: relationship.name, linkNames: linkNames,
      keyNames: target.keyAttributes, columns: columns, isToTarget: isToTarget, isFold: isFold)
  }

  /// Adds the columns that are to be filled; they are optional until they are.
  mutating func addColumns(of copy: LinkedCopy) throws {
    let receiver = try entity(copy.receiver)
    guard let position = schema.index(of: receiver.name) else { return }
    for (old, new) in copy.columns {
      if receiver.relationship(named: new) != nil || receiver.column(ofAttribute: new) != nil {
        throw fault("there is a property of this name already", copy.receiver, [new])
      }
      var column = old
      column.name = new
      column.attribute = new
      column.isOptional = true
      column.defaultValue = nil
      column.computedDefault = nil
      column.role = nil
      let views = receiver.subentities.map { ($0.modelName, column) }
      try add(column, to: position, views: Dictionary(views) { first, _ in first })
    }
  }

  /// Drops the columns that were copied, and describes the copies as those were.
  mutating func finish(_ copy: LinkedCopy) throws {
    for (old, new) in copy.columns {
      if !old.isOptional { try setOptional(new, in: copy.receiver, false) }
      edit(try location(new, of: copy.receiver)) { column, _ in
        column.defaultValue = old.defaultValue
        column.computedDefault = old.computedDefault
      }
    }
    if copy.isFold {
      try dropRelationship(copy.link, in: copy.owner)
      try dropEntity(copy.target)
    } else {
      for column in copy.columns { remove(try location(column.old.attribute, of: copy.giver)) }
    }
  }
}
