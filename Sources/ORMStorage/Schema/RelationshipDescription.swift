/// A description of a relationship: a value without the Swift types, stored in the store beside its
/// entity.
///
/// In a checked `Schema` the target, the inverse and the location of the links are worked out.
///
/// ## Where links live
/// 1. A to-one that faces a to-many, or nothing: its key is in columns of its own entity.
/// 2. A one-to-one: in columns of the required end; where neither is required, of the end whose
///    entity's name comes first (by code point), then whose relationship's name does.
/// 3. A to-many without an inverse whose targets have one referrer: in columns of the target that no
///    model sees.
/// 4. A many-to-many, and a to-many without an inverse whose targets are shared: in rows of a join
///    entity, named after the end that comes first as in 2.
///
/// The columns of a to-one are named after it and the key of its target, `team_id`, and those of a
/// one-way to-many after its entity too, `_Team_players_id`. A join entity is named after the entity
/// and the relationship of its first end, `Team_players`. A stored name replaces the
/// relationship's own in all of them.
///
/// Every such column is indexed, so that both directions are read from an index. The positions of
/// an ordered to-many are beside its keys.
public struct RelationshipDescription: Hashable, Codable, Sendable {
  /// The name in the program.
  public var name: String
  /// The name from which the names of its columns and of its join entity in the store are formed; nil
  /// for the name in the program.
  public var storedName: String?
  /// The name of the target's entity in the program.
  public var target: String
  /// True if it leads to many.
  public var isToMany: Bool
  /// The name of the target's relationship back; nil for a one-way relationship.
  public var inverse: String?
  /// The effect on the targets of deleting the object.
  public var deleteRule: DeleteRule
  /// The effect on the object of deleting a target, if no inverse states it.
  public var targetDeleteRule: DeleteRule
  /// True if a to-one must lead somewhere.
  public var isRequired: Bool
  /// True if a to-many keeps the order in which its targets were given.
  public var isOrdered: Bool
  /// True if the targets of a one-way to-many may have several referrers.
  public var isShared: Bool
  /// The number of targets a to-many may have; nil for any number.
  public var count: CountRange?
  /// The entity in the program whose rows are the links of a many-to-many, with attributes of
  /// their own; nil where the store keeps plain links.
  public var through: String?
  /// The location of the links.
  ///
  /// Nil before the schema is built.
  public var storage: Storage?

  /// Makes a description; one-way, nullify, optional, unordered unless said otherwise.
  public init(
    _ name: String, storedName: String? = nil, target: String, isToMany: Bool,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify, targetDeleteRule: DeleteRule = .nullify,
    isRequired: Bool = false, isOrdered: Bool = false, isShared: Bool = false,
    count: CountRange? = nil, through: String? = nil, storage: Storage? = nil
  ) {
    self.name = name
    self.storedName = storedName
    self.target = target
    self.isToMany = isToMany
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.targetDeleteRule = targetDeleteRule
    self.isRequired = isRequired
    self.isOrdered = isOrdered
    self.isShared = isShared
    self.count = count
    self.through = through
    self.storage = storage
  }

  /// The number of targets a to-many may have.
  public struct CountRange: Hashable, Codable, Sendable {
    /// The minimum number of targets.
    public var minimum: Int
    /// The maximum number of targets; nil for any number.
    public var maximum: Int?

    /// Makes a range.
    public init(minimum: Int, maximum: Int?) {
      self.minimum = minimum
      self.maximum = maximum
    }

    /// Returns whether `count` targets are allowed.
    public func contains(_ count: Int) -> Bool { count >= minimum && count <= maximum ?? .max }
  }

  /// The location of the links; attributes by their names in the program, keys in the key's order.
  public enum Storage: Hashable, Codable, Sendable {
    /// Attributes of the entity itself, which hold the target's key; `position` is the attribute with this
    /// object's ordering key in the other end, an ordered to-many.
    case own([String], position: String?)
    /// Attributes of the target, which hold this entity's key.
    case target([String], position: String?)
    /// Rows of an entity between the two, by its name in the program: `own` holds this entity's key, `target`
    /// the other's; `position` is the attribute with the target's ordering key.
    case join(entity: String, own: [String], target: [String], position: String?)
  }
}

extension RelationshipDescription.Storage {
  /// Reads a location in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no location.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    let position: String? = try coded.optional("position")
    switch coded.name {
    case "own": self = .own(try coded.value(), position: position)
    case "target": self = .target(try coded.value(), position: position)
    case "join":
      self = .join(
        entity: try coded.value("entity"), own: try coded.value("own"),
        target: try coded.value("target"), position: position)
    default: throw coded.isUnknown
    }
  }

  /// Encodes the location as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .own(let names, let position):
      try CodedCase.encode("own", parts: ["_0": names, "position": position], to: encoder)
    case .target(let names, let position):
      try CodedCase.encode("target", parts: ["_0": names, "position": position], to: encoder)
    case .join(let entity, let own, let target, let position):
      try CodedCase.encode(
        "join", parts: ["entity": entity, "own": own, "target": target, "position": position],
        to: encoder)
    }
  }
}
