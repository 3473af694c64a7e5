public import ORMStorage

extension EntityPart {
  /// A link to one object or none: `.relationship("team", \.team, inverse: \Team.players)`.
  ///
  /// ```swift
  /// static let team: EntityPart<Player> = .relationship("team", \.team, required: true)
  /// ```
  ///
  /// The inverse may be declared on either side or on both. Without one on either side the
  /// relationship is one-way, and `targetDeleted` is the rule for deletions of the target.
  ///
  /// - Parameters:
  ///   - name: the relationship's name.
  ///   - path: the property.
  ///   - inverse: the to-many or to-one of the target that leads back.
  ///   - delete: the rule for the target when this object is deleted.
  ///   - targetDeleted: the rule for this object when the target is deleted, where there is no inverse.
  ///   - required: whether there must always be a target.
  ///   - storedName: another beginning of the names in the store: `club_id` for `club`.
  @inlinable
  public static func relationship<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, required: Bool = false, storedName: String? = nil
  ) -> EntityPart {
    EntityPart().toOne(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: false, deleteRule: delete,
        targetDeleteRule: targetDeleted, isRequired: required),
      path, inverse, ToOneWork())
  }

  /// A link to one object or none, after the parts so far.
  @inlinable
  public func relationship<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, required: Bool = false, storedName: String? = nil
  ) -> EntityPart {
    toOne(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: false, deleteRule: delete,
        targetDeleteRule: targetDeleted, isRequired: required),
      path, inverse, ToOneWork())
  }

  /// A to-one whose target's key is part of the primary key: `.key("student", \.student)`.
  ///
  /// The model's `id` is computed from its to-ones. The key's attributes are those that hold the keys
  /// of the to-ones, `student_id`, in the order of the declarations. Such a to-one is required.
  ///
  /// ```swift
  /// struct Enrolment: PrimaryKeyed, Codable {
  ///   struct ID: CompositeKey {
  ///     var player: Player.ID?
  ///     var team: Team.ID?
  ///   }
  ///   var player: ToOne<Player>
  ///   var team: ToOne<Team>
  ///   var id: ID {
  ///     get { ID(player: player.id, team: team.id) }
  ///     set {
  ///       player.setKey(newValue.player)
  ///       team.setKey(newValue.team)
  ///     }
  ///   }
  ///   static let entity = Entity<Enrolment>("Enrolment") {
  ///     .key("player", \.player, id: \.id.player)
  ///     .key("team", \.team, id: \.id.team)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the relationship's name.
  ///   - path: the property.
  ///   - inverse: the to-many or to-one of the target that leads back. It cannot have the delete
  ///     rule `nullify`.
  ///   - delete: the rule for the target when this object is deleted.
  ///   - targetDeleted: the rule for this object when the target is deleted, where there is no inverse.
  ///   - storedName: another beginning of the names in the store.
  ///   - id: the part of `\.id` that is the target's key, for conditions and orders.
  @inlinable
  public static func key<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .cascade, storedName: String? = nil,
    id: AttributePath<Model, Target.ID?>
  ) -> EntityPart {
    EntityPart().key(
      name, path, inverse: inverse, delete: delete, targetDeleted: targetDeleted,
      storedName: storedName, id: id)
  }

  /// A to-one whose target's key is part of the primary key, without a path to that part of `id`.
  ///
  /// Conditions name it by the to-one alone: `$0.player.id`.
  @inlinable
  public static func key<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .cascade, storedName: String? = nil
  ) -> EntityPart {
    EntityPart().key(
      name, path, inverse: inverse, delete: delete, targetDeleted: targetDeleted,
      storedName: storedName)
  }

  /// A to-one whose target's key is part of the primary key, after the parts so far.
  @inlinable
  public func key<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .cascade, storedName: String? = nil,
    id: AttributePath<Model, Target.ID?>
  ) -> EntityPart {
    toOne(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: false, deleteRule: delete,
        targetDeleteRule: targetDeleted, isRequired: true),
      path, inverse, ToOneWork()
    ).linkedKey(name, id: id)
  }

  /// A to-one whose target's key is part of the primary key, after the parts so far.
  @inlinable
  public func key<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .cascade, storedName: String? = nil
  ) -> EntityPart {
    toOne(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: false, deleteRule: delete,
        targetDeleteRule: targetDeleted, isRequired: true),
      path, inverse, ToOneWork()
    ).linkedKey(name, id: nil)
  }

  /// The parts so far, the to-one of this name part of the primary key.
  @usableFromInline
  func linkedKey(_ name: String, id: (any AnyKeyPath & Sendable)?) -> EntityPart {
    EntityPart(items: items + [.linkedKey(name, id: id)])
  }

  @usableFromInline
  func toOne<Target: PrimaryKeyed>(
    _ declaration: RelationshipDescription, _ path: WritableAttributePath<Model, ToOne<Target>>,
    _ inverse: (any PartialKeyPath<Target> & Sendable)?, _ work: ToOneWork<Model, Target>
  ) -> EntityPart {
    EntityPart(
      items: items + [
        .relationship(
          ToOneEnd(
            declaration: declaration, slot: LinkSlot(path), work: work, inversePath: inverse))
      ])
  }
}

