/// A Swift type whose objects are the rows of an entity, for the modules above the seam.
package struct StoredModel: Sendable {
  /// The type.
  package let type: Any.Type
  /// The interceptor that runs the type's hooks and checks, of a type that the module of rows declares; nil
  /// for a type without any.
  package let interceptor: (any Sendable)?

  /// Returns the attributes without which an embedded struct of the type cannot be made, by their paths.
  package let neededParts: @Sendable () -> Set<String>

  /// Makes a model.
  package init(
    _ type: Any.Type, interceptor: (any Sendable)?,
    neededParts: @escaping @Sendable () -> Set<String>
  ) {
    self.type = type
    self.interceptor = interceptor
    self.neededParts = neededParts
  }
}
