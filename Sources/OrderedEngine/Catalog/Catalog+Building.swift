internal import ORMStorage

/// An index that is being built beside writers: these keep it, and readers do not use it yet.
struct IndexInBuilding: Codable, Hashable, Sendable {
  /// The index, by positions of the entity's columns.
  var index: StoredIndex
  /// The keyspace of its entries, which is that of the finished index.
  var entries: Keyspace
  /// The keyspace of the state of the work, of sorted runs and of marks (``IndexWork``).
  var work: Keyspace
}

extension IndexInBuilding {
  /// Returns whether an entity declares the index as it is being built over the columns of
  /// `stored`.
  func isDeclared(by entity: StoredEntity, _ stored: StoredEntity) -> Bool {
    guard var wanted = entity.indexes.first(where: { $0.name == index.name }) else { return false }
    for term in wanted.terms.indices {
      let name = entity.columns[wanted.terms[term].column].name
      guard let column = stored.column(named: name) else { return false }
      wanted.terms[term].column = column
    }
    return wanted == index
  }
}

/// Indexes that are being built.
///
/// While there is one, the store has a format that programs refuse which would not keep it.
extension Catalog {
  /// The version of the format that this code reads at most: that of a store with an index in building.
  static let newestFormat = 4

  /// The indexes that are being built, with their entities, by stored names.
  var partsInBuilding: [SchemaChanges.Part] {
    zip(schema.entities, keyspaces).flatMap { entity, keyspaces in
      (keyspaces.building ?? []).map { SchemaChanges.Part(entity.name, $0.index.name) }
    }
  }

  /// The index in building of a part, and the position of its entity; nil if it is not being built.
  func building(_ part: SchemaChanges.Part) -> (entity: Int, index: IndexInBuilding)? {
    guard let entity = schema.index(of: part.entity),
      let index = keyspaces[entity].building?.first(where: { $0.index.name == part.name })
    else { return nil }
    return (entity, index)
  }

  /// Begins to build an index of an entity.
  mutating func begin(_ index: StoredIndex, ofEntityAt position: Int) -> IndexInBuilding {
    var unused = Array(unusedKeyspaces.reversed())
    let entries = unused.popLast() ?? takeKeyspace()
    let work = unused.popLast() ?? takeKeyspace()
    let building = IndexInBuilding(index: index, entries: entries, work: work)
    keyspaces[position].building = (keyspaces[position].building ?? []) + [building]
    noteFormat()
    return building
  }

  /// Takes an index out of those that are being built, and returns it; as one of the entity's own if
  /// it is finished.
  @discardableResult
  mutating func end(_ part: SchemaChanges.Part, isFinished: Bool) -> IndexInBuilding? {
    guard let (entity, index) = building(part) else { return nil }
    let rest = (keyspaces[entity].building ?? []).filter { $0 != index }
    keyspaces[entity].building = rest.isEmpty ? nil : rest
    if isFinished {
      schema.entities[entity].indexes.append(index.index)
      keyspaces[entity].indexes.append(index.entries)
    }
    noteFormat()
    return index
  }

  /// Sets the format by whether an index is being built.
  mutating func noteFormat() {
    let isBuilding = keyspaces.contains { $0.building != nil }
    if isBuilding, formatBefore == nil {
      formatBefore = format
      format = Self.newestFormat
    } else if !isBuilding, let former = formatBefore {
      format = former
      formatBefore = nil
    }
  }
}
