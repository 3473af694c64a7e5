internal import ORMStorage

/// A schema under change, with the name that each of its parts has in the schema before.
///
/// A migration applies its steps to one without data, to learn where they lead; and, when it runs, to
/// one whose ``changes`` it hands to the store.
struct SchemaDraft {
  /// The schema as changed so far.
  private(set) var schema: StoredSchema
  /// The schema before the changes.
  private let base: StoredSchema
  /// The stored names in `base` of entities, by their stored names now.
  private var entityOrigins: [String: String]
  /// The stored names in `base` of columns, by entity and column now.
  private var columnOrigins: [SchemaChanges.Part: String]
  /// The version whose step is applied, for errors.
  var version = 0
  /// The kinds of rows that get another name, since subentities did.
  var renamedKinds: [RenamedKind] = []
  /// The relationships whose links move at the end.
  var linkMoves: [LinkMove] = []

  init(_ schema: StoredSchema) {
    self.schema = schema
    base = schema
    entityOrigins = [:]
    columnOrigins = [:]
    for entity in schema.entities {
      entityOrigins[entity.name] = entity.name
      for column in entity.columns {
        columnOrigins[.init(entity.name, column.name)] = column.name
      }
    }
  }

  /// The error of a step that the schema does not allow.
  func fault(
    _ message: String, _ entity: String? = nil, _ attributes: [String] = []
  ) -> StoreError {
    StoreError(
      .invalidPlan, "version \(version): \(message)", entity: entity, attributes: attributes)
  }

  /// The entity of a name in the program, a subentity among them.
  ///
  /// - Throws: `invalidPlan` if there is none.
  func entity(_ name: String) throws -> StoredEntity {
    guard let entity = schema.entity(named: name) else {
      throw fault("the store has no entity of this name at this version", name)
    }
    return entity
  }

  /// The stored name before the changes of the root that holds an entity; nil for an added one.
  ///
  /// - Throws: `invalidPlan` if there is no such entity.
  func nameBefore(of entity: String) throws -> String? {
    entityOrigins[schema.root(of: try self.entity(entity)).name]
  }

  /// The root and the stored name before the changes of a column; nil for one that was added.
  func origin(of location: ColumnLocation) -> (root: StoredEntity, column: String)? {
    let name = schema.entities[location.root].name
    guard let root = entityOrigins[name].flatMap({ base[$0] }),
      let column = columnOrigins[.init(name, location.name)]
    else { return nil }
    return (root, column)
  }

  /// The attribute of an entity, its position in the root that holds its column.
  ///
  /// - Throws: `invalidPlan` if there is none.
  func location(_ attribute: String, of entity: String) throws -> ColumnLocation {
    let entity = try self.entity(entity)
    guard let column = entity.column(ofAttribute: attribute) else {
      throw fault(
        "the entity has no attribute of this name at this version", entity.modelName, [attribute])
    }
    let root = schema.root(of: entity)
    guard let position = schema.index(of: root.name) else {
      throw fault("the store has no root of this entity", entity.modelName)
    }
    return ColumnLocation(
      root: position, name: entity.columns[column].name,
      owner: schema.declaring(attribute, of: entity).modelName)
  }

  /// A column: the position of the root that holds it, and its stored name.
  struct ColumnLocation {
    var root: Int
    var name: String
    /// The entity that declares the attribute, by its name in the program.
    var owner: String
  }

  /// A subentity that got another stored name, which rows of its root hold.
  struct RenamedKind {
    var root: String
    var from: String
    var to: String
  }

  // MARK: Primitive changes

  /// Changes a column wherever its hierarchy lists it: in the root, and in the views of subentities.
  ///
  /// - Parameter change: called with the column, and with true for the column of the root.
  mutating func edit(_ location: ColumnLocation, _ change: (inout StoredColumn, Bool) -> Void) {
    func edited(_ entity: inout StoredEntity, _ isRoot: Bool) {
      guard let position = entity.column(named: location.name) else { return }
      change(&entity.columns[position], isRoot)
    }
    edited(&schema.entities[location.root], true)
    for position in schema.entities[location.root].subentities.indices {
      edited(&schema.entities[location.root].subentities[position], false)
    }
  }

