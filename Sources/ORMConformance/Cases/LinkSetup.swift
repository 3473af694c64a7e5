internal import ORM
internal import ORMCore

/// A setup for the cases of delete rules, links and checks: a store that they look at by names.
struct LinkSetup {
  let context: ConformanceContext
  let store: any Store

  /// A change to a declared relationship.
  struct Change {
    var entity: String
    var relationship: String
    var body: (inout RelationshipDescription) -> Void

    /// Another delete rule: `.rule("Team.players", .cascade)`.
    static func rule(_ name: String, _ rule: DeleteRule) -> Change {
      change(name) { $0.deleteRule = rule }
    }

    /// Another rule for when a target of a one-way relationship goes.
    static func targetRule(_ name: String, _ rule: DeleteRule) -> Change {
      change(name) { $0.targetDeleteRule = rule }
    }

    /// A count.
    static func count(_ name: String, _ minimum: Int, _ maximum: Int? = nil) -> Change {
      change(name) { $0.count = .init(minimum: minimum, maximum: maximum) }
    }

    private static func change(
      _ name: String, _ body: @escaping (inout RelationshipDescription) -> Void
    ) -> Change {
      let parts = name.split(separator: ".").map(String.init)
      return Change(entity: parts[0], relationship: parts[1], body: body)
    }
  }

  /// A new store of some models, their relationships changed.
  init(
    _ context: ConformanceContext, _ models: [any Persistable.Type], _ changes: Change...
  ) throws {
    try self.init(context, models, changes: changes)
  }

  /// The same with the changes in an array.
  init(
    _ context: ConformanceContext, _ models: [any Persistable.Type], changes: [Change]
  ) throws {
    self.context = context
    store = try context.open(Self.schema(models, changes))
  }

  /// Reopens the store of another setup, with relationships changed in another way.
  init(reopening setup: LinkSetup, _ models: [any Persistable.Type], _ changes: Change...) throws {
    context = setup.context
    store = try context.reopen(setup.store, Self.schema(models, changes))
  }

  private static func schema(
    _ models: [any Persistable.Type], _ changes: [Change]
  ) throws -> Schema {
    var entities = models.map { $0.describedEntity }
    for change in changes {
      for index in entities.indices where entities[index].name == change.entity {
        for number in entities[index].relationships.indices
        where entities[index].relationships[number].name == change.relationship {
          change.body(&entities[index].relationships[number])
        }
      }
    }
    return try Schema(entities: entities)
  }

  /// Teams with everything they are linked to.
  static let teams: [any Persistable.Type] = [Team.self, Coach.self, Player.self, League.self]
  /// The models with one-way relationships.
  static let depots: [any Persistable.Type] = [Depot.self, Yard.self, Crate.self, Label.self]
  /// The models with a many-to-many through an entity.
  static let courses: [any Persistable.Type] = [Trainee.self, Workshop.self, Presence.self]

  /// Inserts a row by names.
  func insert(_ entity: String, _ values: [String: StoredValue]) throws {
    try store.write { _ = try $0.insert([DynamicRow(entity, values)]) }
  }

  /// The values of an attribute, in key order.
  func values(_ entity: String, _ attribute: String) throws -> [StoredValue] {
    try store.read { try $0.fetch(DynamicQuery(entity)).map { $0[attribute] } }
  }

  /// An attribute's values are these, in key order.
  func expect(
    _ entity: String, _ attribute: String, _ expected: [StoredValue], file: String = #fileID,
    line: Int = #line
  ) throws {
    try context.expectEqual(
      try values(entity, attribute), expected, "\(entity).\(attribute)", file: file, line: line)
  }

  /// Expects the number of an entity's rows.
  func expectCount(
    _ entity: String, _ expected: Int, file: String = #fileID, line: Int = #line
  ) throws {
    try context.expectEqual(
      try store.read { try $0.count(DynamicQuery(entity)) }, expected, "rows of \(entity)",
      file: file, line: line)
  }
}
