package import ORMStorage

/// The mapping of a model to an entity: the entity's description, and the attribute of each key
/// path.
///
/// ```swift
/// static let entity = Entity<Snack>("Snack") {
///   .key("id", \.id, .generated)
///   .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
///   .attribute("price", \.price, .default(0))
///   .index("name", .descending("price"))
/// }
/// ```
///
/// A declaration that breaks a rule is no error here: building the ``Schema`` names them all.
public final class Entity<Model>: Sendable {
  /// The description as it was declared: to-ones in the key by their own names.
  @usableFromInline package let written: EntityDescription
  /// True if to-ones are part of the primary key.
  @usableFromInline package let hasLinkedKey: Bool
  /// The to-ones that are parts of the key, and the key that they make.
  let linkedKey: LinkedKey<Model>
  /// The relationships with their Swift types, in declared order.
  package let relationships: [any RelationshipEnd<Model>]
  /// The embedded structs, each before those inside it.
  package let embedded: [EmbeddedStruct]
  /// The reasons why types cannot be embedded, and the attributes that hold them.
  let embeddingFaults: [(message: String, attribute: String)]
  /// The conflicts between the declaration and the shared attributes.
  let sharedFailures: [StoreError]
  /// The attributes that name a fallback, by their positions.
  let fallbacks: [Int: AttributeDescription]
  private let positions: [KeyPathKey: Int]
  private let declaredTemplates: [(QueryTemplate, target: (@Sendable () -> String)?)]
  let declaredRules: [@Sendable () -> ValidationRule]
  let declaredChecks: [AttributeCheck<Model>]
  private let declaredDerivations: [(String, @Sendable () -> DerivedValue)]
  private let declaredNames: [String: Int]
  /// True if the declaration is all there is: no relationship or parent adds to it.
  private let isWhole: Bool
  /// True if a declared name is a path, as those of the attributes of structs are.
  private let declaresPaths: Bool
  private let naming: NamingStrategy?
  /// The model of the entity that this one is a subentity of.
  package let parentModel: (any Persistable.Type)?
  @usableFromInline let resolution = EntityResolution.Once()
  private let operands = PathOperands()
  /// The filters that objects of the model were asked.
  let filters = ObjectFilters()
  /// The templates as they were parsed.
  package let parsedTemplates = ParsedTemplates()
  /// The columns of the model's coding keys, once it has been decoded.
  let cachedCoding = OnceReference<RowCoding>()