extension EntityPart where Model: PrimaryKeyed {
  /// Links to many objects: `.relationship("players", \.players, inverse: \Player.team, delete: .cascade,
  /// count: 0...25)`.
  ///
  /// ```swift
  /// static let players: EntityPart<Team> =
  ///   .relationship("players", \.players, inverse: \Player.team, delete: .cascade)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the relationship's name.
  ///   - path: the property.
  ///   - inverse: the to-one or to-many of the target that leads back.
  ///   - delete: the rule for the target when this object is deleted.
  ///   - targetDeleted: the rule for this object when a target is deleted, where there is no inverse.
  ///   - count: how many there may be.
  ///   - ordered: true if the order of the given targets is stored.
  ///   - shared: of a one-way relationship, whether a target may have several referrers.
  ///   - through: the model whose rows are the links of a many-to-many, with attributes of their
  ///     own; it has a to-one to either side, and these are its key.
  ///   - storedName: another name in those of the columns or of the join entity that hold the links.
  @inlinable
  public static func relationship<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToMany<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, count: (any CountRange)? = nil, ordered: Bool = false,
    shared: Bool = false, through: (any Persistable.Type)? = nil, storedName: String? = nil
  ) -> EntityPart {
    EntityPart().toMany(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: true, deleteRule: delete,
        targetDeleteRule: targetDeleted, isOrdered: ordered, isShared: shared,
        count: count.map { $0.range }),
      path, inverse, through, ToManyWork())
  }

  /// Returns a closure that gives a model's declaration later: its type may not be initialized yet.
  private static func declaration<Through: Persistable>(
    of model: Through.Type
  ) -> @Sendable () -> EntityDescription {
    { Through.entity.declaredWithTargets }
  }

  /// Links to many objects, after the parts so far.
  @inlinable
  public func relationship<Target: PrimaryKeyed>(
    _ name: String, _ path: WritableAttributePath<Model, ToMany<Target>>,
    inverse: (any PartialKeyPath<Target> & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, count: (any CountRange)? = nil, ordered: Bool = false,
    shared: Bool = false, through: (any Persistable.Type)? = nil, storedName: String? = nil
  ) -> EntityPart {
    toMany(
      RelationshipDescription(
        name, storedName: storedName, target: "", isToMany: true, deleteRule: delete,
        targetDeleteRule: targetDeleted, isOrdered: ordered, isShared: shared,
        count: count.map { $0.range }),
      path, inverse, through, ToManyWork())
  }

  @usableFromInline
  func toMany<Target: PrimaryKeyed>(
    _ declaration: RelationshipDescription, _ path: WritableAttributePath<Model, ToMany<Target>>,
    _ inverse: (any PartialKeyPath<Target> & Sendable)?, _ through: (any Persistable.Type)?,
    _ work: ToManyWork<Model, Target>
  ) -> EntityPart {
    EntityPart(
      items: items + [
        .relationship(
          ToManyEnd(
            declaration: declaration, slot: LinkSlot(path), work: work, inversePath: inverse,
            through: through.map { Self.declaration(of: $0) }))
      ])
  }
}

/// A range of counts: `0...25`, `1...`, `...25`.
public protocol CountRange: Sendable {
  /// The range as descriptions keep it.
  var range: RelationshipDescription.CountRange { get }
}

extension ClosedRange: CountRange where Bound == Int {
  /// The counts from the lower to the upper bound.
  public var range: RelationshipDescription.CountRange {
    .init(minimum: lowerBound, maximum: upperBound)
  }
}

extension PartialRangeFrom: CountRange where Bound == Int {
  /// The counts from the bound on.
  public var range: RelationshipDescription.CountRange {
    .init(minimum: lowerBound, maximum: nil)
  }
}

extension PartialRangeThrough: CountRange where Bound == Int {
  /// Up to the bound.
  public var range: RelationshipDescription.CountRange {
    .init(minimum: 0, maximum: upperBound)
  }
}
