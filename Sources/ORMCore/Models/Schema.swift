public import ORMStorage

/// The models of a program: checked when built, then a value.
///
/// ```swift
/// let schema = try Schema(Snack.self, Team.self)
/// ```
///
/// ## Versions
/// A schema may have a version, which a store keeps. Raise it with every change, so that an older
/// program cannot add renamed or dropped entities and attributes again, empty. A store refuses a program with
/// a lower version with `schemaTooNew`, unless all later changes are such that the program may go on.
///
/// ```swift
/// let schema = try Schema(Snack.self, Team.self, version: 2)
/// ```
public struct Schema: Hashable, Sendable {
  /// The entities, in the order given, with every name in the store worked out.
  public let entities: [EntityDescription]
  /// Warnings about declarations that are doubtful but allowed, such as an optional with a default
  /// or an index that another covers.
  public let warnings: [String]
  /// The schema as stores see it.
  public let stored: StoredSchema
  /// The version, from 1; nil for a schema that counts none.
  public var version: Int? { stored.version }
  /// The Swift types of the models, by their names; those known by their description have none.
  package let models: [String: any Persistable.Type]

  /// The Swift types of the models, with their interceptors, for the runtime of a store.
  package var storedModels: [String: StoredModel] {
    models.mapValues { model in
      StoredModel(model, interceptor: model.interceptor) { model.neededParts }
    }
  }

  /// Checks models and puts them together.
  ///
  /// ```swift
  /// let schema = try Schema(Snack.self, Team.self, Player.self, naming: .snakeCase)
  /// ```
  ///
  /// - Throws: `invalidSchema`, with one failure for each broken rule.
  public init(
    _ models: any Persistable.Type..., naming: NamingStrategy = .asIs, version: Int? = nil
  ) throws {
    try self.init(models: models, naming: naming, version: version)
  }

  /// Checks a list of models and puts them together.
  ///
  /// ```swift
  /// let models: [any Persistable.Type] = [Snack.self, Team.self, Player.self]
  /// let schema = try Schema(models: models)
  /// ```
  ///
  /// - Throws: `invalidSchema`, with one failure for each broken rule.
  public init(
    models: [any Persistable.Type], naming: NamingStrategy = .asIs, version: Int? = nil
  ) throws {
    try self.init(
      entities: models.map { $0.entityDescription }, naming: naming, version: version,
      failures: models.flatMap {
        ModelCheck.failures(of: $0) + $0.sharedFailures + $0.relationshipFailures
          + $0.embeddingFailures
      },
      models: Dictionary(
        models.map { ($0.entityDescription.name, $0) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// Checks descriptions and puts them together; for models known only when the program runs.
  ///
  /// - Throws: `invalidSchema`, with one failure for each broken rule.
  public init(
    entities: [EntityDescription], naming: NamingStrategy = .asIs, version: Int? = nil
  ) throws {
    try self.init(entities: entities, naming: naming, version: version, failures: [], models: [:])
  }

  private init(
    entities: [EntityDescription], naming: NamingStrategy, version: Int?, failures: [StoreError],
    models: [String: any Persistable.Type]
  ) throws {
    let named = entities.map { $0.named(by: naming) }
    let failures =
      SchemaCheck.failures(of: named) + HierarchyCheck(named).failures
      + RelationshipCheck.failures(of: named) + failures + SchemaCheck.failures(ofVersion: version)
    guard failures.isEmpty else {
      let count = failures.count == 1 ? "one rule" : "\(failures.count) rules"
      throw StoreError(
        .invalidSchema,
        "the schema is invalid: it breaks \(count)", failures: failures)
    }
    self.entities = named
    self.warnings = SchemaCheck.warnings(of: named) + RelationshipCheck.warnings(of: named)
    var stored = RelationshipLowering(naming: naming).lowered(named)
    stored.addExternalContents()
    stored = HierarchyLowering.folded(stored)
    stored.version = version
    let wide = SchemaCheck.failures(ofWidths: stored)
    guard wide.isEmpty else {
      throw StoreError(
        .invalidSchema,
        "the schema is invalid: it has entities with too many columns", failures: wide)
    }
    let wrong =
      TemplateCheck(schema: stored).failures(of: named) + RuleCheck(schema: stored).failures
      + DerivedCheck(schema: stored).failures
    guard wrong.isEmpty else {
      throw StoreError(
        .invalidSchema,
        "the schema is invalid: it has faulty templates, rules or derived attributes",
        failures: wrong)
    }
    self.stored = stored
    self.models = models
  }

  /// A schema that was frozen, with every name in the store as it was, for tools without its models.
  ///
  /// - Throws: `invalidSchema` when it breaks a rule.
  package init(frozen stored: StoredSchema) throws {
    let checked = try Schema(stored)
    entities = checked.entities
    warnings = checked.warnings
    models = [:]
    var stored = stored
    stored.entities.removeAll(where: \.holdsHistory)
    stored.migrations = nil
    stored.aliases = nil
    self.stored = stored
  }

  /// The part of a schema that one of several stores keeps, which a coordinator has dealt to it.
  ///
  /// Relationships may lead to entities that it lacks.
  package init(part stored: StoredSchema, of schema: Schema) {
    let names = Set(stored.everyEntity.map(\.modelName))
    entities = schema.entities.filter { names.contains($0.name) }
    warnings = []
    self.stored = stored
    models = [:]
  }

  /// Joins schemas; an entity that two of them declare differently is refused with both.
  ///
  /// ```swift
  /// let schema = try Schema(joining: Schema(Snack.self), Schema(Team.self, Player.self))
  /// ```
  ///
  /// - Parameters:
  ///   - schemas: the schemas to be joined.
  ///   - version: the version of the whole; unless given, the highest of the schemas'.
  /// - Throws: `invalidSchema`.
  public init(joining schemas: Schema..., version: Int? = nil) throws {
    var entities: [EntityDescription] = []
    for entity in schemas.flatMap(\.entities) where !entities.contains(entity) {
      entities.append(entity)
    }
    let models = schemas.map(\.models).reduce(into: [:]) { all, models in
      all.merge(models) { first, _ in first }
    }
    try self.init(
      entities: entities, naming: .asIs, version: version ?? schemas.compactMap(\.version).max(),
      failures: [], models: models)
  }

  /// The entity with this name in the program.
  ///
  /// ```swift
  /// print(schema["Snack"]?.attributes.map(\.name) ?? [])
  /// ```
  public subscript(name: String) -> EntityDescription? {
    entities.first { $0.name == name }
  }
}

extension Schema {
  /// Compares the entities and the version; all else is worked out from them.
  public static func == (one: Schema, other: Schema) -> Bool {
    one.entities == other.entities && one.version == other.version
  }

  /// Hashes the entities and the version.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entities)
    hasher.combine(version)
  }
}

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey { case entities, version }

  /// Reads the entities and checks them again, since a schema from elsewhere may break rules.
  ///
  /// - Throws: `invalidSchema`, with one failure for each broken rule.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      entities: try values.decode([EntityDescription].self, forKey: .entities),
      version: try values.decodeIfPresent(Int.self, forKey: .version))
  }

