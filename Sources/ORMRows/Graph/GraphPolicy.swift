internal import ORMStorage

/// The effect of a save's merge policy on every row of its graph (clause 5.4).
///
/// With `.only` the attributes are those of the saved model: other objects are inserted where they
/// are new, and left as they are where they are stored.
package struct GraphPolicy {
  package enum Kind {
    case replace
    case skippingNil
    /// The named attributes and relationships of the saved model's entity.
    case only(Set<String>)
    case insertOnly
  }

  let kind: Kind
  /// The entity of the objects that were given.
  let root: String

  /// The policy of a save of objects of an entity.
  package init(_ kind: Kind, root: String) {
    self.kind = kind
    self.root = root
  }

  /// The policy of operations that have none to choose.
  package static func replacing(_ entity: StoredEntity) -> GraphPolicy {
    GraphPolicy(.replace, root: entity.modelName)
  }

  /// Returns whether links of a relationship are followed.
  package func follows(_ relationship: String, of entity: String) -> Bool {
    guard case .only(let names) = kind, entity == root else { return true }
    return names.contains(relationship)
  }

  /// True if objects replace stored rows and links.
  package var isReplacing: Bool { if case .replace = kind { true } else { false } }

  /// True if a to-one that was set to nil keeps its stored target.
  var keepsNil: Bool { if case .skippingNil = kind { true } else { false } }

  /// True if rows that exist are left alone.
  var isInsertOnly: Bool { if case .insertOnly = kind { true } else { false } }

  /// The columns of a stored row that are written; nil for all, empty for none.
  ///
  /// Those of a to-one are among them where it is named.
  func updatedColumns(of entity: StoredEntity) -> [Int]? {
    switch kind {
    case .replace, .skippingNil: nil
    case .insertOnly: []
    case .only(let names): entity.modelName == root ? columns(names, entity) : []
    }
  }

  /// The attributes of a new row that are written; nil for all.
  func insertedColumns(of entity: StoredEntity) -> [Int]? {
    guard case .only(let names) = kind, entity.modelName == root else { return nil }
    return columns(names, entity)
  }

  /// The columns of attributes, and those that hold the keys of to-ones.
  private func columns(_ names: Set<String>, _ entity: StoredEntity) -> [Int] {
    var names = names
    for relationship in entity.relationships where names.contains(relationship.name) {
      guard case .own(let keys, let position)? = relationship.storage else { continue }
      names.formUnion(keys)
      if let position { names.insert(position) }
    }
    return entity.columns.indices.filter { names.contains(entity.columns[$0].attribute) }
  }
}
