internal import ORMStorage

/// The names that earlier entities of a schema, or attributes of an entity, have taken.
private struct TakenNames {
  private var names: Set<String> = []
  /// The name in the program by the stored name, whose case does not count.
  private var storedNames: [String: String] = [:]

  /// A name that another has.
  enum Clash {
    case name
    case storedName(of: String)
  }

  /// Takes the names of the next one; the clash with an earlier one, if there is any.
  mutating func take(_ name: String, _ storedName: String?) -> Clash? {
    let stored = (storedName ?? name).lowercased()
    guard names.insert(name).inserted else { return .name }
    if let other = storedNames[stored] { return .storedName(of: other) }
    storedNames[stored] = name
    return nil
  }
}

/// The rules every schema is held to when it is built.
enum SchemaCheck {
  /// Every broken rule, each as an error of its own that names entity and attribute.
  static func failures(of entities: [EntityDescription]) -> [StoreError] {
    var failures: [StoreError] = []
    var taken = TakenNames()
    for entity in entities {
      failures += self.failures(of: entity)
      switch taken.take(entity.name, entity.storedName) {
      case .name: failures.append(failure(entity, "two entities have the name \(entity.name)"))
      case .storedName(of: let other):
        failures.append(
          failure(
            entity,
            "\(entity.name) and \(other) have the same name in the store, apart from case"))
      case nil: break
      }
    }
    return failures
  }

  /// The faults of a schema's version.
  static func failures(ofVersion version: Int?) -> [StoreError] {
    guard let version, version < 1 else { return [] }
    return [StoreError(.invalidSchema, "the version of a schema must be 1 or more, not \(version)")]
  }

  /// The entities with more columns than every store can have.
  static func failures(ofWidths schema: StoredSchema) -> [StoreError] {
    schema.entities.filter { $0.width > StoredEntity.maximumColumns }.map {
      StoreError(
        .invalidSchema,
        "it has \($0.width) columns, and the limit is \(StoredEntity.maximumColumns); attributes, "
          + "parts of embedded structs, keys of links, attributes of subentities and "
          + "case-insensitive indexes count",
        entity: $0.modelName)
    }
  }

  private static func failures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    if let fault = nameFault(entity.name) ?? nameFault(entity.storedName ?? entity.name) {
      failures.append(failure(entity, "the entity's name \(fault)"))
    }
    if entity.attributes.isEmpty {
      failures.append(failure(entity, "an entity needs at least one attribute"))
    }
    var taken = TakenNames()
    for attribute in entity.attributes {
      failures += self.failures(of: attribute, in: entity)
      switch taken.take(attribute.name, attribute.storedName) {
      case .name:
        let link = entity.relationships.first { $0.storage?.isOwn(attribute.name) == true }
        failures.append(
          failure(
            entity,
            link.map {
              "an attribute has this name, which the to-one \($0.name) needs for the key of its target"
            } ?? "two attributes have this name", attribute.name))
      case .storedName(of: let other):
        failures.append(
          failure(
            entity, "has the same name in the store as \(other), apart from case", attribute.name))
      case nil: break
      }
    }
    failures += keyFailures(of: entity) + roleFailures(of: entity)
    failures += externalFailures(of: entity)
    var indexes: Set<IndexDescription> = []
    for description in entity.indexes {
      failures += self.failures(of: description, in: entity)
      if !indexes.insert(description).inserted {
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
      failures.append(failure(entity, "this name is reserved for hidden keys", attribute.name))
    }
    if case .array(let element) = attribute.type, !element.isScalar {
      failures.append(failure(entity, "the elements of an array must be scalars", attribute.name))
    }
    if attribute.isNormalized, attribute.type != .string {
      failures.append(failure(entity, "only text can be normalized", attribute.name))
    }
    if attribute.derived != nil, attribute.defaultValue != nil {
      failures.append(failure(entity, "a derived attribute cannot have a default", attribute.name))
    }
    if let fallback = attribute.fallback,
      let fault = attribute.type.fault(of: fallback, isOptional: false)
    {
      failures.append(failure(entity, "the fallback \(fault)", attribute.name))
    }
    switch attribute.defaultValue {
    case .now where attribute.type != .date:
      failures.append(failure(entity, "the default `now` is only for dates", attribute.name))
    case .uuid where attribute.type != .uuid:
      failures.append(failure(entity, "the default `uuid` is only for UUIDs", attribute.name))
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
      failures.append(
        failure(
          entity,
          "the key names an attribute that the entity does not declare", name))
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
      failures.append(failure(entity, "the key names an attribute twice"))
    }
    switch entity.keySource {
    case .generated where attributes.count != 1 || attributes[0].type != .int64:
      failures.append(failure(entity, "a generated key must be one Int64 or Int", entity.key.first))
    case .hidden where !entity.key.isEmpty:
      failures.append(
        failure(
          entity,
          "an entity with a hidden key cannot declare key attributes", entity.key.first))
    case .uuidV4 where attributes.count != 1 || attributes[0].type != .uuid,
      .uuidV7 where attributes.count != 1 || attributes[0].type != .uuid:
      failures.append(
        failure(
          entity,
          "a generated UUID key must be a single UUID attribute", entity.key.first))
    default: break
    }
    return failures
  }

