public import FoundationEssentials
public import ORMValues

/// A schema as stores see it: plain entities, columns and indexes, with relationships already
/// lowered to columns and join entities.
///
/// It is a value: Codable, printable, stored in the store itself.
public struct StoredSchema: Hashable, Codable, Sendable {
  /// The entities, in the order of declaration.
  ///
  /// Their names are unique.
  public var entities: [StoredEntity]
  /// The version that the program gives its schema; nil for a program that counts none.
  public var version: Int?
  /// The migrations that the store went through, the newest last; nil in a schema that a program
  /// declares, and in a store without one.
  public var migrations: [AppliedMigration]?
  /// The least version of a program that may read the store; nil for ``version`` itself.
  public var minimumReader: Int?
  /// The least version of a program that may write to the store; nil for ``version`` itself.
  public var minimumWriter: Int?
  /// The earlier names of parts that the last migration renamed, for programs of older versions; nil for
  /// none, and in a schema that a program declares.
  public var aliases: [SchemaAlias]?

  /// Makes a schema of entities whose names must be unique.
  public init(entities: [StoredEntity], version: Int? = nil) {
    self.entities = entities
    self.version = version
  }

  /// The entity with this name in the program, a subentity among them.
  public func entity(named modelName: String) -> StoredEntity? {
    entities.first { $0.modelName == modelName } ?? subentity { $0.modelName == modelName }
  }

  /// The position of the entity with this stored name.
  public func index(of name: String) -> Int? {
    entities.firstIndex { $0.name == name }
  }

  /// The entity with this stored name, a subentity among them.
  public subscript(name: String) -> StoredEntity? {
    entities.first { $0.name == name } ?? subentity { $0.name == name }
  }
}

/// One entity as stores see it: a table of columns with one primary key.
public struct StoredEntity: Hashable, Codable, Sendable {
  /// The name in the store.
  public var name: String
  /// The name in the program; the same unless overridden or changed by a naming strategy.
  public var modelName: String
  /// The columns, in declared order: column `i` of every whole row is `columns[i]`.
  public var columns: [StoredColumn]
  /// Positions of the primary key's columns, in key order; never empty.
  public var key: [Int]
  /// The source of primary keys.
  public var keySource: KeySource
  /// The indexes and unique rules beside the primary key.
  public var indexes: [StoredIndex]
  /// The descriptions of the relationships, which core keeps; stores have no part in them.
  public var relationships: [RelationshipDescription]
  /// The named queries; stores have no part in them.
  public var templates: [QueryTemplate]
  /// The rules that every row satisfies; stores have no part in them.
  public var rules: [ValidationRule]
  /// True if the rows are links that core keeps, and no program's objects.
  public var isInternal: Bool
  /// The name in the program of the entity that this one is a subentity of.
  public package(set) var parent: String?
  /// See ``subentities``.
  var nested: [StoredEntity]?

  /// Makes an entity; `key` and the terms of `indexes` are positions in `columns`.
  public init(
    name: String, modelName: String? = nil, columns: [StoredColumn], key: [Int],
    keySource: KeySource = .program, indexes: [StoredIndex] = [],
    relationships: [RelationshipDescription] = [], templates: [QueryTemplate] = [],
    rules: [ValidationRule] = [], isInternal: Bool = false
  ) {
    self.name = name
    self.modelName = modelName ?? name
    self.columns = columns
    self.key = key
    self.keySource = keySource
    self.indexes = indexes
    self.relationships = relationships
    self.templates = templates
    self.rules = rules
    self.isInternal = isInternal
  }

  /// The relationship with this name.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationships.first { $0.name == name }
  }

  /// The number of columns a model of the entity writes: those that core keeps come after them.
  ///
  /// A hidden key counts; in a file that gained attributes later it may be anywhere.
  public var modelColumnCount: Int {
    columns.firstIndex(where: \.isInternal) ?? columns.count
  }

  /// The source of an entity's primary keys.
  public enum KeySource: String, Hashable, Codable, Sendable {
    /// The program sets every key.
    case program
    /// One `int64` column; 0 stands for "not given yet", and the store gives one more than the
    /// greatest key ever committed.
    case generated
    /// A generated key in a last column that no model sees.
    case hidden
    /// The program's, with random UUIDs (version 4) made above the seam where none is given.
    case uuidV4
    /// The program's, with time-ordered UUIDs (version 7) made above the seam.
    case uuidV7
  }

  /// True if the store makes integer keys for this entity.
  public var generatesKeys: Bool { keySource == .generated || keySource == .hidden }

  /// The position of the column with this stored name.
  public func column(named name: String) -> Int? {
    columns.firstIndex { $0.name == name }
  }

  /// The position of the column of this attribute, by its model name.
  public func column(ofAttribute attribute: String) -> Int? {
    columns.firstIndex { $0.attribute == attribute }
  }
}

