internal import ORMStorage

/// The derived attributes of a schema, worked out once a store.
package final class StoreDerivations: Sendable {
  /// The feeds by the stored name of the entity; only those of entities that derived attributes concern.
  private let feeds: [String: DerivedFeeds]
  /// Every link, those first whose results others are derived of.
  package let links: [DerivedLink]

  init(_ schema: StoredSchema) throws {
    var links: [DerivedLink] = []
    for entity in schema.everyEntity {
      for relationship in entity.relationships where relationship.isToMany {
        if let link = try Self.link(relationship, of: entity, schema) { links.append(link) }
      }
    }
    var feeds: [String: DerivedFeeds] = [:]
    func change(_ entity: StoredEntity, _ body: (inout DerivedFeeds) -> Void) {
      let root = schema.root(of: entity)
      body(&feeds[root.name, default: DerivedFeeds(root)])
    }
    for link in links {
      change(link.owner) { $0.addOwn(link) }
      change(link.target) { $0.addTarget(link, schema) }
      if case .between(let join, here: _, there: _) = link.location {
        change(join) { $0.addEnds(link, schema) }
      }
    }
    self.feeds = feeds
    self.links = Self.ordered(links, schema)
  }

  /// True if nothing is derived.
  package var isEmpty: Bool { links.isEmpty }

  /// The dependencies on the rows of an entity, by its stored name; nil if there are none.
  ///
  /// For a hierarchy, the name is that of its root.
  subscript(entity: String) -> DerivedFeeds? { feeds[entity] }

  private static func link(
    _ relationship: RelationshipDescription, of entity: StoredEntity, _ schema: StoredSchema
  ) throws -> DerivedLink? {
    let columns = entity.columns.indices.filter {
      entity.columns[$0].derived?.relationship == relationship.name
    }
    guard !columns.isEmpty, let target = schema.entity(named: relationship.target),
      let location = schema.location(of: relationship, in: entity)
    else { return nil }
    let attributes = try columns.compactMap { column -> DerivedAttribute? in
      let stored = entity.columns[column]
      guard let derived = stored.derived else { return nil }
      return DerivedAttribute(
        column: column, type: stored.type, value: derived,
        source: derived.attribute.flatMap { target.column(ofAttribute: $0) },
        operand: try derived.operand(in: entity, schema))
    }
    return DerivedLink(owner: entity, target: target, location: location, attributes: attributes)
  }

  /// Links in an order in which each comes after those that it is derived of.
  private static func ordered(
    _ links: [DerivedLink], _ schema: StoredSchema
  ) -> [DerivedLink] {
    var ordered: [DerivedLink] = []
    var rest = links
    while !rest.isEmpty {
      let ready = rest.filter { link in
        !rest.contains { other in
          other !== link
            && schema.root(of: other.owner).name == schema.root(of: link.target).name
            && link.attributes.contains { attribute in
              // Columns have one name in the whole of a hierarchy.
              guard let source = attribute.source else { return false }
              let name = link.target.columns[source].name
              return other.columns.contains { other.owner.columns[$0].name == name }
            }
        }
      }
      // Two to-manys of one pair of entities may wait for each other's attributes: then rebuilding
      // takes another round.
      let next = ready.isEmpty ? rest : ready
      ordered += next
      rest.removeAll { link in next.contains { $0 === link } }
    }
    return ordered
  }
}

extension Store {
  /// The derived attributes of this store.
  package func derivations() throws -> StoreDerivations {
    try runtime.plan(for: StoreDerivations.self) { try StoreDerivations(schema) }
  }
}
