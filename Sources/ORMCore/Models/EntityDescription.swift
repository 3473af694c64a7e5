public import ORMStorage

/// A description of an entity, apart from its Swift type: a value that can be printed and stored.
public struct EntityDescription: Hashable, Codable, Sendable {
  /// The entity's name in the program.
  public var name: String
  /// The name in the store, where it was overridden; else the schema's naming strategy decides.
  public var storedName: String?
  /// The attributes in declared order, those of the key among them.
  public var attributes: [AttributeDescription]
  /// The names of the key's attributes, in key order; empty for a hidden key.
  public var key: [String]
  /// The source of the keys of new rows.
  public var keySource: StoredEntity.KeySource
  /// The indexes and unique rules, those of single attributes among them.
  public var indexes: [IndexDescription]
  /// The relationships in declared order.
  public var relationships: [RelationshipDescription]
  /// The named queries, fetched properties among them.
  public var templates: [QueryTemplate]
  /// The rules that every row must satisfy, in declared order.
  public var rules: [ValidationRule]
  /// The name of the entity that this one is a subentity of; nil for one without a parent.
  public var parent: String?

  /// Makes a description.
  public init(
    name: String, storedName: String? = nil, attributes: [AttributeDescription] = [],
    key: [String] = [], keySource: StoredEntity.KeySource = .program,
    indexes: [IndexDescription] = [], relationships: [RelationshipDescription] = [],
    templates: [QueryTemplate] = [], rules: [ValidationRule] = [], parent: String? = nil
  ) {
    self.name = name
    self.storedName = storedName
    self.attributes = attributes
    self.key = key
    self.keySource = keySource
    self.indexes = indexes
    self.relationships = relationships
    self.templates = templates
    self.rules = rules
    self.parent = parent
  }

  /// The relationship with this name.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationships.first { $0.name == name }
  }

  /// The names of all attributes of an embedded struct, the mark of its presence first; nil for a
  /// name that is no struct's.
  package func names(inStruct name: String) -> [String]? {
    let inside = attributes.map(\.name).filter { $0.lies(in: name) }
    if inside.isEmpty { return nil }
    return position(of: name) == nil ? inside : [name] + inside
  }

  /// The position of the attribute with this name.
  public func position(of attribute: String) -> Int? {
    attributes.firstIndex { $0.name == attribute }
  }
}

/// A description of an attribute.
public struct AttributeDescription: Hashable, Codable, Sendable {
  /// The name in the program.
  public var name: String
  /// The name in the store, where it was overridden.
  public var storedName: String?
  /// The declared type.
  public var type: AttributeType
  /// True if nil may be stored.
  public var isOptional: Bool
  /// The source of the value that is stored if none is given; nil if there is no default.
  public var defaultValue: DefaultValue?
  /// True if text is stored in Unicode's NFC.
  public var isNormalized: Bool
  /// The role in which the operations maintain the attribute; nil if it is the program's alone.
  public var role: ManagedRole?
  /// The derivation that the operations maintain; nil if a program sets the attribute.
  public var derived: DerivedValue?
  /// The number of bytes above which data is stored beside the rows; nil if it is always in them.
  public var externalThreshold: Int?
  /// The raw value whose case is read for one that has none.
  public var fallback: StoredValue?

  /// Makes a description.
  public init(
    _ name: String, _ type: AttributeType, storedName: String? = nil, isOptional: Bool = false,
    defaultValue: DefaultValue? = nil, isNormalized: Bool = false, role: ManagedRole? = nil,
    derived: DerivedValue? = nil, externalThreshold: Int? = nil,
    fallback: StoredValue? = nil
  ) {
    self.fallback = fallback
    self.name = name
    self.storedName = storedName
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isNormalized = isNormalized
    self.role = role
    self.derived = derived
    self.externalThreshold = externalThreshold
  }

  /// The source of the value that is stored if none is given.
  public enum DefaultValue: Hashable, Codable, Sendable {
    /// This value.
    case value(StoredValue)
    /// The timestamp of the insert.
    case now
    /// A new random UUID.
    case uuid
  }
}

/// An index or a unique rule of an entity, by attribute names.
public struct IndexDescription: Hashable, Codable, Sendable {
  /// The indexed attributes, in order.
  public var terms: [Term]
  /// True if no two rows may agree in all terms.
  public var isUnique: Bool

  /// Makes a description.
  public init(_ terms: [Term], isUnique: Bool = false) {
    self.terms = terms
    self.isUnique = isUnique
  }

  /// One attribute of an index.
  ///
  /// A literal is an ascending attribute.
  public struct Term: Hashable, Codable, Sendable, ExpressibleByStringLiteral {
    /// The attribute's name.
    public var attribute: String
    /// True if from the greatest to the least.
    public var isDescending: Bool
    /// The form in which the attribute is indexed.
    public var form: StoredIndex.Form

    /// Makes a term.
    public init(
      _ attribute: String, isDescending: Bool = false, form: StoredIndex.Form = .value
    ) {
      self.attribute = attribute
      self.isDescending = isDescending
      self.form = form
    }

    /// An ascending attribute.
    public init(stringLiteral value: String) { self.init(value) }

    /// A descending attribute: `.index("team", .descending("score"))`.
    public static func descending(_ attribute: String) -> Term {
      Term(attribute, isDescending: true)
    }

    /// A text attribute after case folding.
    public static func caseInsensitive(_ attribute: String) -> Term {
      Term(attribute, form: .caseFolded)
    }
  }
}
