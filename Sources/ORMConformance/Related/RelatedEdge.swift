internal import ORMCore

/// One way of a schema from an entity to another, along a relationship: the steps that a lowered
/// condition would take.
struct RelatedEdge: Sendable {
  /// The stored name of the entity that it leads from.
  var from: String
  /// True if it leads to one row at most in any content, by the whole key.
  var isToOne: Bool
  /// The entities on the way, and for each the attributes that equal those of the row before.
  var hops: [Hop]

  /// One entity of the way.
  struct Hop: Sendable {
    var entity: String
    var links: [(attribute: String, before: String)]
  }

  /// Every way of a schema, by the locations of links.
  static func edges(of schema: StoredSchema) -> [RelatedEdge] {
    schema.entities.flatMap { entity in
      entity.relationships.compactMap { edge(of: entity, along: $0, schema) }
    }
  }

  private static func edge(
    of entity: StoredEntity, along relationship: RelationshipDescription, _ schema: StoredSchema
  ) -> RelatedEdge? {
    guard let target = schema.entity(named: relationship.target),
      let storage = relationship.storage
    else { return nil }
    let hops: [Hop]
    switch storage {
    case .own(let attributes, _):
      hops = [Hop(entity: target.name, links: pairs(target.keyAttributes, attributes))]
    case .target(let attributes, _):
      hops = [Hop(entity: target.name, links: pairs(attributes, entity.keyAttributes))]
    case .join(let name, let own, let other, _):
      guard let join = schema.entity(named: name) else { return nil }
      hops = [
        Hop(entity: join.name, links: pairs(own, entity.keyAttributes)),
        Hop(entity: target.name, links: pairs(target.keyAttributes, other)),
      ]
    }
    let isToOne = hops.count == 1 && hops[0].links.map(\.attribute) == target.keyAttributes
    return RelatedEdge(from: entity.name, isToOne: isToOne, hops: hops)
  }

  private static func pairs(_ a: [String], _ b: [String]) -> [(attribute: String, before: String)] {
    zip(a, b).map { (attribute: $0, before: $1) }
  }
}

extension StoredEntity {
  /// The names of the key's attributes, in key order.
  var keyAttributes: [String] { key.map { columns[$0].attribute } }
}
