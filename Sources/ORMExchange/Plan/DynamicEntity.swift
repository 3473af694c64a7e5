internal import ORM

/// An entity with the to-ones of the entities above that records of a kind have as well.
struct DynamicEntity: Sendable {
  /// The entity, with the attributes that hold keys of those to-ones after its own.
  let description: EntityDescription
  /// The entities that the attributes belong to, its own first.
  let parts: [Part]
  /// The names of relationships of the entities above, and of the attributes with their keys.
  let inherited: Set<String>

  /// The attributes that a record has of one entity.
  struct Part: Sendable {
    let entity: String
    let attributes: [String]
    let relationships: [String]
  }

  var name: String { description.name }

  init(_ entity: EntityDescription) {
    description = entity
    parts = [Part(entity)]
    inherited = []
  }

  /// A kind with the to-ones of the entities above it up to another; nil if that is not above.
  init?(_ name: String, below root: String, in entities: Schema) {
    guard var description = entities[name] else { return nil }
    var parts = [Part(description)]
    var inherited: Set<String> = []
    var next = description.parent
    while let name = next, parts.count <= entities.entities.count, let above = entities[name] {
      var attributes: [String] = []
      for relationship in above.relationships {
        guard let names = relationship.keyAttributes else { continue }
        attributes += names
        description.relationships.append(relationship)
        inherited.formUnion(names + [relationship.name])
      }
      for name in attributes {
        guard let position = above.position(of: name) else { continue }
        description.attributes.append(above.attributes[position])
      }
      if !attributes.isEmpty { parts.append(Part(above, attributes)) }
      if name == root {
        self.description = description
        self.parts = parts
        self.inherited = inherited
        return
      }
      next = above.parent
    }
    return nil
  }

  /// The entity that declares a relationship.
  func owner(of relationship: String) -> String {
    parts.first { $0.relationships.contains(relationship) }?.entity ?? name
  }

  /// Splits a row into those of its entities: its own, and the links that it has of others.
  func split(_ row: DynamicRow) -> (own: DynamicRow, others: [DynamicRow]) {
    let values = row.values
    var own = row
    var others: [DynamicRow] = []
    for part in parts.dropFirst() {
      let links = values.filter { part.attributes.contains($0.key) }
      if links.isEmpty { continue }
      for name in links.keys { own.values[name] = nil }
      var other = DynamicRow(part.entity, links)
      for name in description.key { other[name] = row[name] }
      others.append(other)
    }
    return (own, others)
  }
}

extension RelationshipDescription {
  /// The attributes with the key of the target; nil for a to-many, and where other rows have the keys.
  var keyAttributes: [String]? {
    guard !isToMany, case .own(let names, position: _)? = storage else { return nil }
    return names
  }
}

extension DynamicEntity.Part {
  fileprivate init(_ entity: EntityDescription, _ attributes: [String]? = nil) {
    self.entity = entity.name
    self.attributes = attributes ?? entity.attributes.map(\.name)
    relationships = entity.relationships.map(\.name)
  }
}
