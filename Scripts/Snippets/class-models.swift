@Persistable
final class Team: @unchecked Sendable {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()

  init(name: String) { self.name = name }
}

@Persistable
final class Player: @unchecked Sendable {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<Team> = ToOne()

  init(name: String) { self.name = name }
}

func use(_ store: any Store) throws {
  // SNIPPET
}
