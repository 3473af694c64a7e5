/// The rules every schema is held to when it is built.
enum SchemaCheck {
  /// Every broken rule, each as an error of its own that names entity and attribute.
  static func failures(of entities: [EntityDescription]) -> [StoreError] {
    var failures: [StoreError] = []
    for (index, entity) in entities.enumerated() {
      failures += self.failures(of: entity)
      for other in entities[..<index] {
        if other.name == entity.name {
          failures.append(failure(entity, "two entities are called \(entity.name)"))
        } else if other.storedName?.lowercased() == entity.storedName?.lowercased() {
          failures.append(
            failure(
              entity,
              "\(entity.name) and \(other.name) have the same name in the store, apart from case"))
        }
      }
    }
    return failures
  }

  private static func failures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    if let fault = nameFault(entity.name) ?? nameFault(entity.storedName ?? entity.name) {
      failures.append(failure(entity, "the entity's name \(fault)"))
    }
    if entity.attributes.isEmpty {
      failures.append(failure(entity, "an entity needs at least one attribute"))
    }
    for (index, attribute) in entity.attributes.enumerated() {
      failures += self.failures(of: attribute, in: entity)
      for other in entity.attributes[..<index] {
        if other.name == attribute.name {
          failures.append(failure(entity, "two attributes have this name", attribute.name))
        } else if other.storedName?.lowercased() == attribute.storedName?.lowercased() {
          failures.append(
            failure(
              entity, "has the same name in the store as \(other.name), apart from case",
              attribute.name))
        }
      }
    }
    failures += keyFailures(of: entity) + roleFailures(of: entity)
    failures += externalFailures(of: entity)
    for (index, description) in entity.indexes.enumerated() {
      failures += self.failures(of: description, in: entity)
      if entity.indexes[..<index].contains(description) {
        failures.append(
          failure(entity, "the same index is declared twice", description.terms.first?.attribute))
      }
    }
    return failures
  }

  private static func failures(
    of attribute: AttributeDescription, in entity: EntityDescription
  ) -> [StoreError] {
    var failures: [StoreError] = []
    let parts = attribute.name.split(separator: ".", omittingEmptySubsequences: false)
    let fault =
      parts.lazy.compactMap { nameFault(String($0)) }.first
      ?? nameFault(attribute.storedName ?? parts.joined(separator: "_"))
    if let fault {
      failures.append(failure(entity, "the attribute's name \(fault)", attribute.name))
    }
    failures += EmbeddingCheck.failures(of: attribute, in: entity)
    if [attribute.name, attribute.storedName].contains(where: {
      $0?.lowercased() == EntityDescription.hiddenKeyName
    }) {
      failures.append(failure(entity, "this name is kept for hidden keys", attribute.name))
    }
    if case .array(let element) = attribute.type, !element.isScalar {
      failures.append(failure(entity, "the elements of an array must be scalars", attribute.name))
    }
    if attribute.isNormalized, attribute.type != .string {
      failures.append(failure(entity, "only text can be normalized", attribute.name))
    }
    if attribute.derived != nil, attribute.defaultValue != nil {
      failures.append(failure(entity, "what is derived takes no default", attribute.name))
    }
    if let fallback = attribute.fallback,
      let fault = attribute.type.fault(of: fallback, isOptional: false)
    {
      failures.append(failure(entity, "the fallback \(fault)", attribute.name))
    }
    switch attribute.defaultValue {
    case .now where attribute.type != .date:
      failures.append(failure(entity, "only a date can default to now", attribute.name))
    case .uuid where attribute.type != .uuid:
      failures.append(failure(entity, "only a UUID can default to a new one", attribute.name))
    case .value(let value):
      if let fault = attribute.type.fault(of: value, isOptional: attribute.isOptional) {
        failures.append(failure(entity, "the default \(fault)", attribute.name))
      }
    default: break
    }
    return failures
  }

  private static func keyFailures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    for name in entity.key where entity.position(of: name) == nil {
      failures.append(failure(entity, "the key names no attribute", name))
    }
    let attributes = entity.key.compactMap { entity.position(of: $0) }
      .map { entity.attributes[$0] }
    for attribute in attributes {
      if attribute.isOptional {
        failures.append(failure(entity, "a key attribute cannot be optional", attribute.name))
      }
      if !attribute.type.isScalar {
        failures.append(failure(entity, "a key attribute must be a scalar", attribute.name))
      }
    }
    if Set(entity.key).count != entity.key.count {
      failures.append(failure(entity, "an attribute stands twice in the key"))
    }
    switch entity.keySource {
    case .generated where attributes.count != 1 || attributes[0].type != .int64:
      failures.append(failure(entity, "a generated key must be one Int64 or Int", entity.key.first))
    case .hidden where !entity.key.isEmpty:
      failures.append(failure(entity, "a hidden key has no attributes", entity.key.first))
    case .uuidV4 where attributes.count != 1 || attributes[0].type != .uuid,
      .uuidV7 where attributes.count != 1 || attributes[0].type != .uuid:
      failures.append(failure(entity, "this key must be one UUID", entity.key.first))
    default: break
    }
    return failures
  }

  private static func externalFailures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    for attribute in entity.attributes {
      guard let threshold = attribute.externalThreshold else { continue }
      if attribute.type != .data {
        failures.append(failure(entity, "only data is kept outside", attribute.name))
      }
      if threshold < 0 {
        failures.append(
          failure(entity, "the size above which it is kept outside is negative", attribute.name))
      }
      if case .value(.data(let value)) = attribute.defaultValue, value.count > threshold {
        failures.append(
          failure(entity, "the default is large enough to be kept outside", attribute.name))
      }
      if entity.key.contains(attribute.name) {
        failures.append(failure(entity, "what is kept outside is no key", attribute.name))
      }
      if entity.indexes.contains(where: { $0.terms.contains { $0.attribute == attribute.name } }) {
        failures.append(failure(entity, "what is kept outside has no index", attribute.name))
      }
    }
    return failures
  }

  private static func roleFailures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    var seen: Set<KeptRole> = []
    for attribute in entity.attributes {
      guard let role = attribute.role else { continue }
      if let fault = role.fault(of: attribute.type, isOptional: attribute.isOptional) {
        failures.append(failure(entity, fault, attribute.name))
      }
      if !seen.insert(role).inserted {
        failures.append(failure(entity, "another attribute is kept for this too", attribute.name))
      }
      if attribute.defaultValue != nil {
        failures.append(
          failure(entity, "what the verbs keep takes no default", attribute.name))
      }
      if entity.key.contains(attribute.name) {
        failures.append(failure(entity, "what the verbs keep is no key", attribute.name))
      }
    }
    return failures
  }

  private static func failures(
    of index: IndexDescription, in entity: EntityDescription
  ) -> [StoreError] {
    var failures: [StoreError] = []
    if index.terms.isEmpty { failures.append(failure(entity, "an index needs an attribute")) }
    if Set(index.terms.map(\.attribute)).count != index.terms.count {
      failures.append(
        failure(entity, "an attribute stands twice in an index", index.terms.first?.attribute))
    }
    for term in index.terms {
      guard let position = entity.position(of: term.attribute) else {
        failures.append(failure(entity, "an index names no attribute", term.attribute))
        continue
      }
      let type = entity.attributes[position].type
      switch term.form {
      case .value where !type.isScalar:
        failures.append(
          failure(entity, "has no order to index; index its elements", term.attribute))
      case .caseFolded where type != .string:
        failures.append(failure(entity, "only text has a case to ignore", term.attribute))
      case .elements:
        if case .array = type {
        } else {
          failures.append(failure(entity, "only arrays and sets have elements", term.attribute))
        }
        if index.terms.count > 1 || index.isUnique || term.isDescending {
          failures.append(
            failure(
              entity, "an index of elements stands alone, ascending, not unique", term.attribute))
        }
      default: break
      }
    }
    return failures
  }

  /// What is doubtful, but allowed.
  static func warnings(of entities: [EntityDescription]) -> [String] {
    entities.flatMap { entity -> [String] in
      var warnings: [String] = []
      for attribute in entity.attributes where attribute.isOptional {
        if attribute.defaultValue != nil {
          warnings.append(
            "\(entity.name).\(attribute.name) is optional and has a default: it is nil only where "
              + "a program sets nil")
        }
      }
      for index in entity.indexes where !index.isUnique {
        let isCovered = entity.indexes.contains { other in
          other != index && Array(other.terms.prefix(index.terms.count)) == index.terms
        }
        let names = index.terms.map(\.attribute).joined(separator: ", ")
        if isCovered {
          warnings.append("\(entity.name): another index covers the index on \(names)")
        }
        if index.terms.map(\.attribute) == Array(entity.key.prefix(index.terms.count)),
          index.terms.allSatisfy({ $0.form == .value && !$0.isDescending })
        {
          warnings.append("\(entity.name): the primary key covers the index on \(names)")
        }
      }
      return warnings
    }
  }

  static func nameFault(_ name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > 120 { return "is longer than 120 bytes" }
    if name.unicodeScalars.contains(where: { $0.value < 32 || $0 == "\"" || $0 == "$" || $0 == "." }
    ) {
      return "holds a control character, a quote, a dollar sign or a dot"
    }
    if name.lowercased().hasPrefix("sqlite_") || name.lowercased().hasPrefix("strata_") {
      return "begins like a store's own tables"
    }
    return nil
  }

  static func failure(
    _ entity: EntityDescription, _ message: String, _ attribute: String? = nil
  ) -> StoreError {
    StoreError(
      .invalidSchema, message, entity: entity.name, attributes: attribute.map { [$0] } ?? [])
  }
}
