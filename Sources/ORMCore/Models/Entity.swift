/// What a model is kept as: its entity's description, and which key path is which attribute.
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
public struct Entity<Model>: Sendable {
  /// The description, a value without the Swift type.
  public let description: EntityDescription
  /// The position of each attribute by its name.
  let names: [String: Int]
  private let positions: [KeyPathKey: Int]

  /// Makes an entity of its parts; `storedName` overrides the name in the store.
  public init(
    _ name: String, storedName: String? = nil,
    @EntityBuilder<Model> _ parts: () -> EntityPart<Model>
  ) {
    let part = parts()
    var description = EntityDescription(name: name, storedName: storedName)
    var positions: [KeyPathKey: Int] = [:]
    for item in part.items {
      switch item {
      case .attribute(let attribute, let path):
        positions[KeyPathKey(path: path)] = description.attributes.count
        description.attributes.append(attribute)
      case .key(let name, let source):
        description.key.append(name)
        if source != .program { description.keySource = source }
      case .index(let index): description.indexes.append(index)
      }
    }
    if description.key.isEmpty { description.keySource = .hidden }
    self.description = description
    self.positions = positions
    names = Dictionary(
      description.attributes.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The position of the attribute that the key path reads; nil for a property that is none.
  ///
  /// A table look-up of about 50 ns: for building queries, not for each row.
  public func position(of path: any AnyKeyPath & Sendable) -> Int? {
    positions[KeyPathKey(path: path)]
  }

  /// The name of the attribute that the key path reads; nil for a property that is none.
  public func name(of path: any AnyKeyPath & Sendable) -> String? {
    position(of: path).map { description.attributes[$0].name }
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
