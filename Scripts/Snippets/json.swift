@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
  var tags: [String] = []
  var added: Date?
}

@Persistable
struct Address {
  var street: String
  var city: String?
}

@Persistable
struct Customer {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Embedded var home: Address
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
  var fullName: String
  var team: ToOne<Team> = ToOne()
}

extension Snack: JSONMapped {}
extension Team: JSONMapped {}

func use(_ store: any Store, snack: Snack, text: String, data: Data) throws {
  var snack = snack
  snack.stock += 0
  // SNIPPET
}
