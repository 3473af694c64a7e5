internal import ORMStorage

/// A relationship with the declarations that decide where its links are stored.
///
/// ``RelationshipDescription`` documents the rule.
struct RelationshipContext {
  /// The entity that declares it.
  let entity: EntityDescription
  /// The relationship, its inverse worked out.
  let relationship: RelationshipDescription
  /// The entity it leads to.
  let target: EntityDescription
  /// The target's relationship back.
  let inverse: RelationshipDescription?
  /// The model whose rows are the links.
  let through: EntityDescription?

  /// The storage of the links; nil if the declarations do not determine it.
  var storage: RelationshipDescription.Storage? {
    switch (relationship.isToMany, inverse?.isToMany) {
    case (false, nil): return .own(Self.keys(of: target, after: relationship.name), position: nil)
    case (false, true):
      let keys = Self.keys(of: target, after: relationship.name)
      return .own(
        keys,
        position: inverse.flatMap { $0.isOrdered ? Self.position(target, $0.name) : nil })
    case (false, false):
      guard let inverse else { return nil }
      return isFirst(before: inverse, requirednessCounts: true)
        ? .own(Self.keys(of: target, after: relationship.name), position: nil)
        : .target(Self.keys(of: entity, after: inverse.name), position: nil)
    case (true, false):
      guard let inverse else { return nil }
      return .target(Self.keys(of: entity, after: inverse.name), position: position)
    case (true, nil) where !relationship.isShared && through == nil:
      return .target(
        Self.keys(of: entity, after: "_\(entity.name)_\(relationship.name)"), position: position)
    case (true, _): return join
    }
  }

  private var position: String? {
    relationship.isOrdered ? Self.position(entity, relationship.name) : nil
  }

  /// The attributes that hold a key: a name, and the names of the key's attributes.
  private static func keys(of entity: EntityDescription, after name: String) -> [String] {
    entity.key.map { "\(name)_\($0)" }
  }

  /// The attribute of a target with its ordering key in an owner's to-many.
  private static func position(_ entity: EntityDescription, _ name: String) -> String {
    "_\(entity.name)_\(name)_position"
  }

  private func isFirst(
    before inverse: RelationshipDescription, requirednessCounts: Bool
  ) -> Bool {
    if requirednessCounts, relationship.isRequired != inverse.isRequired {
      return relationship.isRequired
    }
    return (entity.name, relationship.name) < (target.name, inverse.name)
  }

  private var join: RelationshipDescription.Storage? {
    if let through {
      guard let own = Self.link(of: through, to: entity, other: nil),
        let other = Self.link(of: through, to: target, other: own)
      else { return nil }
      return .join(
        entity: through.name, own: Self.keys(of: entity, after: own),
        target: Self.keys(of: target, after: other), position: nil)
    }
    guard let inverse, !isFirst(before: inverse, requirednessCounts: false) else {
      return .join(
        entity: "\(entity.name)_\(relationship.name)",
        own: Self.keys(of: entity, after: entity.name),
        target: Self.keys(of: target, after: relationship.name),
        position: relationship.isOrdered ? "\(relationship.name)_position" : nil)
    }
    return .join(
      entity: "\(target.name)_\(inverse.name)",
      own: Self.keys(of: entity, after: inverse.name),
      target: Self.keys(of: target, after: target.name),
      position: relationship.isOrdered ? "\(relationship.name)_position" : nil)
  }

  /// The to-one of a linking entity that leads to an entity.
  private static func link(
    of through: EntityDescription, to entity: EntityDescription, other: String?
  ) -> String? {
    through.relationships.first {
      !$0.isToMany && $0.name != other && $0.target == entity.name
    }?.name
  }
}