  private static func externalFailures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    for attribute in entity.attributes {
      guard let threshold = attribute.externalThreshold else { continue }
      if attribute.type != .data {
        failures.append(failure(entity, "only Data can be stored externally", attribute.name))
      }
      if threshold < 0 {
        failures.append(
          failure(
            entity,
            "the size above which it is stored externally is negative", attribute.name))
      }
      if case .value(.data(let value)) = attribute.defaultValue, value.count > threshold {
        failures.append(
          failure(
            entity,
            "the default is larger than the size above which values are stored "
              + "externally", attribute.name))
      }
      if entity.key.contains(attribute.name) {
        failures.append(
          failure(
            entity,
            "an externally stored attribute cannot be part of the key", attribute.name))
      }
      if entity.indexes.contains(where: { $0.terms.contains { $0.attribute == attribute.name } }) {
        failures.append(
          failure(
            entity,
            "an externally stored attribute cannot be indexed", attribute.name))
      }
    }
    return failures
  }

  private static func roleFailures(of entity: EntityDescription) -> [StoreError] {
    var failures: [StoreError] = []
    var seen: Set<ManagedRole> = []
    for attribute in entity.attributes {
      guard let role = attribute.role else { continue }
      if let fault = role.fault(of: attribute.type, isOptional: attribute.isOptional) {
        failures.append(failure(entity, fault, attribute.name))
      }
      if !seen.insert(role).inserted {
        failures.append(
          failure(
            entity,
            "another attribute has the same managed role", attribute.name))
      }
      if attribute.defaultValue != nil {
        failures.append(
          failure(entity, "a managed attribute cannot have a default", attribute.name))
      }
      if entity.key.contains(attribute.name) {
        failures.append(
          failure(
            entity,
            "a managed attribute cannot be part of the key", attribute.name))
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
        failure(entity, "an index names this attribute twice", index.terms.first?.attribute))
    }
    for term in index.terms {
      guard let position = entity.position(of: term.attribute) else {
        failures.append(
          failure(
            entity,
            "an index names an attribute that the entity does not declare", term.attribute))
        continue
      }
      let type = entity.attributes[position].type
      switch term.form {
      case .value where !type.isScalar:
        failures.append(
          failure(
            entity,
            "cannot be ordered, so it cannot be indexed; index its elements", term.attribute))
      case .caseFolded where type != .string:
        failures.append(failure(entity, "only text can be indexed without case", term.attribute))
      case .elements:
        if case .array = type {
        } else {
          failures.append(failure(entity, "only arrays and sets have elements", term.attribute))
        }
        if index.terms.count > 1 || index.isUnique || term.isDescending {
          failures.append(
            failure(
              entity,
              "an index of elements must have one ascending term and cannot be "
                + "unique", term.attribute))
        }
      default: break
      }
    }
    return failures
  }

  /// Returns warnings about declarations that are doubtful but allowed.
  static func warnings(of entities: [EntityDescription]) -> [String] {
    entities.flatMap { entity -> [String] in
      var warnings: [String] = []
      for attribute in entity.attributes where attribute.isOptional {
        if attribute.defaultValue != nil {
          warnings.append(
            "\(entity.name).\(attribute.name) is optional and has a default, so it is nil only "
              + "if the program sets nil")
        }
      }
      // Only an index that begins alike can cover another.
      let byFirstTerm = Dictionary(grouping: entity.indexes, by: \.terms.first)
      for index in entity.indexes where !index.isUnique {
        let isCovered = byFirstTerm[index.terms.first, default: []].contains { other in
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
      return "begins with sqlite_ or strata_, which are reserved"
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

extension RelationshipDescription.Storage {
  /// Returns whether links are stored in an attribute of the entity that has the relationship.
  fileprivate func isOwn(_ attribute: String) -> Bool {
    if case .own(let names, _) = self { names.contains(attribute) } else { false }
  }
}