  /// Gives a column another stored name.
  mutating func rename(_ location: ColumnLocation, to name: String) throws {
    if name == location.name { return }
    let root = schema.entities[location.root]
    if root.column(named: name) != nil {
      throw fault("the store has a column \(name) of this entity already", root.modelName)
    }
    edit(location) { column, _ in column.name = name }
    columnOrigins[.init(root.name, name)] =
      columnOrigins.removeValue(forKey: .init(root.name, location.name))
  }

  /// Gives a root another stored name.
  mutating func renameRoot(at position: Int, to name: String) throws {
    let old = schema.entities[position].name
    if old == name { return }
    if schema.index(of: name) != nil {
      throw fault("the store has an entity \(name) already", name)
    }
    schema.entities[position].name = name
    entityOrigins[name] = entityOrigins.removeValue(forKey: old)
    for column in schema.entities[position].columns {
      columnOrigins[.init(name, column.name)] =
        columnOrigins.removeValue(forKey: .init(old, column.name))
    }
  }

  /// Exchanges the whole schema for one with the same names, of which only descriptions differ.
  mutating func describe(_ change: (inout StoredSchema) throws -> Void) rethrows {
    try change(&schema)
  }

  /// Appends a root.
  mutating func add(_ entity: StoredEntity) throws {
    if schema.index(of: entity.name) != nil || schema.entity(named: entity.modelName) != nil {
      throw fault("the store has an entity of this name already", entity.modelName)
    }
    schema.entities.append(entity)
  }

  /// Appends a column to a root, and to the views that show it.
  mutating func add(_ column: StoredColumn, to position: Int, views: [String: StoredColumn] = [:])
    throws
  {
    let root = schema.entities[position]
    if root.column(named: column.name) != nil || root.column(ofAttribute: column.attribute) != nil {
      throw fault(
        "the entity has an attribute of this name already", root.modelName, [column.attribute])
    }
    schema.entities[position].columns.append(column)
    for index in schema.entities[position].subentities.indices {
      if let view = views[schema.entities[position].subentities[index].modelName] {
        schema.entities[position].subentities[index].columns.append(view)
      }
    }
  }

  /// Removes a root with its rows.
  mutating func removeRoot(at position: Int) {
    let entity = schema.entities.remove(at: position)
    entityOrigins[entity.name] = nil
    for column in entity.columns { columnOrigins[.init(entity.name, column.name)] = nil }
  }

  /// Removes the parts of a migration of many transactions.
  mutating func removeMigration() {
    for position in schema.entities.indices.reversed()
    where MigrationEntity.isPart(schema.entities[position]) {
      removeRoot(at: position)
    }
  }

  /// Removes a column with its values, and the indexes over it.
  mutating func remove(_ location: ColumnLocation) {
    columnOrigins[.init(schema.entities[location.root].name, location.name)] = nil
    schema.entities[location.root].removeColumn(named: location.name)
    for position in schema.entities[location.root].subentities.indices {
      schema.entities[location.root].subentities[position].removeColumn(named: location.name)
    }
  }