/// One column: a name, a type, and whether it may be nil.
public struct StoredColumn: Hashable, Codable, Sendable {
  /// The name in the store.
  public var name: String
  /// The attribute's name in the program.
  public var attribute: String
  /// The declared type.
  public var type: AttributeType
  /// True if nil may be stored.
  public var isOptional: Bool
  /// The value for rows that do not set the column, and for existing rows when the column is added.
  public var defaultValue: StoredValue?
  /// The default that core computes for a row that does not set the column; stores have no part in
  /// it.
  public var computedDefault: ComputedDefault?
  /// True if text is stored in Unicode's NFC.
  public var isNormalized: Bool
  /// True if core keeps the column for a relationship: no model sees it, and it is optional.
  public var isInternal: Bool
  /// The role for which the operations maintain the column; stores have no part in it.
  public var role: ManagedRole?
  /// The derivation by which the operations maintain the column; stores have no part in it.
  public var derived: DerivedValue?
  /// Above how many bytes core keeps data beside the rows; nil where it is always in them.
  ///
  /// Stores see data, the form of which is core's.
  public var externalThreshold: Int?

  /// Makes a column; required, without a default, text as it comes.
  public init(
    _ name: String, _ type: AttributeType, attribute: String? = nil, isOptional: Bool = false,
    defaultValue: StoredValue? = nil, computedDefault: ComputedDefault? = nil,
    isNormalized: Bool = false, isInternal: Bool = false, role: ManagedRole? = nil,
    derived: DerivedValue? = nil, externalThreshold: Int? = nil
  ) {
    self.name = name
    self.attribute = attribute ?? name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.computedDefault = computedDefault
    self.isNormalized = isNormalized
    self.isInternal = isInternal
    self.role = role
    self.derived = derived
    self.externalThreshold = externalThreshold
  }

  /// Returns the value that existing rows get when the column is added: its default, one date for all
  /// rows where the default is the date of an insert, or else null.
  public func filling(at timestamp: @autoclosure () -> Date) -> StoredValue {
    defaultValue ?? (computedDefault == .now ? .date(timestamp()) : .null)
  }

  /// True if the column can be added where rows are: it may be nil, or there is a default that does
  /// for all of them.
  package var canBeAdded: Bool { isOptional || defaultValue != nil || computedDefault == .now }

  /// A default that is another for every row: worked out above the seam when a row is inserted.
  public enum ComputedDefault: String, Hashable, Codable, Sendable {
    /// The timestamp of the insert.
    case now
    /// A new random UUID.
    case uuid
  }
}

/// An index or unique rule over one or several columns.
public struct StoredIndex: Hashable, Codable, Sendable {
  /// The name in the store; unique in the schema.
  public var name: String
  /// The indexed terms, in order; never empty.
  ///
  /// An `elements` term is the only one of its index.
  public var terms: [Term]
  /// True if no two rows may agree in all terms; a row with a nil among them agrees with none.
  public var isUnique: Bool

  /// Makes an index.
  public init(_ name: String, _ terms: [Term], isUnique: Bool = false) {
    self.name = name
    self.terms = terms
    self.isUnique = isUnique
  }

  /// One term of an index.
  public struct Term: Hashable, Codable, Sendable {
    /// The column's position in the entity.
    public var column: Int
    /// True if the term runs from the greatest to the least.
    public var isDescending: Bool
    /// The form in which the column is indexed.
    public var form: Form

    /// Makes a term.
    public init(_ column: Int, isDescending: Bool = false, form: Form = .value) {
      self.column = column
      self.isDescending = isDescending
      self.form = form
    }
  }

  /// The form of a column's value in an index term.
  public enum Form: String, Hashable, Codable, Sendable {
    /// The value itself.
    case value
    /// The text after case folding (`TextFolding.fold` with `.caseInsensitive`).
    case caseFolded
    /// Every distinct element of an array, one entry each.
    case elements
  }
}
