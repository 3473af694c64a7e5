#if Macros
  /// Stands for the type of a property in `@Attribute`, where it is not known.
  public enum DeclaredValue: Sendable {}

  extension AttributeOption where Value == DeclaredValue {
    /// What is stored where nothing is given.
    public static func `default`(_ value: some AttributeValue) -> Self {
      Self(kind: .defaultValue(.value(value.storedValue)))
    }
    /// The moment of the insert, where nothing is given.
    public static var defaultNow: Self { Self(kind: .defaultValue(.now)) }
    /// A new random UUID, where nothing is given.
    public static var defaultUUID: Self { Self(kind: .defaultValue(.uuid)) }
  }
#endif
