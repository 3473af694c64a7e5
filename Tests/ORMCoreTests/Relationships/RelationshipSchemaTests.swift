import FoundationEssentials
import ORMCore
import Testing

@Suite("Relationships in a schema")
struct RelationshipSchemaTests {
  private func schema() throws -> Schema {
    try Schema(Team.self, Coach.self, Player.self, League.self)
  }

  @Test("the key of a many-to-one stands in an indexed column of the to-one's entity")
  func manyToOne() throws {
    let stored = try schema().stored
    let player = try #require(stored.entity(named: "Player"))
    #expect(player.columns.map(\.attribute) == ["id", "age", "team_id"])
    #expect(player.columns[2].type == .int64)
    #expect(player.columns[2].isOptional)
    #expect(player.indexes.map(\.terms) == [[.init(2)]])
    #expect(player.relationships[0].inverse == "players")
    let team = try #require(stored.entity(named: "Team"))
    #expect(
      team.relationship(named: "players")?.storage == .target(["team_id"], position: nil))
  }

  @Test(
    "the key of a one-to-one stands with the end whose entity's name comes first, and is unique")
  func oneToOne() throws {
    let stored = try schema().stored
    let coach = try #require(stored.entity(named: "Coach"))
    #expect(coach.columns.map(\.attribute) == ["id", "name", "team_id"])
    #expect(coach.indexes.map(\.isUnique) == [true])
    let team = try #require(stored.entity(named: "Team"))
    #expect(team.columns.map(\.attribute) == ["id", "name"])
    #expect(team.relationship(named: "coach")?.storage == .target(["team_id"], position: nil))
  }

  @Test("a many-to-many has a join entity with both keys, positions where it is ordered")
  func manyToMany() throws {
    let stored = try schema().stored
    let join = try #require(stored.entity(named: "League_teams"))
    #expect(
      join.columns.map(\.attribute)
        == ["League_country", "League_number", "teams_id", "teams_position"])
    #expect(join.key == [0, 1, 2])
    // By the second key, and by the first key and the position in its order.
    #expect(join.indexes.map(\.terms) == [[.init(2)], [.init(0), .init(1), .init(3)]])
    #expect(join.isInternal)
    let team = try #require(stored.entity(named: "Team"))
    #expect(
      team.relationship(named: "leagues")?.storage
        == .join(
          entity: "League_teams", own: ["teams_id"],
          target: ["League_country", "League_number"], position: nil))
  }

  @Test("5.8: a row holds the key of a to-one, and gives it back as fetched")
  func rows() throws {
    let player = Player(id: 1, age: 20, team: .key(7))
    #expect(try Mapper.values(of: player) == [.int(1), .int(20), .int(7)])
    let read = try Mapper<Player>.model(from: [.int(1), .int(20), .null])
    #expect(read.team.id == nil)
    #expect(read.team.isLoaded)
    let linked = try Mapper<Player>.model(from: [.int(1), .int(20), .int(7)])
    #expect(linked == player)
    #expect(!linked.team.isLoaded)
    #expect(throws: StoreError.self) { try linked.team.get() }
    let team = try Mapper<Team>.model(from: [.int(1), .string("a")])
    #expect(team.players.ids == nil)
    #expect(team.coach.id == nil)
  }

  @Test("a schema with relationships is Codable, and comes back the same")
  func codable() throws {
    let schema = try schema()
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    #expect(try Schema(schema.stored).stored == schema.stored)
  }

  @Test("a missing target is refused with both names")
  func missingTarget() throws {
    let error = #expect(throws: StoreError.self) { try Schema(Player.self) }
    #expect(
      error?.failures.first?.message == "its target Team is not in the schema; add that model")
    #expect(error?.failures.first?.attributes == ["team"])
  }

  @Test("an inverse that has another inverse, and one that leads elsewhere, are refused by name")
  func contradictoryInverses() throws {
    let error = #expect(throws: StoreError.self) { try Schema(Home.self, Tenant.self) }
    let messages = error?.failures.map { "\($0.attributes.first ?? ""): \($0.message)" } ?? []
    #expect(messages.contains("owners: its inverse Tenant.home names another inverse"))
    #expect(messages.contains("friends: its inverse Tenant.pal does not lead back to this entity"))
    #expect(
      Set(error?.failures.map { "\($0.entity ?? "").\($0.attributes.first ?? "")" } ?? [])
        == ["Home.owners", "Home.tenants", "Tenant.home", "Home.friends"],
      "every end of a contradiction is named")
  }

  private struct Home: Persistable, PrimaryKeyed, Codable {
    var id: Int64
    var tenants: ToMany<Tenant> = ToMany()
    var owners: ToMany<Tenant> = ToMany()
    var friends: ToMany<Tenant> = ToMany()
    static let entity = Entity<Home>("Home") {
      .key("id", \.id)
        .relationship("tenants", \.tenants, inverse: \Tenant.home)
        .relationship("owners", \.owners, inverse: \Tenant.home)
        .relationship("friends", \.friends, inverse: \Tenant.pal)
    }
  }

  private struct Tenant: Persistable, PrimaryKeyed, Codable {
    var id: Int64
    var home: ToOne<Home> = ToOne()
    var pal: ToOne<Tenant> = ToOne()
    static let entity = Entity<Tenant>("Tenant") {
      .key("id", \.id)
        .relationship("home", \.home, inverse: \Home.tenants)
        .relationship("pal", \.pal)
    }
  }
}
