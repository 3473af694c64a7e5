internal import ORMCore
internal import ORMRows
internal import ORMStorage

/// The entities of a schema, dealt to the members of a coordinator.
struct MemberLayout: Sendable {
  /// The schema of the whole, as programs see it.
  let schema: StoredSchema
  /// The schemas of the members, in the order of the configurations.
  let parts: [StoredSchema]
  /// The member of each entity, by its stored name.
  let memberIndexes: [String: Int]
  /// The member that keeps the journal, the history and contents outside of rows.
  let journal: Int
  let names: [String]
  let isDurable: [Bool]
  /// True if several members are durable, so that the journal is needed.
  let isJournaled: Bool

  /// Deals the entities of a schema.
  ///
  /// - Throws: `invalidSchema`, with one failure for each entity without a configuration or with two,
  ///   and for each name that is unknown or given twice.
  init(
    _ schema: Schema, _ configurations: [StoreConfiguration], _ options: StoreOptions
  ) throws {
    var deal = EntityDeal(schema.stored, configurations)
    deal.run()
    guard deal.failures.isEmpty else {
      throw StoreError(
        .invalidSchema, "the configurations do not fit the schema", failures: deal.failures)
    }
    let isDurable = configurations.map(\.isDurable)
    journal = isDurable.firstIndex(of: true) ?? 0
    names = configurations.map(\.name)
    self.isDurable = isDurable
    isJournaled = isDurable.count(where: \.self) > 1
    var memberIndexes = deal.memberIndexes
    var whole = schema.stored.keepingHistory(options)
    for entity in whole.entities where entity.isInternal {
      memberIndexes[entity.name] =
        Self.memberIndex(of: entity, in: whole, memberIndexes, isDurable) ?? journal
    }
    whole.entities = whole.entities.map { entity in
      memberIndexes[entity.name].map { isDurable[$0] } == false
        ? entity.withoutExternalContents : entity
    }
    parts = configurations.indices.map { member in
      var part = whole
      part.entities.removeAll { memberIndexes[$0.name] != member }
      part.entities.append(CoordinatorEntity.entity)
      return part
    }
    self.schema = whole
    self.memberIndexes = memberIndexes
  }

  private init(_ layout: MemberLayout, schema: StoredSchema, memberIndexes: [String: Int]) {
    self.schema = schema
    self.memberIndexes = memberIndexes
    (parts, journal, names) = (layout.parts, layout.journal, layout.names)
    (isDurable, isJournaled) = (layout.isDurable, layout.isJournaled)
  }

  /// The layout with the history that the journal's store was found to have.
  func keepingHistory(of store: any Store) -> MemberLayout {
    guard let index = store.schema.index(of: HistoryEntity.name) else { return self }
    let entity = store.schema.entities[index]
    var schema = schema
    schema.entities.removeAll { $0.name == entity.name }
    schema.entities.append(entity)
    return MemberLayout(
      self, schema: schema, memberIndexes: memberIndexes.merging([entity.name: journal]) { $1 })
  }

  /// The member for the rows of links; nil for an entity of other rows.
  ///
  /// It is an end that is not durable, so that links and objects go together; else the first end.
  private static func memberIndex(
    of join: StoredEntity, in schema: StoredSchema, _ memberIndexes: [String: Int],
    _ isDurable: [Bool]
  ) -> Int? {
    var ends: Set<Int> = []
    for owner in schema.everyEntity {
      for relationship in owner.relationships {
        guard case .join(join.modelName, own: _, target: _, position: _) = relationship.storage
        else { continue }
        for end in [owner, schema.entity(named: relationship.target)].compactMap(\.self) {
          if let memberIndex = memberIndexes[schema.root(of: end).name] { ends.insert(memberIndex) }
        }
      }
    }
    return ends.filter { !isDurable[$0] }.min() ?? ends.min()
  }
}

/// The assignment of the program's entities to configurations.
private struct EntityDeal {
  private let schema: StoredSchema
  private let configurations: [StoreConfiguration]
  private(set) var memberIndexes: [String: Int] = [:]
  private(set) var failures: [StoreError] = []

  init(_ schema: StoredSchema, _ configurations: [StoreConfiguration]) {
    self.schema = schema
    self.configurations = configurations
  }

  mutating func run() {
    if configurations.isEmpty { fail("there is no configuration") }
    var names: Set<String> = []
    for configuration in configurations {
      if configuration.name.isEmpty { fail("a configuration has no name") }
      if !names.insert(configuration.name).inserted {
        fail("two configurations have the name \(configuration.name)")
      }
    }
    let rest = configurations.indices.filter { configurations[$0].entities.isEmpty }
    if rest.count > 1 {
      fail("two configurations name no entities; one may, which has all that are left")
    }
    for (member, configuration) in configurations.enumerated() {
      for name in configuration.entities { deal(name, to: member) }
    }
    for entity in schema.entities where !entity.isInternal && memberIndexes[entity.name] == nil {
      guard let member = rest.first else {
        fail("it is in no configuration; name it in one", entity.modelName)
        continue
      }
      memberIndexes[entity.name] = member
    }
  }

  private mutating func deal(_ name: String, to member: Int) {
    guard let entity = schema.entity(named: name), !entity.isInternal else {
      return fail("a configuration names it, and the schema lacks it", name)
    }
    let root = schema.root(of: entity)
    guard let other = memberIndexes[root.name], other != member else {
      if entity.parent == nil || configurations[member].entities.contains(root.modelName) {
        memberIndexes[root.name] = member
      } else {
        fail("it lies with its root \(root.modelName); name that", name)
      }
      return
    }
    fail(
      "it is in the configurations \(configurations[other].name) and "
        + "\(configurations[member].name)", name)
  }

  private mutating func fail(_ message: String, _ entity: String? = nil) {
    failures.append(StoreError(.invalidSchema, message, entity: entity))
  }
}

extension StoredEntity {
  /// The entity with data of any size in its rows, none of it in files.
  fileprivate var withoutExternalContents: StoredEntity {
    var entity = self
    for position in entity.columns.indices where entity.columns[position].isExternal {
      entity.columns[position].externalThreshold = .max
    }
    entity.subentities = entity.subentities.map(\.withoutExternalContents)
    return entity
  }
}
