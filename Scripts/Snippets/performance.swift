@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.indexed) var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
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
  var age = 20
  var team: ToOne<Team> = ToOne()
}

func use(_ store: any Store, snacks: [Snack], keys: [Int64]) throws {
  // SNIPPET
}