  /// Makes an entity of its parts.
  ///
  /// ```swift
  /// let entity = Entity<Snack>("Snack") {
  ///   .key("id", \.id, .generated).attribute("name", \.name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the entity's name.
  ///   - storedName: another name in the store.
  ///   - naming: the rule that forms names in the store from those that this entity declares; the schema's
  ///     unless given.
  ///   - parent: the model that this one is a kind of: its rows are rows of the parent too, with one
  ///     key space. It declares the parent's key and attributes again, and then its own.
  ///   - parts: the key, attributes, relationships, indexes and rules.
  public init(
    _ name: String, storedName: String? = nil, naming: NamingStrategy? = nil,
    parent: (any Persistable.Type)? = nil, @EntityBuilder<Model> _ parts: () -> EntityPart<Model>
  ) {
    let part = parts()
    var description = EntityDescription(name: name, storedName: storedName)
    var positions: [KeyPathKey: Int] = [:]
    var relationships: [any RelationshipEnd<Model>] = []
    var embedded: [EmbeddedStruct] = []
    var faults: [(message: String, attribute: String)] = []
    var templates: [(QueryTemplate, target: (@Sendable () -> String)?)] = []
    var rules: [@Sendable () -> ValidationRule] = []
    var checks: [AttributeCheck<Model>] = []
    var derivations: [(String, @Sendable () -> DerivedValue)] = []
    var linkedKeys: [String: (any AnyKeyPath & Sendable)?] = [:]
    let shared = SharedAttributes(of: Model.self)
    for item in part.items + shared.rules {
      switch item {
      case .rule(let rule): rules.append(rule)
      case .check(let check): checks.append(check)
      case .derivation(let name, let value): derivations.append((name, value))
      case .attribute(let attribute, let path):
        positions[KeyPathKey(path: path)] = description.attributes.count
        description.attributes.append(attribute)
      case .key(let name, let source):
        description.key.append(name)
        if source != .program { description.keySource = source }
      case .alias(let path):
        positions[KeyPathKey(path: path)] = description.attributes.count - 1
      case .linkedKey(let name, let id):
        description.key.append(name)
        linkedKeys[name] = .some(id)
      case .embedded(let property):
        let inner = EmbeddedAttributes(property, of: Model.self, at: description.attributes.count)
        for (path, position) in inner.positions {
          positions[KeyPathKey(path: path)] = description.attributes.count + position
        }
        description.attributes += inner.attributes
        description.indexes += inner.indexes
        embedded += inner.structs
        faults += inner.faults
      case .index(let index): description.indexes.append(index)
      case .template(let template, let target): templates.append((template, target))
      case .relationship(let end):
        relationships.append(end)
        description.relationships.append(end.declaration)
      }
    }
    sharedFailures = shared.apply(to: &description) { positions[KeyPathKey(path: $1)] = $0 }
    if description.key.isEmpty { description.keySource = .hidden }
    if let naming { description = description.named(by: naming) }
    self.naming = naming
    parentModel = parent
    written = description
    linkedKey = LinkedKey(linkedKeys, relationships)
    hasLinkedKey = !linkedKeys.isEmpty
    self.relationships = relationships
    self.embedded = embedded
    embeddingFaults = faults
    self.positions = positions
    declaredTemplates = templates
    fallbacks = Dictionary(
      uniqueKeysWithValues: description.attributes.enumerated()
        .filter { $1.fallback != nil }.map { ($0, $1) })
    declaredRules = rules
    declaredChecks = checks
    declaredDerivations = derivations
    declaredNames = EntityResolution.names(of: description)
    isWhole = relationships.isEmpty && parent == nil
    declaresPaths = description.attributes.contains { $0.name.utf8.contains(UInt8(ascii: ".")) }
  }

  /// The declared description, before the relationships were resolved: the names of the key's
  /// attributes among them, but not those attributes that hold the keys of to-ones.
  @inlinable
  package var declared: EntityDescription { hasLinkedKey ? linkedDescription : written }

  /// The declared description with the attributes of to-ones in the key.
  @usableFromInline
  var linkedDescription: EntityDescription { linkedKey.parts(of: self).description }

  /// The description, a value without the Swift type: every relationship with its target, its
  /// inverse and the storage of its links, and the attributes that hold the keys of to-ones after
  /// those that were declared.
  public var description: EntityDescription {
    isWhole ? written : resolved.description
  }

  /// The named queries, fetched properties among them.
  package var templates: [QueryTemplate] {
    declaredTemplates.map { template, target in
      var template = template
      template.target = target?()
      return template
    }
  }

  /// True if attributes are derived.
  var hasDerivations: Bool { !declaredDerivations.isEmpty }

  /// The derivation of each derived attribute, by its name.
  package var derivations: [String: DerivedValue] {
    Dictionary(declaredDerivations.map { ($0, $1()) }, uniquingKeysWith: { first, _ in first })
  }

  /// The position of each attribute by its name.
  var names: [String: Int] { isWhole ? declaredNames : resolved.names }

  /// True if attributes may lie in structs, embedded or by their names alone.
  var mayHaveStructs: Bool { declaresPaths || !isWhole }

  /// The type of an attribute; nil where there is none of the name.
  func type(ofAttribute name: String) -> AttributeType? {
    if isWhole { return declaredNames[name].map { written.attributes[$0].type } }
    let resolved = resolved
    return resolved.names[name].map { resolved.description.attributes[$0].type }
  }

