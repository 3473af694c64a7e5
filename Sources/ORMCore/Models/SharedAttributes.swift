internal import ORMStorage

/// The declarations that a model's protocols contribute to its attributes, added to its entity's.
///
/// A Swift struct declares its stored properties itself, and so does its entity: the key path of a
/// protocol's property differs from that of the struct's. So protocols do not add attributes:
/// they add options, keys, indexes, templates and rules. Their key paths become names of the
/// attributes too, so that generic code can ask for them.
struct SharedAttributes<Model> {
  private let items: [EntityPart<Model>.Item]

  /// Reads the shared attributes of a model; empty for a type that is not a model.
  init(of model: Model.Type) {
    func items<Shared: Persistable>(of model: Shared.Type) -> [EntityPart<Model>.Item] {
      (Shared.sharedAttributes as? EntityPart<Model>)?.items ?? []
    }
    self.items = (model as? any Persistable.Type).map { items(of: $0) } ?? []
  }

  /// The rules and checks, which stand as if the entity had declared them.
  var rules: [EntityPart<Model>.Item] {
    items.filter { item in
      switch item {
      case .rule, .check: true
      default: false
      }
    }
  }

  /// Adds the rest to a declaration; `note` is given the position of each attribute and the key path that
  /// the protocol has for it.
  ///
  /// - Returns: the conflicts between the two.
  func apply(
    to entity: inout EntityDescription, note: (Int, any AnyKeyPath & Sendable) -> Void
  ) -> [StoreError] {
    var failures: [StoreError] = []
    func fail(_ message: String, _ attribute: String) {
      failures.append(
        StoreError(.invalidSchema, message, entity: entity.name, attributes: [attribute]))
    }
    for item in items {
      switch item {
      case .attribute(let shared, let path):
        guard let position = entity.position(of: shared.name) else {
          fail(
            "the protocol shares an attribute that the model's entity does not "
              + "declare", shared.name)
          continue
        }
        let own = entity.attributes[position]
        if own.type != shared.type || own.isOptional != shared.isOptional {
          fail("its type or optionality differs from the shared declaration", shared.name)
        }
        entity.attributes[position].take(shared)
        note(position, path)
      case .key(let name, let source):
        if !entity.key.contains(name) {
          fail(
            "the shared declaration makes it a key, and the model does not", name)
        }
        if entity.keySource == .program { entity.keySource = source }
      case .index(let index):
        if !entity.indexes.contains(index) { entity.indexes.append(index) }
      case .template(let template, let target):
        if target != nil || entity.templates.contains(where: { $0.name == template.name }) {
          fail(
            "a shared template must fetch the model's own entity and have a name of its "
              + "own", template.name
          )
        } else {
          entity.templates.append(template)
        }
      case .relationship(let end):
        fail(
          "a relationship cannot be shared; declare it in the model", end.declaration.name)
      case .linkedKey(let name, id: _):
        fail("a to-one of the key cannot be shared; declare it in the model", name)
      case .embedded(let property):
        fail(
          "an embedded struct cannot be shared; declare it in the model", property.name)
      case .derivation(let name, _):
        fail(
          "a derived attribute cannot be shared; declare it in the model", name)
      // The key path of a protocol's property is noted with its attribute.
      case .rule, .check, .alias: break
      }
    }
    return failures
  }
}

extension AttributeDescription {
  /// Takes the options that the attribute does not set from the shared attribute.
  fileprivate mutating func take(_ shared: AttributeDescription) {
    defaultValue = defaultValue ?? shared.defaultValue
    storedName = storedName ?? shared.storedName
    role = role ?? shared.role
    isNormalized = isNormalized || shared.isNormalized
  }
}

extension Persistable {
  /// No shared attributes.
  public static var sharedAttributes: EntityPart<Self> { EntityPart(items: []) }
}

extension EntityPart {
  /// Joins several parts into one, for a model that conforms to several protocols with shared attributes;
  /// without it the compiler finds them ambiguous.
  ///
  /// ```swift
  /// protocol Priced: Persistable { var price: Double { get } }
  /// extension Priced {
  ///   static var pricing: EntityPart<Self> { .attribute("price", \.price, .indexed, .default(0)) }
  ///   static var sharedAttributes: EntityPart<Self> { pricing }
  /// }
  /// struct Cake: Priced, Stamped, Codable {
  ///   var name: String
  ///   var price = 0.0
  ///   var createdAt = Date.distantPast
  ///   var changedAt = Date.distantPast
  ///   static let entity = Entity<Cake>("Cake") { .attribute("name", \.name) }
  ///   static var sharedAttributes: EntityPart<Cake> { .joined(pricing, stamps) }
  /// }
  /// ```
  public static func joined(_ parts: EntityPart...) -> EntityPart {
    EntityPart(items: parts.flatMap(\.items))
  }
}