  /// Writes the entities and the version; all else is worked out of them.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entities, forKey: .entities)
    try values.encodeIfPresent(version, forKey: .version)
  }
}

extension Persistable {
  /// The entity's description, through an existential.
  fileprivate static var entityDescription: EntityDescription {
    var description = entity.description
    description.templates = entity.templates
    description.rules = entity.rules
    for (name, derived) in entity.derivations {
      guard let position = description.position(of: name) else { continue }
      description.attributes[position].derived = derived
    }
    return description
  }

  /// The conflicts between the declaration and the shared attributes.
  fileprivate static var sharedFailures: [StoreError] { entity.sharedFailures }

  /// The contradictions among the relationships.
  fileprivate static var relationshipFailures: [StoreError] {
    entity.relationships.isEmpty ? [] : entity.resolved.failures
  }

  /// The errors of structs that cannot be embedded, and of a column count that is not the entity's.
  fileprivate static var embeddingFailures: [StoreError] {
    let declared = entity.declared
    var failures = entity.embeddingFaults.map { message, attribute in
      StoreError(.invalidSchema, message, entity: declared.name, attributes: [attribute])
    }
    if columnCount != declared.attributes.count {
      failures.append(
        StoreError(
          .invalidSchema,
          "the type says that it has \(columnCount) columns, and declares "
            + "\(declared.attributes.count) attributes", entity: declared.name))
    }
    return failures
  }
}

extension EntityDescription {
  /// The same with every name in the store filled in.
  func named(by naming: NamingStrategy) -> EntityDescription {
    var copy = self
    if key.isEmpty, keySource == .program { copy.keySource = .hidden }
    copy.storedName = storedName ?? naming.entityName(name)
    for relationship in relationships where relationship.storedName != nil {
      guard case .own(let names, position: _)? = relationship.storage else { continue }
      for position in names.compactMap({ self.position(of: $0) })
      where attributes[position].storedName == nil {
        copy.attributes[position].storedName = relationship.storedName(
          of: attributes[position].name, in: self, by: naming)
      }
    }
    for position in copy.attributes.indices {
      let attribute = copy.attributes[position]
      copy.attributes[position].storedName = StoredNamePath.name(
        (attribute.name, attribute.storedName), by: naming)
    }
    return copy
  }
}
