@Persistable
struct Team {
  @PrimaryKey(.uuidV7) var id: UUID = .unassigned
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Player.team, delete: .cascade) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.uuidV7) var id: UUID = .unassigned
  var name: String
  var age: Int?
  var team: ToOne<Team> = ToOne()
}

func use(_ store: any Store) async throws {
  // SNIPPET
}
