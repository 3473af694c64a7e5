@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Player.team, delete: .cascade) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var age: Int?
  var team: ToOne<Team> = ToOne()
}

func use(_ store: any Store) async throws {
  // SNIPPET
}