  /// Replaces a column by one of the root with another type.
  ///
  /// The views of subentities show the new one.
  mutating func replace(_ location: ColumnLocation, by shadow: String, _ type: AttributeType) {
    guard let old = schema.entities[location.root].column(named: location.name),
      let new = schema.entities[location.root].column(named: shadow)
    else { return }
    let root = schema.entities[location.root]
    var column = root.columns[old]
    column.type = type
    column.defaultValue = nil
    column.computedDefault = nil
    column.isNormalized = column.isNormalized && type.kind == .string
    // The rows are looked through before it becomes required.
    column.isOptional = true
    schema.entities[location.root].columns[new] = column
    schema.entities[location.root].columns[old].name = shadow
    columnOrigins[.init(root.name, location.name)] =
      columnOrigins.removeValue(forKey: .init(root.name, shadow))
    schema.entities[location.root].removeColumn(named: shadow)
    for position in schema.entities[location.root].subentities.indices {
      guard
        let view = schema.entities[location.root].subentities[position].column(named: location.name)
      else { continue }
      schema.entities[location.root].subentities[position].columns[view].type = type
      schema.entities[location.root].subentities[position].columns[view].defaultValue = nil
      schema.entities[location.root].subentities[position].columns[view].computedDefault = nil
    }
  }

  // MARK: Result

  /// The changes from the schema before to this one.
  var changes: SchemaChanges {
    var changes = SchemaChanges(union: schema)
    for entity in schema.entities {
      guard let origin = entityOrigins[entity.name], let before = base[origin] else {
        changes.addedEntities.append(entity.name)
        continue
      }
      if origin != entity.name { changes.renamedEntities[entity.name] = origin }
      compareColumns(before, entity, &changes)
      compareIndexes(before, entity, &changes)
    }
    let retained = Set(entityOrigins.values)
    changes.droppedEntities = base.entities.map(\.name).filter { !retained.contains($0) }
    return changes
  }

  private func compareColumns(
    _ before: StoredEntity, _ entity: StoredEntity, _ changes: inout SchemaChanges
  ) {
    var retained: Set<String> = []
    for column in entity.columns {
      let part = SchemaChanges.Part(entity.name, column.name)
      guard let origin = columnOrigins[part],
        let old = before.column(named: origin).map({ before.columns[$0] })
      else {
        changes.addedColumns.append(part)
        continue
      }
      retained.insert(origin)
      if origin != column.name { changes.renamedColumns[part] = origin }
      if old.isOptional != column.isOptional || old.isNormalized != column.isNormalized
        || old.defaultValue != column.defaultValue
        || old.computedDefault != column.computedDefault
      {
        changes.alteredColumns.append(part)
      }
    }
    changes.droppedColumns += before.columns.filter { !retained.contains($0.name) }.map {
      .init(entity.name, $0.name)
    }
  }

  private func compareIndexes(
    _ before: StoredEntity, _ entity: StoredEntity, _ changes: inout SchemaChanges
  ) {
    var rest = before.indexes
    for index in entity.indexes {
      let part = SchemaChanges.Part(entity.name, index.name)
      func isSame(_ old: StoredIndex) -> Bool {
        old.isUnique == index.isUnique && old.terms.count == index.terms.count
          && zip(old.terms, index.terms).allSatisfy { old, new in
            let name = entity.columns[new.column].name
            return old.form == new.form && old.isDescending == new.isDescending
              && columnOrigins[.init(entity.name, name)] == before.columns[old.column].name
          }
      }
      let found =
        rest.firstIndex { $0.name == index.name && isSame($0) } ?? rest.firstIndex(where: isSame)
      guard let found else {
        changes.addedIndexes.append(part)
        continue
      }
      let old = rest.remove(at: found)
      if old.name != index.name { changes.renamedIndexes[part] = old.name }
    }
    changes.droppedIndexes += rest.map { .init(entity.name, $0.name) }
  }
}

extension StoredEntity {
  /// Removes a column; positions in the key and in indexes follow, and indexes over it go.
  fileprivate mutating func removeColumn(named name: String) {
    guard let removed = column(named: name) else { return }
    columns.remove(at: removed)
    key = key.filter { $0 != removed }.map { $0 > removed ? $0 - 1 : $0 }
    indexes.removeAll { index in index.terms.contains { $0.column == removed } }
    for index in indexes.indices {
      for term in indexes[index].terms.indices where indexes[index].terms[term].column > removed {
        indexes[index].terms[term].column -= 1
      }
    }
  }
}
