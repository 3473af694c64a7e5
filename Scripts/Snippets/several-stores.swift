@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Player.team, delete: .cascade) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<Team> = ToOne()
  @Relationship(inverse: \Score.player, delete: .cascade) var scores: ToMany<Score> = ToMany()
}

@Persistable
struct Score {
  @PrimaryKey(.generated) var id: Int64 = 0
  var points: Int
  var player: ToOne<Player> = ToOne()
}

func open() throws {
  // SNIPPET
  _ = store
}
