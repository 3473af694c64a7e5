import FoundationEssentials
import ORMCore

/// Every kind of relationship but those through an entity of their own.
struct Team: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var name: String
  var coach: ToOne<Coach> = ToOne()
  var players: ToMany<Player> = ToMany()
  var leagues: ToMany<League> = ToMany()
  static let entity = Entity<Team>("Team") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("coach", \.coach, inverse: \Coach.team)
      .relationship("players", \.players, inverse: \Player.team, delete: .cascade, count: 0...25)
      .relationship("leagues", \.leagues, inverse: \League.teams)
  }
}

struct Coach: Persistable, PrimaryKeyed, Hashable {
  var id: UUID
  var name: String
  var team: ToOne<Team> = ToOne()
  static let entity = Entity<Coach>("Coach") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("team", \.team)
  }

  init(id: UUID, name: String) {
    self.id = id
    self.name = name
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    team = try row.toOne(0, of: Coach.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(team, toOne: 0, of: Coach.self)
  }
}

struct Player: Persistable, PrimaryKeyed, Hashable {
  var id: Int64
  var age: Int
  var team: ToOne<Team> = ToOne()
  static let entity = Entity<Player>("Player") {
    .key("id", \.id)
      .attribute("age", \.age)
      .relationship("team", \.team)
  }

  init(id: Int64, age: Int, team: ToOne<Team> = ToOne()) {
    self.id = id
    self.age = age
    self.team = team
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    age = try row[1]
    team = try row.toOne(0, of: Player.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(age, at: 1)
    try row.write(team, toOne: 0, of: Player.self)
  }
}

struct League: Persistable, PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var country: String
    var number: Int
  }
  var id: ID
  var teams: ToMany<Team> = ToMany()
  static let entity = Entity<League>("League") {
    .key("country", \.id.country)
      .key("number", \.id.number)
      .relationship("teams", \.teams, ordered: true)
  }
}
