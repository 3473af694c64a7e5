/// The finder of the prefetch that would replace many requests of one shape.
struct PrefetchRemedy {
  private let schema: StoredSchema

  init(_ schema: StoredSchema) { self.schema = schema }

  /// Returns the remedy for a loop that sends requests of a shape.
  ///
  /// - Parameter earlier: the entities that the block read before, the rows of the loop among them.
  func remedy(for shape: FetchShape, after earlier: [String]) -> String {
    let paths = paths(to: shape, after: earlier)
    guard let first = paths.first else {
      return "ask once for all of them: `find` with an array of keys, or a condition with `in`"
    }
    let others = paths.dropFirst().map { "`\($0)`" }
    let text = "fetch the rows with `\(first)`"
    return others.isEmpty ? text : text + ", or " + others.joined(separator: ", or ")
  }

  /// The calls of `prefetch` whose rows the shape asks for, those of entities that were read first.
  private func paths(to shape: FetchShape, after earlier: [String]) -> [String] {
    guard let entity = schema[shape.entity] else { return [] }
    let attributes = Set(entity.comparedAttributes(of: shape.condition, takesLists: true))
    guard !attributes.isEmpty else { return [] }
    let key = Set(entity.key.map { entity.columns[$0].attribute })
    var found: [(owner: String, name: String)] = []
    for owner in schema.entities {
      for relationship in owner.relationships {
        if leads(relationship, of: owner, to: entity, by: attributes, key: key) {
          found.append((owner.modelName, relationship.name))
        }
      }
    }
    let known = found.filter { earlier.contains($0.owner) }
    return (known.isEmpty ? found : known).prefix(3).map {
      "\($0.owner).all.prefetch(\\.\($0.name))"
    }
  }

  /// Returns whether the rows that a relationship leads to are those with these attributes.
  private func leads(
    _ relationship: RelationshipDescription, of owner: StoredEntity, to entity: StoredEntity,
    by attributes: Set<String>, key: Set<String>
  ) -> Bool {
    let isTarget = relationship.target == entity.modelName
    switch relationship.storage {
    case .own: return isTarget && attributes == key
    case .target(let columns, _): return isTarget && attributes == Set(columns)
    case .join(let join, let own, _, _):
      return join == entity.modelName && attributes == Set(own)
    case nil: return false
    }
  }
}

extension FetchShape {
  /// Returns whether the shape asks for rows of an entity by the whole key.
  package func looksUpKey(of entity: StoredEntity) -> Bool {
    let attributes = entity.comparedAttributes(of: condition, takesLists: false)
    return attributes.count == entity.key.count
      && entity.key.allSatisfy { attributes.contains(entity.columns[$0].attribute) }
  }
}

extension StoredEntity {
  /// The attributes that a condition compares with values, beside the term that hides soft-deleted rows;
  /// none if it does anything else.
  fileprivate func comparedAttributes(of condition: Condition, takesLists: Bool) -> [String] {
    guard let seen = self.condition(seeing: .hidden), case .all(let parts) = condition else {
      return condition.comparedAttributes(takesLists: takesLists)
    }
    return Condition.all(parts.filter { $0 != seen }).comparedAttributes(takesLists: takesLists)
  }
}

extension Condition {
  /// The attributes that a condition compares with values; none if it does anything else.
  fileprivate func comparedAttributes(takesLists: Bool) -> [String] {
    switch self {
    case .all(let parts):
      let attributes = parts.map { $0.comparedAttributes(takesLists: takesLists) }
      return attributes.contains([]) ? [] : attributes.flatMap { $0 }
    case .compare(let operand, .equal, .parameter, _), .compare(.parameter, .equal, let operand, _):
      return [operand.attributeName].compactMap { $0 }
    case .isIn(let operand, list: .parameterList, _) where takesLists:
      return [operand.attributeName].compactMap { $0 }
    default: return []
    }
  }
}

extension Operand {
  /// The name of an attribute of the request's own row; nil for other operands.
  fileprivate var attributeName: String? {
    guard case .path(let path) = self, path.scope == 0, path.names.count == 1 else { return nil }
    return path.names[0]
  }
}
