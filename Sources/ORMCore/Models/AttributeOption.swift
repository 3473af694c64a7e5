public import FoundationEssentials
package import ORMStorage

/// An option of a key attribute.
///
/// ```swift
/// @PrimaryKey(.uuidV7, .named("snack_id")) var id: UUID = .unassigned
/// ```
public struct KeyOption: Sendable {
  package var source: StoredEntity.KeySource?
  package var storedName: String?

  /// The store gives integers: 0 stands for "not given yet".
  ///
  /// ```swift
  /// @PrimaryKey(.generated) var id: Int64 = 0
  /// ```
  public static let generated = KeyOption(source: .generated)
  /// Random UUIDs where the key is `UUID.unassigned`.
  ///
  /// ```swift
  /// @PrimaryKey(.uuidV4) var id: UUID = .unassigned
  /// ```
  public static let uuidV4 = KeyOption(source: .uuidV4)
  /// Time-ordered UUIDs where the key is `UUID.unassigned`.
  ///
  /// ```swift
  /// @PrimaryKey(.uuidV7) var id: UUID = .unassigned
  /// ```
  public static let uuidV7 = KeyOption(source: .uuidV7)
  /// Another name in the store.
  public static func named(_ name: String) -> KeyOption { KeyOption(storedName: name) }
}

/// An option of an attribute.
///
/// ```swift
/// @Attribute(.unique, .normalized) var name: String
/// @Attribute(.defaultNow, .indexed(.descending)) var added: Date
/// ```
public struct AttributeOption<Value>: Sendable {
  package enum Kind: Sendable {
    case index(StoredIndex.Form, isDescending: Bool, isUnique: Bool)
    case defaultValue(AttributeDescription.DefaultValue)
    case normalized
    case storedName(String)
    case fallback(StoredValue)
    case role(ManagedRole)
    case rule(AttributeRule)
    case check(String, @Sendable (Value) -> Bool)
    case external(threshold: Int)
  }

  package let kind: Kind

  /// An ascending index.
  ///
  /// ```swift
  /// @Attribute(.indexed) var name: String
  /// ```
  public static var indexed: Self {
    Self(kind: .index(.value, isDescending: false, isUnique: false))
  }
  /// An index of another form.
  ///
  /// ```swift
  /// @Attribute(.indexed(.caseInsensitive)) var name: String
  /// @Attribute(.indexed(.elements)) var tags: [String]
  /// ```
  public static func indexed(_ form: IndexForm) -> Self {
    Self(kind: .index(form.form, isDescending: form.isDescending, isUnique: false))
  }
  /// A unique rule, with its index; nil is never a duplicate.
  ///
  /// ```swift
  /// @Attribute(.unique) var email: String
  /// ```
  public static var unique: Self {
    Self(kind: .index(.value, isDescending: false, isUnique: true))
  }
  /// Text stored in Unicode's NFC, so that composed and decomposed letters are one.
  ///
  /// ```swift
  /// @Attribute(.normalized) var name: String
  /// ```
  public static var normalized: Self { Self(kind: .normalized) }
  /// Another name in the store.
  ///
  /// ```swift
  /// @Attribute(.named("unit_price")) var price: Double
  /// ```
  public static func named(_ name: String) -> Self { Self(kind: .storedName(name)) }
  /// Data of more than 1 MiB is stored beside the rows and not in them.
  ///
  /// ```swift
  /// @Attribute(.external) var image: Data?
  /// ```
  public static var external: Self { .external() }
  /// Data of more than `threshold` bytes is stored outside of the rows, in files beside the
  /// store's, one for each content.
  ///
  /// ```swift
  /// @Attribute(.external(threshold: 65_536)) var image: Data?
  /// ```
  ///
  /// Conditions can ask only whether there is any; see <doc:ExternalData>.
  public static func external(threshold: Int = 1 << 20) -> Self {
    Self(kind: .external(threshold: threshold))
  }
}

extension AttributeOption {
  // Without this one, a default of a property whose type is no attribute type would be reported before
  // the type is.
  /// The default of a property whose type is not an attribute type, which does not compile.
  @_disfavoredOverload
  public static func `default`(_ value: Value) -> Self { .named("") }
}

extension AttributeOption where Value: AttributeValue {
  /// The value that is stored if none is given.
  ///
  /// ```swift
  /// let entity = Entity<Snack>("Snack") {
  ///   .key("id", \.id).attribute("stock", \.stock, .default(1))
  /// }
  /// ```
  public static func `default`(_ value: Value) -> Self {
    Self(kind: .defaultValue(.value(value.storedValue)))
  }
  /// The timestamp of the insert, where nothing is given.
  public static var defaultNow: Self { Self(kind: .defaultValue(.now)) }
  /// A new random UUID, where nothing is given.
  public static var defaultUUID: Self { Self(kind: .defaultValue(.uuid)) }
}

extension AttributeOption where Value == Date {
  /// The timestamp of the insert, set by the operations.
  public static var createdAt: Self { Self(kind: .role(.createdAt)) }
  /// The timestamp of the last change, set by the operations.
  public static var updatedAt: Self { Self(kind: .role(.updatedAt)) }
}

extension AttributeOption where Value == Date? {
  /// The timestamp of the insert, set by the operations.
  public static var createdAt: Self { Self(kind: .role(.createdAt)) }
  /// The timestamp of the last change, set by the operations.
  public static var updatedAt: Self { Self(kind: .role(.updatedAt)) }
  /// The timestamp of a soft delete: where it is not nil, no query sees the row unless asked to.
  public static var softDelete: Self { Self(kind: .role(.deletedAt)) }
}

extension AttributeOption where Value: FixedWidthInteger {
  /// A number that every change raises, set by the operations: an Int or Int64.
  public static var version: Self { Self(kind: .role(.version)) }
}

extension AttributeOption where Value: AttributeValue & RawRepresentable {
  /// The case that stands for a stored raw value without one: `.fallback(.other)`.
  ///
  /// Without it such a row is a decoding error (clause 1.4). An object that is read has the fallback, and
  /// saving it writes the fallback's raw value; patches and updates that do not name the attribute keep
  /// the stored value. Conditions, orders and groups see the raw values as they are stored: `$0.size ==
  /// .other` does not find those that have no case.
  ///
  /// Models that are Codable, projections and groups read it so by themselves. A row initialiser
  /// written by hand says it too: `size = try row.value(at: 3, fallback: .other)`.
  public static func fallback(_ value: Value) -> Self {
    Self(kind: .fallback(value.storedValue))
  }
}

extension AttributeOption {
  /// The case that stands for a stored raw value without one, of an attribute that may be nil.
  public static func fallback<Present: AttributeValue & RawRepresentable>(
    _ value: Present
  ) -> Self where Value == Present? { Self(kind: .fallback(value.storedValue)) }
}

/// The form of an attribute's index.
///
/// ```swift
/// @Attribute(.indexed(.caseInsensitive)) var name: String
/// @Attribute(.indexed(.descending)) var price: Double
/// ```
public struct IndexForm: Sendable {
  package var form: StoredIndex.Form
  package var isDescending: Bool

  /// The order from the greatest to the least.
  public static let descending = IndexForm(form: .value, isDescending: true)
  /// Texts after case folding: answers `==[c]`, `IN[c]` and `BEGINSWITH[c]`.
  public static let caseInsensitive = IndexForm(form: .caseFolded, isDescending: false)
  /// Every element of an array or set.
  public static let elements = IndexForm(form: .elements, isDescending: false)
}
