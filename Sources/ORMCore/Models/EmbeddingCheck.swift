internal import ORMStorage

/// The rules of attributes inside embedded structs, whose names are paths.
enum EmbeddingCheck {
  /// Returns every broken rule: an attribute with the name of a struct marks its presence, and the attributes
  /// of an optional struct are optional.
  static func failures(
    of attribute: AttributeDescription, in entity: EntityDescription
  ) -> [StoreError] {
    var failures: [StoreError] = []
    for container in attribute.name.structNames {
      if entity.relationship(named: container) != nil {
        failures.append(
          SchemaCheck.failure(
            entity,
            "a relationship has the name of the struct that contains this "
              + "attribute", attribute.name))
      }
      guard let presence = entity.attributes.first(where: { $0.name == container }) else {
        continue
      }
      if presence.type != .bool || !presence.isOptional {
        failures.append(
          SchemaCheck.failure(
            entity,
            "another attribute has the name of the struct that contains this "
              + "one", attribute.name))
      } else if !attribute.isOptional || attribute.defaultValue != nil {
        failures.append(
          SchemaCheck.failure(
            entity,
            "belongs to an optional struct, so it must be optional and have no default",
            attribute.name))
      }
    }
    return failures
  }
}
