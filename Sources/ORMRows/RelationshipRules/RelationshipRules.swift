internal import ORMStorage

/// The rules that a schema's relationships impose on its rows, computed once per store.
///
/// Engines have no foreign keys. The operations enforce these rules on every path that writes.
package final class RelationshipRules: Sendable {
  /// The rules by the entity's name in the program; only those of entities that relationships concern.
  private let rules: [String: EntityRules]
  /// The counts by entity and relationship.
  private let counted: [String: [String: CountRule]]
  /// The names of both ends of each join entity that core manages.
  private let ends: [String: Set<String>]
  /// The entities whose rows may prevent a delete, by the rule deny of some relationship.
  private let denying: Set<String>

  init(_ schema: StoredSchema) {
    var builder = Builder(schema: schema)
    for entity in schema.everyEntity {
      for relationship in entity.relationships { builder.add(relationship, of: entity) }
    }
    rules = builder.rules
    counted = builder.counted
    ends = builder.ends
    denying = Set(
      builder.rules.values.flatMap(\.links).filter { $0.rule == .deny }.map(\.other.modelName))
  }

  /// The rules of an entity; without any where no relationship concerns it.
  ///
  /// Returns the delete rules of an entity; those of a hierarchy belong to its root, for rows of
  /// every kind.
  package func of(_ entity: StoredEntity) -> EntityRules {
    rules[entity.modelName] ?? EntityRules(entity)
  }

  /// Returns whether the rows that a cascade reaches by a link can be deleted without being read, by the
  /// key that they hold: deleting them changes no others, and no rule depends on them.
  package func endsCascade(_ link: DeleteLink) -> Bool {
    guard link.rule == .cascade, case .there = link.location, link.other.deletedAt == nil else {
      return false
    }
    return of(link.other).isDeletedAlone && !denying.contains(link.other.modelName)
  }

  /// The count of a relationship; nil where it has none.
  package func count(of relationship: String, in entity: StoredEntity) -> CountRule? {
    counted[entity.modelName]?[relationship]
  }

  /// The models whose links are the rows of an entity that core keeps; nil for other entities.
  package func ends(of entity: StoredEntity) -> Set<String>? { ends[entity.modelName] }
}

extension Store {
  /// Returns the rules that the relationships of this store impose on its rows.
  package func relationshipRules() throws -> RelationshipRules {
    try runtime.plan(for: RelationshipRules.self) { RelationshipRules(schema) }
  }
}

private struct Builder {
  let schema: StoredSchema
  var rules: [String: EntityRules] = [:]
  var counted: [String: [String: CountRule]] = [:]
  var ends: [String: Set<String>] = [:]

  mutating func add(_ relationship: RelationshipDescription, of entity: StoredEntity) {
    guard let target = schema.entity(named: relationship.target),
      let location = schema.location(of: relationship, in: entity)
    else { return }
    if case .here(let columns, let position) = location {
      let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
      let link = TargetLink(
        relationship: relationship.name, columns: columns, position: position, target: target,
        isOne: inverse?.isToMany == false)
      change(entity) { $0.targets.append(link) }
    }
    if case .between(let join, here: _, there: _) = location, join.isInternal {
      ends[join.modelName] = [entity.modelName, target.modelName]
    }
    func link(_ rule: DeleteRule, isOthers: Bool) -> DeleteLink {
      DeleteLink(
        rule: rule, location: isOthers ? location.reversed : location,
        other: isOthers ? entity : target,
        entity: entity.modelName, relationship: relationship.name, isOthers: isOthers)
    }
    add(link(relationship.deleteRule, isOthers: false), of: entity)
    if relationship.inverse == nil {
      add(link(relationship.targetDeleteRule, isOthers: true), of: target)
    }
    addCount(of: relationship, location, of: entity, target)
  }

  private mutating func change(_ entity: StoredEntity, _ body: (inout EntityRules) -> Void) {
    body(&rules[entity.modelName, default: EntityRules(entity)])
  }

  /// Adds the effect of one relationship on deletes of an entity's rows.
  private mutating func add(_ link: DeleteLink, of deleted: StoredEntity) {
    var links: [DeleteLink] = []
    switch (link.rule, link.location) {
    case (.noAction, _), (.nullify, .here): break
    case (.nullify, .there(let columns, position: _)):
      if isGoverned(columns, of: link.other, by: deleted) { break }
      // A part of a key cannot be cleared in a row: the row is deleted.
      let isKey = columns.contains { link.other.key.contains($0) }
      links.append(isKey ? link.with(.cascade) : link)
    case (_, .between(let join, let here, there: _)):
      if link.rule != .nullify || join.isInternal { links.append(link) }
      if !join.isInternal {
        // The links are objects of a model, and go by their own rules.
        links.append(link.with(.cascade, .there(here, position: nil), to: join))
      }
    default: links.append(link)
    }
    let rooted = links.map { schema.rooted($0, seenFrom: deleted) }
    change(schema.root(of: deleted)) { rules in
      for link in rooted where !rules.links.contains(link) { rules.links.append(link) }
    }
  }

  /// Returns whether a many-to-many through an entity decides about its rows when one end is deleted, so
  /// that the to-one of the rows need not.
  private func isGoverned(
    _ columns: [Int], of through: StoredEntity, by end: StoredEntity
  ) -> Bool {
    schema.everyEntity.contains { entity in
      entity.relationships.contains { relationship in
        guard relationship.through == through.modelName,
          case .between(_, let own, let other) = schema.location(of: relationship, in: entity)
        else { return false }
        return entity.modelName == end.modelName && own == columns
          || relationship.inverse == nil && relationship.target == end.modelName
            && other == columns
      }
    }
  }

  private mutating func addCount(
    of relationship: RelationshipDescription, _ location: LinkLocation, of entity: StoredEntity,
    _ target: StoredEntity
  ) {
    guard relationship.isToMany, let range = relationship.count else { return }
    let rule = CountRule(
      owner: entity, relationship: relationship.name, range: range, target: target,
      location: location)
    counted[entity.modelName, default: [:]][relationship.name] = rule
    change(entity) { $0.ownCounts.append(rule) }
    if range.minimum > 0 { change(entity) { $0.minimums.append(rule) } }
    switch location {
    case .here: break
    case .there(let columns, position: _):
      change(target) { $0.counts.append(CountLink(rule: rule, columns: columns)) }
      if target.parent != nil {
        let columns = schema.rooted(columns, of: target)
        change(schema.root(of: target)) {
          $0.counts.append(CountLink(rule: rule, columns: columns))
        }
      }
    case .between(let join, let own, there: _):
      change(target) { $0.counts.append(CountLink(rule: rule, columns: [])) }
      if target.parent != nil {
        change(schema.root(of: target)) { $0.counts.append(CountLink(rule: rule, columns: [])) }
      }
      if !join.isInternal {
        change(join) { $0.counts.append(CountLink(rule: rule, columns: own)) }
      }
    }
  }
}
