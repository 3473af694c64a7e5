package import ORMStorage

/// Parts of an entity's declaration: keys, attributes and indexes, one after the other.
///
/// ```swift
/// let entity = Entity<Snack>("Snack") {
///   .key("id", \.id, .generated)
///     .attribute("name", \.name, .indexed)
///     .attribute("price", \.price)
/// }
/// ```
///
/// Lines may follow one another with or without semicolons; both read the same.
public struct EntityPart<Model>: Sendable {
  package var items: [Item]

  package enum Item: Sendable {
    case attribute(AttributeDescription, any AnyKeyPath & Sendable)
    case key(String, StoredEntity.KeySource)
    /// A second key path of the attribute before.
    case alias(any AnyKeyPath & Sendable)
    /// A to-one whose key is part of the primary key, and the path to that part of `id`.
    case linkedKey(String, id: (any AnyKeyPath & Sendable)?)
    case index(IndexDescription)
    case relationship(any RelationshipEnd<Model>)
    case embedded(EmbeddedProperty)
    /// A template, and the name of the entity it fetches where that is another.
    case template(QueryTemplate, target: (@Sendable () -> String)?)
    /// A rule, made when it is asked for first: it may name attributes of the entity that is on its
    /// way.
    case rule(@Sendable () -> ValidationRule)
    case check(AttributeCheck<Model>)
    /// The derivation of an attribute, by its name, made when it is first asked for.
    case derivation(String, @Sendable () -> DerivedValue)
  }

  package init(items: [Item]) { self.items = items }

  /// No parts yet.
  @usableFromInline init() { items = [] }

  /// An attribute of the primary key, in key order: `.key("id", \.id, .generated)`.
  ///
  /// ```swift
  /// static let key: EntityPart<Snack> = .key("id", \.id, .generated)
  /// ```
  public static func key<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...
  ) -> EntityPart {
    EntityPart(items: keyItems(name, path, options))
  }

  /// An attribute of the primary key whose property has another name than `id`.
  ///
  /// `id` reads and sets the property, and conditions may use either key path:
  ///
  /// ```swift
  /// struct Snack: PrimaryKeyed, Codable {
  ///   var snackID: Int64 = 0
  ///   var name: String
  ///   var id: Int64 { get { snackID } set { snackID = newValue } }
  ///
  ///   static let entity = Entity<Snack>("Snack") {
  ///     .key("snackID", \.snackID, .generated, id: \.id)
  ///     .attribute("name", \.name)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute's name.
  ///   - path: the property.
  ///   - options: the source of keys, and another name in the store.
  ///   - id: `\.id`, or the part of it that is this attribute.
  public static func key<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...,
    id: AttributePath<Model, Value>
  ) -> EntityPart {
    EntityPart(items: keyItems(name, path, options) + [.alias(id)])
  }

  /// An attribute: `.attribute("name", \.name, .indexed, .default(""))`.
  ///
  /// ```swift
  /// static let price: EntityPart<Snack> = .attribute("price", \.price, .indexed)
  /// ```
  public static func attribute<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: AttributeOption<Value>...
  ) -> EntityPart {
    EntityPart(items: attributeItems(name, path, options))
  }

  /// An attribute of any Codable type, stored as a JSON text.
  ///
  /// ```swift
  /// static let tags: EntityPart<Snack> = .json("tags", \.tags)
  /// ```
  public static func json<Value: Codable & Sendable>(
    _ name: String, _ path: AttributePath<Model, Value>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: jsonItems(name, path, storedName))
  }

  /// An index over one or several attributes: `.index("team", .descending("score"))`.
  ///
  /// ```swift
  /// static let indexes: EntityPart<Snack> = .index("taste", .descending("price"))
  /// ```
  public static func index(_ terms: IndexDescription.Term...) -> EntityPart {
    EntityPart(items: [.index(IndexDescription(terms))])
  }

  /// A unique rule over one or several attributes; rows with a nil among them are exempt.
  ///
  /// ```swift
  /// static let rules: EntityPart<Snack> = .unique("name", "taste")
  /// ```
  public static func unique(_ terms: IndexDescription.Term...) -> EntityPart {
    EntityPart(items: [.index(IndexDescription(terms, isUnique: true))])
  }

  /// An attribute of the key, after the parts so far.
  public func key<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...
  ) -> EntityPart {
    EntityPart(items: items + Self.keyItems(name, path, options))
  }

  /// An attribute of a key whose property has another name than `id`, after the parts so far.
  public func key<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: KeyOption...,
    id: AttributePath<Model, Value>
  ) -> EntityPart {
    EntityPart(items: items + Self.keyItems(name, path, options) + [.alias(id)])
  }

  /// An attribute, after the parts so far.
  ///
  /// ```swift
  /// let entity = Entity<Snack>("Snack") {
  ///   .key("id", \.id).attribute("name", \.name).attribute("price", \.price)
  /// }
  /// ```
  public func attribute<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: AttributeOption<Value>...
  ) -> EntityPart {
    EntityPart(items: items + Self.attributeItems(name, path, options))
  }

  /// An attribute of any Codable type stored as a JSON text, after the parts so far.
  public func json<Value: Codable & Sendable>(
    _ name: String, _ path: AttributePath<Model, Value>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: items + Self.jsonItems(name, path, storedName))
  }

  /// An index, after the parts so far.
  ///
  /// ```swift
  /// let entity = Entity<Snack>("Snack") {
  ///   .key("id", \.id).attribute("name", \.name).attribute("price", \.price).index("name", .descending("price"))
  /// }
  /// ```
  public func index(_ terms: IndexDescription.Term...) -> EntityPart {
    EntityPart(items: items + [.index(IndexDescription(terms))])
  }

  /// A unique rule, after the parts so far.
  ///
  /// ```swift
  /// let entity = Entity<Snack>("Snack") {
  ///   .key("id", \.id).attribute("name", \.name).unique("name")
  /// }
  /// ```
  public func unique(_ terms: IndexDescription.Term...) -> EntityPart {
    EntityPart(items: items + [.index(IndexDescription(terms, isUnique: true))])
  }
}

