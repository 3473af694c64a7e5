internal import ORMStorage

/// An entity after a change of the schema, with its columns and indexes before it.
struct EntityPairing {
  /// The entity afterwards.
  let entity: StoredEntity
  /// The entity before.
  let before: StoredEntity
  /// The former position of each column; nil for one that is added.
  let columns: [Int?]
  private let changes: SchemaChanges

  /// Pairs by the names that the changes give; `schemaMismatch` where these do not fit.
  init(_ entity: StoredEntity, _ before: StoredEntity, _ changes: SchemaChanges) throws {
    self.entity = entity
    self.before = before
    self.changes = changes
    columns = try entity.columns.map { column in
      guard let name = changes.nameBefore(ofColumn: column.name, in: entity.name) else {
        return nil
      }
      guard let position = before.column(named: name),
        before.columns[position].type == column.type
      else { throw SchemaChanges.unknown("attribute \(name)", entity) }
      return position
    }
    let held = columns.compactMap { $0 }
    guard Set(held).count == held.count, entity.key.allSatisfy(columns.indices.contains),
      entity.key.map({ columns[$0] }) == before.key.map(Optional.some)
    else { throw SchemaChanges.unknown("primary key", entity) }
  }

  /// True if columns that stay come in another order than before, or after added ones.
  var movesColumns: Bool {
    let held = columns.compactMap { $0 }
    return columns.prefix(held.count).contains(nil) || !zip(held, held.dropFirst()).allSatisfy(<)
  }

  /// The positions before of the columns that are dropped.
  var dropped: [Int] {
    before.columns.indices.filter { !columns.contains($0) }
  }

  /// Returns whether an index that is being built can stay as it is: every column before is where it
  /// was, and no other index has its name.
  func keepsEntries(of index: StoredIndex) -> Bool {
    let count = before.columns.count
    return columns.count >= count && columns[..<count].elementsEqual((0..<count).map(Optional.some))
      && !entity.indexes.contains { $0.name == index.name }
      && index.terms.allSatisfy {
        before.columns[$0.column].isOptional == entity.columns[$0.column].isOptional
      }
  }

  /// Returns the position before of the index whose entries an index has; nil where they have to be
  /// built.
  ///
  /// An entry holds a byte for nil of a term that is optional, and no positions.
  func indexWithSameEntries(_ index: StoredIndex) -> Int? {
    guard let name = changes.nameBefore(ofIndex: index.name, in: entity.name),
      let position = before.indexes.firstIndex(where: { $0.name == name })
    else { return nil }
    let held = before.indexes[position]
    guard held.isUnique == index.isUnique, held.terms.count == index.terms.count else {
      return nil
    }
    for (old, new) in zip(held.terms, index.terms) {
      var moved = new
      guard let source = columns[new.column] else { return nil }
      moved.column = source
      guard moved == old,
        before.columns[source].isOptional == entity.columns[new.column].isOptional
      else { return nil }
    }
    return position
  }
}
