extension EntityPart {
  /// A property that is a struct with attributes of its own, stored among those of this entity:
  /// `.embedded("address", \.address)`.
  ///
  /// ```swift
  /// static let home: EntityPart<Customer> = .embedded("home", \.home)
  /// ```
  ///
  /// The struct is a ``Persistable`` without a primary key, relationships and templates. Its
  /// attributes are named by the path, `address.street`, and stored as `address_street`; their
  /// options and indexes come along, and this entity can have indexes over them. A struct may
  /// embed others.
  ///
  /// - Parameters:
  ///   - name: the property's name, with which the names of the attributes begin.
  ///   - path: the property.
  ///   - storedName: another beginning of the names in the store.
  public static func embedded<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: embeddedItems(name, path, storedName))
  }

  /// A property that is a struct or nil, stored among the attributes of this entity.
  ///
  /// ```swift
  /// static let work: EntityPart<Customer> = .embedded("work", \.work)
  /// ```
  ///
  /// A column of its own says whether it is there; conditions name it by the property's name, and
  /// `address == nil` asks for it. The struct's own attributes are all optional in the store, and
  /// nil where there is no struct. Key paths go through it with an exclamation mark,
  /// `\.address!.street`; in closures it is `$0.address.street`.
  public static func embedded<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value?>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: embeddedItems(name, path, storedName))
  }

  /// An embedded struct, after the parts so far.
  ///
  /// ```swift
  /// let entity = Entity<Customer>("Customer") {
  ///   .key("id", \.id).attribute("name", \.name)
  ///     .embedded("home", \.home).embedded("work", \.work)
  /// }
  /// ```
  public func embedded<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: items + Self.embeddedItems(name, path, storedName))
  }

  /// An optional embedded struct, after the parts so far.
  public func embedded<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value?>, storedName: String? = nil
  ) -> EntityPart {
    EntityPart(items: items + Self.embeddedItems(name, path, storedName))
  }

  private static func embeddedItems<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value>, _ storedName: String?
  ) -> [Item] {
    [
      .embedded(
        EmbeddedProperty(
          name: name, storedName: storedName, model: Value.self, path: path, unwrapped: nil))
    ]
  }

  private static func embeddedItems<Value: Persistable>(
    _ name: String, _ path: AttributePath<Model, Value?>, _ storedName: String?
  ) -> [Item] {
    [
      .embedded(
        EmbeddedProperty(
          name: name, storedName: storedName, model: Value.self, path: path,
          unwrapped: AttributePaths.joined(path, \Value?.self!)))
    ]
  }
}
