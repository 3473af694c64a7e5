internal import ORM

/// A mapping as data: the rules of a ``JSONMapping`` by the names of attributes and relationships.
///
/// ```swift
/// let mapping = DynamicMapping(fields: ["name": .init(from: ["title"]), "price": .init(from: ["cost.amount"])])
/// ```
///
/// As JSON: `{"fields": {"name": {"from": ["title"]}, "added": {"as": "milliseconds"}}}`. Attributes that
/// it does not mention have their own names. Rules that have their defaults are left out.
///
/// A `JSONMapping` without closures is coded as this, and `JSONMapping(data)` makes one of it. An
/// import by names uses it without a Swift type.
public struct DynamicMapping: Hashable, Codable, Sendable {
  /// The rules of attributes and embedded structs, by their names.
  public var fields: [String: Field]
  /// The rules of relationships, by their names.
  public var links: [String: Link]
  /// The only properties that take part; nil for all.
  public var only: [String]?
  /// Properties that do not take part.
  public var leaveOut: [String]
  /// Rules that hold for reading alone.
  public var reading: Part
  /// Rules that hold for writing alone.
  public var writing: Part
  /// The treatment of members that nothing is read from.
  public var unknown: UnknownMembers
  /// The strategy that forms names in JSON.
  public var names: Names
  /// The members that the numbers of targets are written to, by the names of to-manys.
  public var counts: [String: String]
  /// The kinds of records that the mapping is for; nil for any.
  public var kind: Kind?
  /// The form of several objects.
  public var list: List
  /// The attribute that the member names of a keyed list are.
  public var keyedBy: String?
  /// True if members of nil are not written.
  public var leavesOutNulls: Bool

  /// Makes a mapping.
  public init(
    fields: [String: Field] = [:], links: [String: Link] = [:], only: [String]? = nil,
    leaveOut: [String] = [], reading: Part = Part(), writing: Part = Part(),
    unknown: UnknownMembers = .ignore, names: Names = .asIs, counts: [String: String] = [:],
    kind: Kind? = nil, list: List = .array, keyedBy: String? = nil, leavesOutNulls: Bool = false
  ) {
    self.fields = fields
    self.links = links
    self.only = only
    self.leaveOut = leaveOut
    self.reading = reading
    self.writing = writing
    self.unknown = unknown
    self.names = names
    self.counts = counts
    self.kind = kind
    self.list = list
    self.keyedBy = keyedBy
    self.leavesOutNulls = leavesOutNulls
  }

  /// Makes the data of a mapping.
  ///
  /// - Throws: `invalidMapping` for a mapping with faults, and for a rule that is made of closures,
  ///   which the message names.
  public init<Model>(_ mapping: JSONMapping<Model>) throws {
    self = try mapping.data()
  }

  /// Rules that hold in one direction.
  public struct Part: Hashable, Sendable {
    /// The rules of attributes, by their names.
    public var fields: [String: Field]
    /// The rules of relationships, by their names.
    public var links: [String: Link]
    /// The only properties that take part; nil for all.
    public var only: [String]?
    /// Properties that do not take part.
    public var leaveOut: [String]

    /// Makes rules.
    public init(
      fields: [String: Field] = [:], links: [String: Link] = [:], only: [String]? = nil,
      leaveOut: [String] = []
    ) {
      self.fields = fields
      self.links = links
      self.only = only
      self.leaveOut = leaveOut
    }
  }

  /// A rule for an attribute.
  public struct Field: Hashable, Sendable {
    /// The paths that it is read from, the first that has a value counts; its name if there are none.
    public var from: [String]
    /// The form of the value; nil for the usual one.
    public var form: JSONForm?
    /// The treatment of null.
    public var onNull: JSONAbsence
    /// The treatment of a missing member.
    public var onAbsent: JSONAbsence

    /// Makes a rule.
    public init(
      from: [String] = [], as form: JSONForm? = nil, onNull: JSONAbsence = .setNil,
      onAbsent: JSONAbsence = .keep
    ) {
      self.from = from
      self.form = form
      self.onNull = onNull
      self.onAbsent = onAbsent
    }

