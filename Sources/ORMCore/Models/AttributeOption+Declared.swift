internal import ORMStorage

#if Macros
  /// Stands for the type of a property in `@Attribute`, where it is not known.
  public struct DeclaredValue: Sendable {
    private init() {}
  }

  extension AttributeOption where Value == DeclaredValue {
    /// The value that is stored if none is given.
    ///
    /// ```swift
    /// @Attribute(.default(1)) var stock: Int
    /// ```
    public static func `default`(_ value: some AttributeValue) -> Self {
      Self(kind: .defaultValue(.value(value.storedValue)))
    }
    /// The case that stands for a stored raw value without one: `.fallback(Size.other)`.
    public static func fallback(_ value: some AttributeValue & RawRepresentable) -> Self {
      Self(kind: .fallback(value.storedValue))
    }
    /// The timestamp of the insert, where nothing is given.
    ///
    /// ```swift
    /// @Attribute(.defaultNow) var added: Date
    /// ```
    public static var defaultNow: Self { Self(kind: .defaultValue(.now)) }
    /// A new random UUID, where nothing is given.
    ///
    /// ```swift
    /// @Attribute(.defaultUUID) var token: UUID
    /// ```
    public static var defaultUUID: Self { Self(kind: .defaultValue(.uuid)) }
    /// The timestamp of the insert, set by the operations; the property is a Date.
    ///
    /// ```swift
    /// @Attribute(.createdAt) var created: Date
    /// ```
    public static var createdAt: Self { Self(kind: .role(.createdAt)) }
    /// The timestamp of the last change, set by the operations; the property is a Date.
    ///
    /// ```swift
    /// @Attribute(.updatedAt) var changed: Date
    /// ```
    public static var updatedAt: Self { Self(kind: .role(.updatedAt)) }
    /// A number that every change raises, set by the operations; the property is an Int or Int64.
    ///
    /// ```swift
    /// @Attribute(.version) var version = 0
    /// ```
    public static var version: Self { Self(kind: .role(.version)) }
    /// A check by code, which names the property's type:
    /// `.check("must be even") { (n: Int) in n % 2 == 0 }`.
    ///
    /// ```swift
    /// @Attribute(.check("must be even") { (stock: Int) in stock.isMultiple(of: 2) }) var stock: Int
    /// ```
    public static func check<Checked: AttributeValue>(
      _ message: String, _ holds: @escaping @Sendable (Checked) -> Bool
    ) -> Self {
      Self(kind: .check(message, { _ in true }))
    }
    /// The timestamp of a soft delete; the property is a `Date?`.
    ///
    /// ```swift
    /// @Attribute(.softDelete) var deletedAt: Date?
    /// ```
    public static var softDelete: Self { Self(kind: .role(.deletedAt)) }
  }

  extension Derivation where Model == DeclaredValue, Value == DeclaredValue {
    // The macro copies the derivation as it is written into the entity; these stand for it in the
    // mark alone.
    private static var declared: Self { .count("") }

    /// Returns the number of targets a to-many has: `.count(of: \Team.players)`.
    public static func count(of path: any AnyKeyPath & Sendable) -> Self { declared }

    /// The sum of an attribute of the targets: `.sum(of: \Team.players, \Player.score)`.
    public static func sum(
      of path: any AnyKeyPath & Sendable, _ attribute: any AnyKeyPath & Sendable
    ) -> Self { declared }

    /// The mean of an attribute of the targets, nil where there are none.
    public static func average(
      of path: any AnyKeyPath & Sendable, _ attribute: any AnyKeyPath & Sendable
    ) -> Self { declared }

    /// The least value of an attribute of the targets, nil where there are none.
    public static func minimum(
      of path: any AnyKeyPath & Sendable, _ attribute: any AnyKeyPath & Sendable
    ) -> Self { declared }

    /// The greatest value of an attribute of the targets, nil where there are none.
    public static func maximum(
      of path: any AnyKeyPath & Sendable, _ attribute: any AnyKeyPath & Sendable
    ) -> Self { declared }
  }
#endif
