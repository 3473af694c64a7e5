internal import ORMStorage

/// The location of the links between the rows of two entities, seen from the first.
package enum LinkLocation: Hashable, Sendable {
  /// Columns of the row itself hold the other's key; `position` is stored beside them.
  case here([Int], position: Int?)
  /// Columns of the other row hold this one's key; `position` is stored beside them.
  case there([Int], position: Int?)
  /// Rows of an entity between the two: `here` are its columns with this row's key, `there` those
  /// with the other's.
  case between(StoredEntity, here: [Int], there: [Int])

  /// The same location seen from the other entity.
  package var reversed: LinkLocation {
    switch self {
    case .here(let columns, let position): .there(columns, position: position)
    case .there(let columns, let position): .here(columns, position: position)
    case .between(let entity, let here, let there): .between(entity, here: there, there: here)
    }
  }
}

extension StoredSchema {
  /// Returns the location of a relationship's links, seen from the entity that declares it.
  ///
  /// The result is nil only for a relationship that no checked schema contains.
  package func location(
    of relationship: RelationshipDescription, in entity: StoredEntity
  ) -> LinkLocation? {
    switch relationship.storage {
    case .own(let names, let position):
      return entity.columns(named: names).map { .here($0, position: entity.position(position)) }
    case .target(let names, let position):
      guard let target = self.entity(named: relationship.target) else { return nil }
      return target.columns(named: names).map { .there($0, position: target.position(position)) }
    case .join(let name, let own, let other, position: _):
      guard let join = self.entity(named: name), let here = join.columns(named: own),
        let there = join.columns(named: other)
      else { return nil }
      return .between(join, here: here, there: there)
    case nil: return nil
    }
  }
}

extension StoredEntity {
  /// The columns of attributes; nil when one of them is missing.
  fileprivate func columns(named attributes: [String]) -> [Int]? {
    let columns = attributes.compactMap { column(ofAttribute: $0) }
    return columns.count == attributes.count && !columns.isEmpty ? columns : nil
  }

  fileprivate func position(_ attribute: String?) -> Int? {
    attribute.flatMap { column(ofAttribute: $0) }
  }
}
