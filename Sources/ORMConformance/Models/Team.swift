internal import FoundationEssentials
internal import ORM

/// A team with every kind of two-way relationship: a coach (one-to-one), players (one-to-many), and
/// leagues (many-to-many).
struct Team: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var coach: ToOne<Coach>
  var players: ToMany<Player>
  var leagues: ToMany<League>
  static let entity = Entity<Team>("Team") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("coach", \.coach, inverse: \Coach.team)
      .relationship("players", \.players, inverse: \Player.team)
      .relationship("leagues", \.leagues, inverse: \League.teams)
  }

  init(
    _ id: Int64 = 0, _ name: String = "", coach: ToOne<Coach> = ToOne(),
    players: ToMany<Player> = ToMany(), leagues: ToMany<League> = ToMany()
  ) {
    self.id = id
    self.name = name
    self.coach = coach
    self.players = players
    self.leagues = leagues
  }
}

/// The one end of a one-to-one, keyed by a UUID and mapped by hand.
struct Coach: Persistable, PrimaryKeyed, Hashable {
  var id: UUID
  var name: String
  var team: ToOne<Team>
  static let entity = Entity<Coach>("Coach") {
    .key("id", \.id, .uuidV4)
      .attribute("name", \.name)
      .relationship("team", \.team)
  }

  init(_ name: String, id: UUID = .unassigned, team: ToOne<Team> = ToOne()) {
    self.id = id
    self.name = name
    self.team = team
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

/// The many end of a one-to-many, with a key of the program, mapped by hand.
struct Player: Persistable, PrimaryKeyed, Hashable {
  var id: Int64
  var name: String
  var age: Int
  var team: ToOne<Team>
  static let entity = Entity<Player>("Player") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("age", \.age)
      .relationship("team", \.team)
  }

  init(_ id: Int64, _ name: String = "", age: Int = 20, team: ToOne<Team> = ToOne()) {
    self.id = id
    self.name = name
    self.age = age
    self.team = team
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    age = try row[2]
    team = try row.toOne(0, of: Player.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(age, at: 2)
    try row.write(team, toOne: 0, of: Player.self)
  }
}

/// The ordered end of a many-to-many, with a composite key.
struct League: Persistable, PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var country: String
    var number: Int
  }
  var id: ID
  var teams: ToMany<Team>
  static let entity = Entity<League>("League") {
    .key("country", \.id.country)
      .key("number", \.id.number)
      .relationship("teams", \.teams, ordered: true)
  }

  init(_ country: String, _ number: Int, teams: ToMany<Team> = ToMany()) {
    id = ID(country: country, number: number)
    self.teams = teams
  }
}