    /// Returns whether two rules are the same; paths are compared by scalars.
    public static func == (a: Field, b: Field) -> Bool {
      a.from.haveSameScalars(as: b.from) && a.form == b.form && a.onNull == b.onNull
        && a.onAbsent == b.onAbsent
    }
  }

  /// A rule for a relationship.
  public struct Link: Hashable, Sendable {
    /// The paths that it is read from; its name if there are none.
    public var from: [String]
    /// The parts of the targets that JSON has.
    public var nesting: Nesting
    /// The form of keys, or of the attribute by which targets are found; nil for the usual one.
    public var form: JSONForm?
    /// The attribute by which targets are found.
    public var by: String?
    /// The order of the listed members of a to-many.
    public var order: JSONListOrder
    /// The treatment of members of a to-many that are not listed.
    public var missing: JSONUnlisted
    /// The mapping of the targets; nil for that of their model.
    public var mapping: DynamicMapping? {
      get { mappings.first }
      set { mappings = newValue.map { [$0] } ?? [] }
    }
    // A mapping holds rules, which may hold mappings: the array stores them out of line.
    private var mappings: [DynamicMapping]

    /// Makes a rule.
    public init(
      from: [String] = [], as nesting: Nesting = .save, form: JSONForm? = nil, by: String? = nil,
      order: JSONListOrder = .asStored, missing: JSONUnlisted = .unlink,
      mapping: DynamicMapping? = nil
    ) {
      self.from = from
      self.nesting = nesting
      self.form = form
      self.by = by
      self.order = order
      self.missing = missing
      mappings = mapping.map { [$0] } ?? []
    }

    /// Returns whether two rules are the same; paths are compared by scalars.
    public static func == (a: Link, b: Link) -> Bool {
      a.from.haveSameScalars(as: b.from) && a.nesting == b.nesting && a.form == b.form
        && a.by == b.by && a.order == b.order && a.missing == b.missing && a.mappings == b.mappings
    }
  }

  /// The parts of targets that JSON has.
  public enum Nesting: String, Hashable, Codable, Sendable {
    /// Objects, which are saved with the object that leads to them.
    case save
    /// Objects, which are saved where no row has their key.
    case saveMissing
    /// Objects of which the key alone is read.
    case link
    /// The value of the attribute `by`, or an object with it.
    case linkBy
    /// The keys of targets.
    case key
  }

  /// A strategy that forms names in JSON.
  public enum Names: String, Hashable, Codable, Sendable {
    /// Names as they are.
    case asIs
    /// `utcOffset` becomes `utc_offset`.
    case snakeCase
  }

  /// The form of several objects in JSON.
  public enum List: String, Hashable, Codable, Sendable {
    /// An array.
    case array
    /// An array, or one object.
    case oneOrMany
    /// An object whose member names are the attribute `keyedBy`.
    case keyed
  }
}

extension DynamicMapping {
  /// Returns whether two mappings are the same; members of JSON are compared by scalars.
  public static func == (a: DynamicMapping, b: DynamicMapping) -> Bool {
    a.fields == b.fields && a.links == b.links && a.only == b.only && a.leaveOut == b.leaveOut
      && a.reading == b.reading && a.writing == b.writing && a.unknown == b.unknown
      && a.names == b.names
      && a.counts.mapValues { ExactText($0) } == b.counts.mapValues { ExactText($0) }
      && a.kind == b.kind && a.list == b.list && a.keyedBy.hasSameScalars(as: b.keyedBy)
      && a.leavesOutNulls == b.leavesOutNulls
  }
}

