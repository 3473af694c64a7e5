@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double?
  var stock = 0
}

@Persistable
struct Project {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Attribute(.softDelete) var deletedAt: Date?
}

@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<Team> = ToOne()
}

func use(
  _ store: any Store, schema: Schema, chips: Snack, snack: Snack, snacks: [Snack], team: Team
) throws {
  var team = team
  // SNIPPET
  _ = team
}