  /// The declared description, every relationship with its target's name.
  package var declaredWithTargets: EntityDescription {
    var description = declared
    for (index, end) in relationships.enumerated() {
      description.relationships[index].target = Self.targetName(of: end)
    }
    return description
  }

  private static func targetName<End: RelationshipEnd>(of end: End) -> String {
    End.Target.entity.declared.name
  }

  /// The relationships worked out; at the first use, since the target's type may still be on its
  /// way when this is made.
  @inlinable
  package var resolved: EntityResolution { resolution.known ?? resolve() }

  @usableFromInline
  func resolve() -> EntityResolution {
    resolution.value {
      EntityResolution(
        declared, ends: relationships, naming: naming, parent: parentModel.map { Self.name(of: $0) }
      )
    }
  }

  /// The name of another model's entity, whose type may still be on its way when this is made.
  private static func name<Other: Persistable>(of model: Other.Type) -> String {
    Other.entity.declared.name
  }

  /// The declared attributes by their key paths.
  package var paths: [(path: any AnyKeyPath & Sendable, position: Int)] {
    positions.map { ($0.key.path, $0.value) }
  }

  /// The position of the attribute that the key path reads; nil for a property that is none.
  ///
  /// A table look-up of about 50 ns: for building queries, not for each row.
  public func position(of path: any AnyKeyPath & Sendable) -> Int? {
    positions[KeyPathKey(path: path)] ?? linkedKey.column(at: path, of: self)
  }

  /// The operand of the attribute that the key path reads, as it was made before, or is made now;
  /// nil for a property that is none.
  func operand(
    of path: any AnyKeyPath & Sendable, orMake make: (any AnyKeyPath & Sendable) -> Operand?
  ) -> Operand? { operands.operand(of: path, orMake: make) }

  /// The name of the attribute that the key path reads; nil for a property that is none.
  public func name(of path: any AnyKeyPath & Sendable) -> String? {
    position(of: path).map { name(at: $0) }
  }

  private func name(at position: Int) -> String {
    written.attributes.indices.contains(position)
      ? written.attributes[position].name : resolved.description.attributes[position].name
  }

  /// The name of the attribute or relationship that a key path reads which is not known to be
  /// `Sendable`; nil for a property that is none.
  func name(ofPath path: AnyKeyPath) -> String? {
    if let position = positions.first(where: { ($0.key.path as AnyKeyPath) == path })?.value {
      return written.attributes[position].name
    }
    if let position = linkedKey.column(at: path, of: self) { return name(at: position) }
    return relationships.first { ($0.path as AnyKeyPath) == path }?.declaration.name
  }

  /// The relationship that the key path reads; nil for a property that is none.
  package func relationship(
    at path: any AnyKeyPath & Sendable
  ) -> (any RelationshipEnd<Model>)? {
    relationships.first { ($0.path as AnyKeyPath) == (path as AnyKeyPath) }
  }

  /// The path to the key of a to-one that a key path reads, such as `\.team.id`; nil for any other
  /// key path, and for a key of several attributes.
  func linkKey(at path: any AnyKeyPath & Sendable) -> Operand? {
    func key<End: RelationshipEnd>(of end: End) -> Operand? {
      guard !end.declaration.isToMany, let id = end.keyPath,
        (id as AnyKeyPath) == (path as AnyKeyPath)
      else { return nil }
      let key = End.Target.entity.declared.key
      return key.count == 1 ? .path(.init([end.declaration.name, key[0]])) : nil
    }
    return relationships.lazy.compactMap { key(of: $0) }.first
  }
}

/// A key path as the key of a dictionary.
private struct KeyPathKey: Hashable, Sendable {
  let path: any AnyKeyPath & Sendable

  static func == (a: KeyPathKey, b: KeyPathKey) -> Bool {
    (a.path as AnyKeyPath) == (b.path as AnyKeyPath)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(path as AnyKeyPath) }
}
