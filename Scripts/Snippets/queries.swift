@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
  var tags: [String] = []
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

struct Line: Sendable {
  var name: String
  var team: String?
}

func use(_ store: any Store, snack: Snack, query: Query<Snack>, text: String, start: String)
  throws
{
  // SNIPPET
}