extension EntityPart {
  private static func keyItems<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: [KeyOption]
  ) -> [Item] {
    let attribute = AttributeDescription(
      name, Value.attributeType, storedName: options.compactMap(\.storedName).first,
      isOptional: Value.isOptional)
    return [
      .attribute(attribute, path), .key(name, options.compactMap(\.source).first ?? .program),
    ]
  }

  static func attributeItems<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ options: [AttributeOption<Value>]
  ) -> [Item] {
    var attribute = AttributeDescription(name, Value.attributeType, isOptional: Value.isOptional)
    var others: [Item] = []
    let isOptional = Value.isOptional
    for option in options {
      switch option.kind {
      case .index(let form, let isDescending, let isUnique):
        let term = IndexDescription.Term(name, isDescending: isDescending, form: form)
        others.append(.index(IndexDescription([term], isUnique: isUnique)))
      case .defaultValue(let value): attribute.defaultValue = value
      case .normalized: attribute.isNormalized = true
      case .storedName(let storedName): attribute.storedName = storedName
      case .fallback(let value): attribute.fallback = value
      case .role(let role): attribute.role = role
      case .rule(let rule):
        let whole = rule.rule(of: name, isOptional: isOptional)
        others.append(.rule({ whole }))
      case .check(let message, let holds):
        others.append(
          .check(AttributeCheck(attribute: name, message: message) { holds($0[keyPath: path]) }))
      case .external(let threshold): attribute.externalThreshold = threshold
      }
    }
    return [.attribute(attribute, path)] + others
  }

  private static func jsonItems<Value: Codable & Sendable>(
    _ name: String, _ path: AttributePath<Model, Value>, _ storedName: String?
  ) -> [Item] {
    let isOptional = Value.self is any ExpressibleByNilLiteral.Type
    return [
      .attribute(
        AttributeDescription(name, .json, storedName: storedName, isOptional: isOptional), path)
    ]
  }
}

/// Collects the parts of an entity.
@resultBuilder
public enum EntityBuilder<Model> {
  /// A part; gives lines that begin with a dot their type.
  public static func buildExpression(_ part: EntityPart<Model>) -> EntityPart<Model> { part }

  /// One after the other.
  public static func buildBlock(_ parts: EntityPart<Model>...) -> EntityPart<Model> {
    EntityPart(items: parts.flatMap(\.items))
  }
}
