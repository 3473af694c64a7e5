internal import ORMStorage

// Overloads that exist for their messages alone: the compiler picks them where nothing else fits, and
// they are passed over everywhere else.
extension EntityPart {
  /// Unavailable: the property's type conforms to no `AttributeValue`.
  @available(
    *, unavailable,
    message: """
      the type of this property is not an attribute type: mark the property '@Attribute(.json)' if \
      the type is Codable, '@Embedded' if it is a '@Persistable' struct without a key, make it a \
      'ToOne' or 'ToMany' if it is another model, or mark it '@Transient'
      """
  )
  public static func attribute<Value>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: AttributeOption<Value>...
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the property's type conforms to no `AttributeValue`.
  @available(
    *, unavailable,
    message: """
      the type of this property is not an attribute type: mark the property '@Attribute(.json)' if \
      the type is Codable, '@Embedded' if it is a '@Persistable' struct without a key, make it a \
      'ToOne' or 'ToMany' if it is another model, or mark it '@Transient'
      """
  )
  public func attribute<Value>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: AttributeOption<Value>...
  ) -> EntityPart {
    self
  }

  /// Unavailable: the property's type cannot be a key.
  @available(
    *, unavailable,
    message: """
      the type of this property is not a key type: use a single value such as an Int64, a String \
      or a UUID, or a struct that is a 'CompositeKey'
      """
  )
  public static func key<Value>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the property's type cannot be a key.
  @available(
    *, unavailable,
    message: """
      the type of this property is not a key type: use a single value such as an Int64, a String \
      or a UUID, or a struct that is a 'CompositeKey'
      """
  )
  public static func key<Value>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...,
    id: AttributePath<Model, Value>
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the parts of the key are attributes of their own.
  @available(
    *, unavailable,
    message: """
      a key of several attributes that is declared elsewhere names them: write \
      '@PrimaryKey(parts: "first", "second")', or move the struct into the model
      """
  )
  public static func key<Value: CompositeKey>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the parts of the key are attributes of their own.
  @available(
    *, unavailable,
    message: """
      a key of several attributes that is declared elsewhere names them: write \
      '@PrimaryKey(parts: "first", "second")', or move the struct into the model
      """
  )
  public static func key<Value: CompositeKey>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...,
    id: AttributePath<Model, Value>
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the property's type conforms to no `Persistable`.
  @available(
    *, unavailable,
    message: """
      the type of this property cannot be embedded: make it a '@Persistable' struct without a key, or \
      mark the property '@Attribute(.json)' if the type is Codable
      """
  )
  public static func embedded<Value>(
    _ name: String, _ path: AttributePath<Model, Value>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the inverse is a property of another type.
  @available(
    *, unavailable,
    message: """
      an inverse is a relationship of the target: its key path begins with the type in 'ToOne' or \
      'ToMany'
      """
  )
  public static func relationship<Target: PrimaryKeyed, Other>(
    _ name: String, _ path: WritableAttributePath<Model, ToOne<Target>>,
    inverse: (any PartialKeyPath<Other> & Sendable)?, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, required: Bool = false, storedName: String? = nil
  ) -> EntityPart {
    EntityPart()
  }

  /// Unavailable: the inverse is a property of another type.
  @available(
    *, unavailable,
    message: """
      an inverse is a relationship of the target: its key path begins with the type in 'ToOne' or \
      'ToMany'
      """
  )
  public static func relationship<Target: PrimaryKeyed, Other>(
    _ name: String, _ path: WritableAttributePath<Model, ToMany<Target>>,
    inverse: (any PartialKeyPath<Other> & Sendable)?, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, count: (any CountRange)? = nil,
    ordered: Bool = false, shared: Bool = false, through: (any Persistable.Type)? = nil,
    storedName: String? = nil
  ) -> EntityPart {
    EntityPart()
  }
}
