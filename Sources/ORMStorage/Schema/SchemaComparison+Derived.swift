// Stored derived attributes are right as long as every program that writes maintains them. So the schema
// in the store has the derivation of a column only as long as every program maintains it. A program that
// does not declare it removes it when it opens the store, and for the next one that does the values are
// computed again.

extension SchemaComparison {
  /// Finds the derived attributes whose values must be computed, and takes out of the schema to be stored
  /// those that this program does not maintain.
  mutating func compareDerived() {
    for entity in declared.everyEntity {
      // An entity without rows has nothing to compute.
      guard let held = stored[entity.name] else { continue }
      for column in entity.columns {
        guard let wanted = declared.derivation(of: column, in: entity) else { continue }
        let known = held.column(named: column.name).flatMap {
          stored.derivation(of: held.columns[$0], in: held)
        }
        if known != wanted { changes.derivedColumns.append(.init(entity.name, column.name)) }
      }
    }
    for position in changes.union.entities.indices {
      changes.union.entities[position].forgetDerived(but: declared)
      changes.union.entities[position].subentities =
        changes.union.entities[position].subentities.map { subentity in
          var subentity = subentity
          subentity.forgetDerived(but: declared)
          return subentity
        }
    }
  }
}

/// Everything that decides about the values of a derived attribute.
struct DerivationState: Hashable {
  var aggregate: DerivedValue.Kind
  var target: String
  /// The location of the links that lead to the targets.
  var location: StoredLinkLocation?
  /// The column of the targets that is aggregated, by its name in the store.
  var column: String?
  /// The columns by which targets, and links that are objects, are hidden.
  var hidden: [String?]
  /// The same of the attribute that it is derived of, where that is derived too.
  var source: [DerivationState]
}

extension StoredSchema {
  /// Returns everything that decides the values of a column.
  ///
  /// The result is nil if the values are the program's, or inherited.
  func derivation(
    of column: StoredColumn, in entity: StoredEntity, depth: Int = 0
  ) -> DerivationState? {
    // A schema that was built has no circles; one in a file may have anything.
    guard let value = column.derived, depth < 100,
      let relationship = entity.relationship(named: value.relationship),
      let target = self.entity(named: relationship.target)
    else { return nil }
    var hidden = [target.hidingColumn]
    if case .join(let join, own: _, target: _, position: _) = relationship.storage {
      hidden.append(self.entity(named: join)?.hidingColumn)
    }
    var aggregated: StoredColumn?
    var source: DerivationState?
    if let name = value.attribute {
      let owner = declaring(name, of: target)
      aggregated = owner.column(ofAttribute: name).map { owner.columns[$0] }
      source = aggregated.flatMap { derivation(of: $0, in: owner, depth: depth + 1) }
    }
    return DerivationState(
      aggregate: value.aggregate, target: target.name,
      location: StoredLinkLocation(relationship, of: entity, in: self),
      column: aggregated?.name, hidden: hidden, source: source.map { [$0] } ?? [])
  }
}

extension StoredEntity {
  /// The stored name of the column with the timestamp of a soft delete.
  fileprivate var hidingColumn: String? { columns.first { $0.role == .deletedAt }?.name }

  /// Removes the derivations of all columns, except for those that a schema declares.
  fileprivate mutating func forgetDerived(but schema: StoredSchema) {
    let declared = schema[name]
    for position in columns.indices
    where columns[position].derived != nil && declared?.column(named: columns[position].name) == nil
    {
      columns[position].derived = nil
    }
  }
}
