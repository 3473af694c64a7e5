import LMDBBackend
import MemoryBackend
import ORM
import ORMCoordinator
import ORMCore
import ORMMigrations
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Coordinators that several programs open, at the same time or of several versions.
@Suite struct CoordinatorProgramTests {
  private let folder = TestFolder()

  private var sqlite: StoreLocation { .sqlite(path: folder.file("a.sqlite")) }
  private var lmdb: StoreLocation { .lmdb(path: folder.file("b.lmdb")) }

  @Test("12.11: two programs may open a coordinator first at the same time", arguments: [0, 1])
  func bothFirst(_ member: Int) throws {
    // The other opens it, whole, after this one has looked at a store and before it looks at the next.
    let other = Lock<(@Sendable () throws -> Void)?>(nil)
    let locations = [sqlite, .sqlite(path: folder.file("c.sqlite"))]
    @Sendable func configuration(_ position: Int, _ name: String, _ model: any Persistable.Type)
      -> StoreConfiguration
    {
      let location = locations[position]
      guard position == member else { return .configuration(name, model, at: location) }
      return .configuration(name, model) { schema, options in
        FaultyStore(
          try location.open(schema: schema, options: options),
          .call(.reader) { _ in
            try other.withLock { other in
              defer { other = nil }
              return other
            }?()
          })
      }
    }
    @Sendable func open(isOther: Bool) throws -> StoreCoordinator {
      func model(_ position: Int, _ name: String, _ model: any Persistable.Type)
        -> StoreConfiguration
      {
        isOther
          ? .configuration(name, model, at: locations[position])
          : configuration(position, name, model)
      }
      return try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          model(0, "main", Journal.self), model(1, "bulk", Entry.self),
          .configuration("cache", Counter.self, at: .memory),
        ])
    }
    other.withLock { $0 = { try open(isOther: true).close() } }
    let store = try open(isOther: false)
    #expect(other.withLock { $0 == nil })
    #expect(try Numbered.next(in: store) == 1)
    try store.close()
    let again = try open(isOther: true)
    #expect(try again.count(Entry.self) == Numbered.count(1))
    #expect(try again.check().isSound)
    try again.close()
  }

  @Test("10.10: no alias admits an older program to a coordinator", arguments: AliasedName.allCases)
  func aliases(_ name: AliasedName) throws {
    func open(_ schema: Schema, _ plan: MigrationPlan? = nil, isReadOnly: Bool = false) throws
      -> StoreCoordinator
    {
      var options = StoreOptions()
      options.isReadOnly = isReadOnly
      if let plan { options.schemaPolicy = .migrate(plan) }
      let second = schema.stored.entities.map(\.modelName).filter { $0 != "Team" }
      return try StoreCoordinator(
        schema, options: options,
        configurations: [
          .configuration("main", entities: ["Team"], at: sqlite),
          .configuration("bulk", entities: second, at: lmdb),
        ])
    }
    let older = try name.schema(isRenamed: false)
    let store = try open(older)
    try store.write { tx in
      try tx.insert([DynamicRow("Team", ["id": .int(1)])])
      try tx.insert([
        DynamicRow("Player", ["id": .int(1), "score": .int(7), "team_id": .int(1)])
      ])
    }
    try store.close()
    let newer = try name.schema(isRenamed: true)
    try open(newer, MigrationPlan([.version(2, [name.step])])).close()
    for isReadOnly in [false, true] {
      let error = #expect(throws: StoreError.self) { _ = try open(older, isReadOnly: isReadOnly) }
      #expect(error?.code == .schemaTooNew)
    }
    let again = try open(newer)
    let rows = try again.read { try $0.fetch(DynamicQuery(name == .entity ? "Member" : "Player")) }
    #expect(rows.map { $0[name == .attribute ? "points" : "score"] } == [.int(7)])
    #expect(rows.map { $0[name == .relationship ? "club_id" : "team_id"] } == [.int(1)])
    try again.close()
  }
}

/// What is renamed with an alias.
enum AliasedName: String, CaseIterable, Sendable {
  case entity, attribute, relationship

  var step: MigrationStep {
    switch self {
    case .entity: .renameEntity("Player", to: "Member", alias: true)
    case .attribute: .renameAttribute("score", to: "points", in: "Player", alias: true)
    case .relationship: .renameRelationship("team", to: "club", in: "Player", alias: true)
    }
  }

  func schema(isRenamed: Bool) throws -> Schema {
    let entity = isRenamed && self == .entity ? "Member" : "Player"
    let score = isRenamed && self == .attribute ? "points" : "score"
    let team = isRenamed && self == .relationship ? "club" : "team"
    return try Schema(
      entities: [
        EntityDescription(name: "Team", attributes: [.init("id", .int64)], key: ["id"]),
        EntityDescription(
          name: entity,
          attributes: [
            .init("id", .int64), .init(score, .int64),
            .init("\(team)_id", .int64, isOptional: true),
          ], key: ["id"], indexes: [IndexDescription([.init("\(team)_id")])],
          relationships: [
            RelationshipDescription(
              team, target: "Team", isToMany: false,
              storage: .own(["\(team)_id"], position: nil))
          ]),
      ], version: isRenamed ? 2 : 1)
  }
}
