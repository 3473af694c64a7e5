/// The rules of attributes inside embedded structs, whose names are paths.
enum EmbeddingCheck {
  /// Every broken rule: what has the name of a struct is the mark of its presence, and what lies in
  /// a struct that may be nil may be nil.
  static func failures(
    of attribute: AttributeDescription, in entity: EntityDescription
  ) -> [StoreError] {
    var failures: [StoreError] = []
    for holder in attribute.name.structNames {
      if entity.relationship(named: holder) != nil {
        failures.append(
          SchemaCheck.failure(
            entity, "a relationship has the name of the struct that it lies in", attribute.name))
      }
      guard let presence = entity.attributes.first(where: { $0.name == holder }) else { continue }
      if presence.type != .bool || !presence.isOptional {
        failures.append(
          SchemaCheck.failure(
            entity, "an attribute has the name of the struct that it lies in", attribute.name))
      } else if !attribute.isOptional || attribute.defaultValue != nil {
        failures.append(
          SchemaCheck.failure(
            entity,
            "lies in a struct that may be nil, and must be optional, without a default",
            attribute.name))
      }
    }
    return failures
  }
}

extension String {
  /// The names of the structs that an attribute of this name lies in, from the outermost on.
  package var structNames: [String] {
    guard utf8.contains(UInt8(ascii: ".")) else { return [] }
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.indices.dropFirst().map { parts[..<$0].joined(separator: ".") }
  }

  /// The names on the way to an attribute of this name, its own last.
  ///
  /// What is no such path, as `a..b`, is one name.
  var pathParts: [String] {
    guard utf8.contains(UInt8(ascii: ".")) else { return [self] }
    let parts = split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return parts.contains("") ? [self] : parts
  }

  /// Whether an attribute of this name lies in a struct.
  package func lies(in holder: String) -> Bool {
    utf8.count > holder.utf8.count + 1 && hasPrefix(holder)
      && utf8.dropFirst(holder.utf8.count).first == UInt8(ascii: ".")
  }
}
