public import ORMCore
internal import ORMRows
public import ORMStorage

/// One of the stores of a ``StoreCoordinator``: a name, the entities that lie in it, and its opening.
///
/// ```swift
/// let main = StoreConfiguration.configuration("main", Team.self, at: .sqlite(path: "app.sqlite"))
/// ```
///
/// The name is stored. Entities are named by their models, subentities with their root. A
/// configuration that names none has all entities that no other names.
public struct StoreConfiguration: Sendable {
  /// The name, by which errors and explanations know the store.
  public let name: String
  /// The names in the program of the entities; empty for all that no other configuration has.
  public let entities: [String]
  /// True if the commits of the store survive the end of the process.
  public let isDurable: Bool
  /// The location of the store; nil if the program opens it itself.
  public let location: StoreLocation?
  let open: @Sendable (Schema, StoreOptions) throws -> any Store

  /// A configuration whose store is opened at a location.
  ///
  /// ```swift
  /// let cache = StoreConfiguration.configuration("cache", Snack.self, at: .memory)
  /// ```
  public static func configuration(
    _ name: String, _ models: any Persistable.Type..., at location: StoreLocation
  ) -> StoreConfiguration {
    configuration(name, entities: models.map { $0.configuredName }, at: location)
  }

  /// A configuration of entities that are known by their names, whose store is opened at a location.
  ///
  /// ```swift
  /// let cache = StoreConfiguration.configuration("cache", entities: ["Snack"], at: .memory)
  /// ```
  public static func configuration(
    _ name: String, entities: [String], at location: StoreLocation
  ) -> StoreConfiguration {
    StoreConfiguration(
      name: name, entities: entities, isDurable: location.kind.isDurable, location: location,
      open: { try location.open(schema: $0, options: $1) })
  }

  /// A configuration whose store the program opens itself.
  ///
  /// ```swift
  /// let cache = StoreConfiguration.configuration(
  ///   "cache", Snack.self, isDurable: false
  /// ) { schema, options in
  ///   MemoryStore(schema: schema, options: options, limit: 64 << 20)
  /// }
  /// ```
  ///
  /// A migration that changes several durable configurations needs a `location` for all but one of them.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - models: the models of the entities.
  ///   - isDurable: true if the store's commits survive the end of the process.
  ///   - open: opens the store with the schema and the options that it is given; it may be called more
  ///     than once. Options of the schema policy are not to be changed.
  public static func configuration(
    _ name: String, _ models: any Persistable.Type..., isDurable: Bool = true,
    open: @escaping @Sendable (Schema, StoreOptions) throws -> any Store
  ) -> StoreConfiguration {
    StoreConfiguration(
      name: name, entities: models.map { $0.configuredName }, isDurable: isDurable, location: nil,
      open: open)
  }
}

extension Persistable {
  /// The name of the entity, through an existential.
  fileprivate static var configuredName: String { entity.description.name }
}
