internal import ORMStorage

/// The attributes of an embedded struct as attributes of its container, nested ones among them.
struct EmbeddedAttributes {
  private(set) var attributes: [AttributeDescription] = []
  private(set) var indexes: [IndexDescription] = []
  /// The attributes by their key paths, counted from the first of them.
  private(set) var positions: [(path: any AnyKeyPath & Sendable, position: Int)] = []
  /// The struct, and those inside it.
  private(set) var structs: [EmbeddedStruct] = []
  /// The reason why the type cannot be embedded.
  private(set) var faults: [(message: String, attribute: String)] = []

  /// Works them out for a property of a type, whose attributes so far are `start`.
  init(_ property: EmbeddedProperty, of container: Any.Type, at start: Int) {
    func open<Value: Persistable>(_ model: Value.Type) {
      if model == container {
        fault("a struct cannot contain itself", property)
      } else {
        add(Value.entity, property, at: start)
      }
    }
    open(property.model)
  }

  private mutating func fault(_ message: String, _ property: EmbeddedProperty) {
    faults.append((message, property.name))
  }

  private mutating func add<Value: Persistable>(
    _ entity: Entity<Value>, _ property: EmbeddedProperty, at start: Int
  ) {
    let declared = entity.declared
    if !declared.key.isEmpty || Value.self is any PrimaryKeyed.Type {
      fault("\(declared.name) has a primary key, and cannot be embedded", property)
    }
    if !entity.relationships.isEmpty {
      fault("\(declared.name) has relationships, and cannot be embedded", property)
    }
    if !entity.templates.isEmpty {
      fault("\(declared.name) has templates, and cannot be embedded", property)
    }
    if entity.hasDerivations {
      fault("\(declared.name) has derived attributes, and cannot be embedded", property)
    }
    if declared.attributes.contains(where: { $0.role != nil }) {
      fault(
        "\(declared.name) has managed attributes, and cannot be embedded; declare them in the "
          + "containing model", property)
    }
    guard faults.isEmpty else { return }
    for (message, attribute) in entity.embeddingFaults {
      faults.append((message, "\(property.name).\(attribute)"))
    }
    let isOptional = property.unwrapped != nil
    if isOptional {
      attributes.append(
        AttributeDescription(
          property.name, .bool, storedName: property.storedName, isOptional: true))
      positions.append((property.path, 0))
    }
    let first = attributes.count
    for attribute in declared.attributes {
      attributes.append(attribute.embedded(in: property))
    }
    structs.append(
      EmbeddedStruct(
        name: property.name, model: Value.self, path: property.path, isOptional: isOptional,
        columns: start..<start + attributes.count))
    let path = property.unwrapped ?? property.path
    for (inner, position) in entity.paths {
      if let whole = AttributePaths.joined(path, inner) {
        positions.append((whole, first + position))
      }
    }
    for inner in entity.embedded {
      guard let whole = AttributePaths.joined(path, inner.path) else { continue }
      structs.append(inner.inside(property, at: start + first, whole))
    }
    indexes = declared.indexes.map { index in
      IndexDescription(
        index.terms.map { term in
          .init(
            "\(property.name).\(term.attribute)", isDescending: term.isDescending,
            form: term.form)
        }, isUnique: index.isUnique)
    }
  }
}

extension AttributeDescription {
  /// The attribute as one of the container's.
  ///
  /// In an optional struct everything is optional, and nothing has a default: where there is no
  /// struct there is nothing inside it.
  fileprivate func embedded(in property: EmbeddedProperty) -> AttributeDescription {
    var copy = self
    copy.name = "\(property.name).\(name)"
    copy.storedName = StoredNamePath.joined(
      (property.name, property.storedName), (name, storedName))
    if property.unwrapped != nil {
      copy.isOptional = true
      copy.defaultValue = nil
    }
    return copy
  }
}

/// Key paths to attributes, put together.
enum AttributePaths {
  /// A path and then another; nil where they do not fit.
  ///
  /// The standard library's `appending` loses that both are Sendable, which makes the joined path Sendable
  /// too; the representation is the same.
  static func joined(
    _ path: any AnyKeyPath & Sendable, _ next: any AnyKeyPath & Sendable
  ) -> (any AnyKeyPath & Sendable)? {
    guard let whole = (path as AnyKeyPath).appending(path: next as AnyKeyPath) else { return nil }
    return unsafe unsafeBitCast(whole, to: (any AnyKeyPath & Sendable).self)
  }
}
