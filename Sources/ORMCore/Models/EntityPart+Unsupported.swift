internal import ORMStorage

// Overloads that exist for their messages alone: the compiler picks them where a property's type is
// no attribute type, and they are passed over everywhere else.
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
    _ name: String, _ path: AttributePath<Model, Value>
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
    _ name: String, _ path: AttributePath<Model, Value>
  ) -> EntityPart {
    self
  }
}
