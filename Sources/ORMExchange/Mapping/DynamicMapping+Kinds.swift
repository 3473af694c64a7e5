internal import ORM

extension DynamicMapping {
  /// The kinds of records that a mapping is for.
  ///
  /// ```swift
  /// let kind = DynamicMapping.Kind(
  ///   in: "type", entities: [.init("Car", ["car", "coupe"]), .init("Truck", ["truck"])])
  /// ```
  ///
  /// As JSON: `{"in": "type", "entities": [{"entity": "Car", "kinds": ["car", "coupe"]}]}`, or
  /// `{"in": "type", "kinds": ["car"]}` for records of one kind.
  public struct Kind: Hashable, Sendable {
    /// The path of the member that names the kind.
    public var member: String
    /// The texts that stand for the entity, the first of which is written, if records are of one kind.
    public var kinds: [String]
    /// The entities that records are; empty if they are of one kind.
    public var entities: [KindEntity]
    /// The treatment of any other record.
    public var otherwise: JSONUnknownKind

    /// Makes a rule for records of one kind.
    public init(in member: String, _ kinds: [String], otherwise: JSONUnknownKind = .refuse) {
      self.member = member
      self.kinds = kinds
      self.otherwise = otherwise
      entities = []
    }

    /// Makes a rule for records of several kinds.
    public init(
      in member: String, entities: [KindEntity], otherwise: JSONUnknownKind = .refuse
    ) {
      self.member = member
      self.entities = entities
      self.otherwise = otherwise
      kinds = []
    }

    /// Returns whether two rules are the same; the member and the words are compared by scalars.
    public static func == (a: Kind, b: Kind) -> Bool {
      a.member.hasSameScalars(as: b.member) && a.kinds.haveSameScalars(as: b.kinds)
        && a.entities == b.entities && a.otherwise == b.otherwise
    }
  }

  /// An entity whose records a mapping of several kinds reads and writes.
  public struct KindEntity: Hashable, Sendable {
    /// The name of the entity: a subentity of the mapping's own, or that itself.
    public var name: String
    /// The texts that stand for it; the first is written.
    public var kinds: [String]
    /// The mapping of its attributes and own relationships; nil for the rules of the mapping that
    /// names it.
    public var mapping: DynamicMapping?

    /// Makes an entity of a rule.
    public init(_ name: String, _ kinds: [String], mapping: DynamicMapping? = nil) {
      self.name = name
      self.kinds = kinds
      self.mapping = mapping
    }

    /// Returns whether two entities are named by the same words, compared by scalars, and mapped alike.
    public static func == (a: KindEntity, b: KindEntity) -> Bool {
      a.name == b.name && a.kinds.haveSameScalars(as: b.kinds) && a.mapping == b.mapping
    }
  }
}

extension DynamicMapping.Kind: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case kinds, entities, otherwise
    case member = "in"
  }

  /// Decodes a rule, which has either `kinds` or `entities`.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let member = try members.decode(String.self, forKey: .member)
    let otherwise =
      try members.decodeIfPresent(JSONUnknownKind.self, forKey: .otherwise) ?? .refuse
    guard members.contains(.entities) else {
      self.init(
        in: member, try members.decode([String].self, forKey: .kinds), otherwise: otherwise)
      return
    }
    if members.contains(.kinds) {
      throw DecodingError.dataCorruptedError(
        forKey: .kinds, in: members,
        debugDescription: "a kind has either kinds or entities, and not both")
    }
    self.init(
      in: member, entities: try members.decode([DynamicMapping.KindEntity].self, forKey: .entities),
      otherwise: otherwise)
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(member, forKey: .member)
    if entities.isEmpty {
      try members.encode(kinds, forKey: .kinds)
    } else {
      try members.encode(entities, forKey: .entities)
    }
    if otherwise != .refuse { try members.encode(otherwise, forKey: .otherwise) }
  }
}

extension DynamicMapping.KindEntity: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case kinds, mapping
    case name = "entity"
  }

  /// Decodes an entity; the mapping may be absent.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode(String.self, forKey: .name),
      try members.decode([String].self, forKey: .kinds),
      mapping: try members.decodeIfPresent(DynamicMapping.self, forKey: .mapping))
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encode(kinds, forKey: .kinds)
    try members.encodeIfPresent(mapping, forKey: .mapping)
  }
}

extension KindRule {
  /// Makes the rule of data.
  init(_ kind: DynamicMapping.Kind) {
    if kind.entities.isEmpty {
      self.init(member: kind.member, kinds: kind.kinds, otherwise: kind.otherwise)
    } else {
      let pairs = kind.entities.flatMap { entity in
        entity.kinds.map { (text: $0, model: KindReference.name(entity.name)) }
      }
      self.init(member: kind.member, pairs, otherwise: kind.otherwise)
    }
  }
}