extension DynamicMapping {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case fields, links, only, leaveOut, reading, writing, unknown, names, counts, kind, list
    case keyedBy, leavesOutNulls
  }

  /// Decodes a mapping; absent members have their defaults, and unknown ones are refused.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys, _ value: Value) throws -> Value {
      try members.decodeIfPresent(Value.self, forKey: key) ?? value
    }
    self.init(
      fields: try value(.fields, [:]), links: try value(.links, [:]),
      only: try members.decodeIfPresent([String].self, forKey: .only),
      leaveOut: try value(.leaveOut, []), reading: try value(.reading, Part()),
      writing: try value(.writing, Part()), unknown: try value(.unknown, .ignore),
      names: try value(.names, .asIs), counts: try value(.counts, [:]),
      kind: try members.decodeIfPresent(Kind.self, forKey: .kind), list: try value(.list, .array),
      keyedBy: try members.decodeIfPresent(String.self, forKey: .keyedBy),
      leavesOutNulls: try value(.leavesOutNulls, false))
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if names != .asIs { try members.encode(names, forKey: .names) }
    if unknown != .ignore { try members.encode(unknown, forKey: .unknown) }
    if !fields.isEmpty { try members.encode(fields, forKey: .fields) }
    if !links.isEmpty { try members.encode(links, forKey: .links) }
    try members.encodeIfPresent(only, forKey: .only)
    if !leaveOut.isEmpty { try members.encode(leaveOut, forKey: .leaveOut) }
    if reading != Part() { try members.encode(reading, forKey: .reading) }
    if writing != Part() { try members.encode(writing, forKey: .writing) }
    if !counts.isEmpty { try members.encode(counts, forKey: .counts) }
    try members.encodeIfPresent(kind, forKey: .kind)
    if list != .array { try members.encode(list, forKey: .list) }
    try members.encodeIfPresent(keyedBy, forKey: .keyedBy)
    if leavesOutNulls { try members.encode(leavesOutNulls, forKey: .leavesOutNulls) }
  }
}

extension DynamicMapping.Part: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case fields, links, only, leaveOut }

  /// Decodes rules; absent members have their defaults.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      fields: try members.decodeIfPresent([String: DynamicMapping.Field].self, forKey: .fields)
        ?? [:],
      links: try members.decodeIfPresent([String: DynamicMapping.Link].self, forKey: .links) ?? [:],
      only: try members.decodeIfPresent([String].self, forKey: .only),
      leaveOut: try members.decodeIfPresent([String].self, forKey: .leaveOut) ?? [])
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if !fields.isEmpty { try members.encode(fields, forKey: .fields) }
    if !links.isEmpty { try members.encode(links, forKey: .links) }
    try members.encodeIfPresent(only, forKey: .only)
    if !leaveOut.isEmpty { try members.encode(leaveOut, forKey: .leaveOut) }
  }
}

extension DynamicMapping.Field: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case from, onNull, onAbsent
    case form = "as"
  }

  /// Decodes a rule; absent members have their defaults.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      from: try members.decodeIfPresent([String].self, forKey: .from) ?? [],
      as: try members.decodeIfPresent(JSONForm.self, forKey: .form),
      onNull: try members.decodeIfPresent(JSONAbsence.self, forKey: .onNull) ?? .setNil,
      onAbsent: try members.decodeIfPresent(JSONAbsence.self, forKey: .onAbsent) ?? .keep)
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if !from.isEmpty { try members.encode(from, forKey: .from) }
    try members.encodeIfPresent(form, forKey: .form)
    if onNull != .setNil { try members.encode(onNull, forKey: .onNull) }
    if onAbsent != .keep { try members.encode(onAbsent, forKey: .onAbsent) }
  }
}

extension DynamicMapping.Link: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case from, form, by, order, missing, mapping
    case nesting = "as"
  }

  /// Decodes a rule; absent members have their defaults.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      from: try members.decodeIfPresent([String].self, forKey: .from) ?? [],
      as: try members.decodeIfPresent(DynamicMapping.Nesting.self, forKey: .nesting) ?? .save,
      form: try members.decodeIfPresent(JSONForm.self, forKey: .form),
      by: try members.decodeIfPresent(String.self, forKey: .by),
      order: try members.decodeIfPresent(JSONListOrder.self, forKey: .order) ?? .asStored,
      missing: try members.decodeIfPresent(JSONUnlisted.self, forKey: .missing) ?? .unlink,
      mapping: try members.decodeIfPresent(DynamicMapping.self, forKey: .mapping))
  }

  /// Encodes the members that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if !from.isEmpty { try members.encode(from, forKey: .from) }
    if nesting != .save { try members.encode(nesting, forKey: .nesting) }
    try members.encodeIfPresent(form, forKey: .form)
    try members.encodeIfPresent(by, forKey: .by)
    if order != .asStored { try members.encode(order, forKey: .order) }
    if missing != .unlink { try members.encode(missing, forKey: .missing) }
    try members.encodeIfPresent(mapping, forKey: .mapping)
  }
}
