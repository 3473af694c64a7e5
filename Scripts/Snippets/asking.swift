@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
  var taste: String?
  var price: Double?
  var stock = 0
  var isVegan = false
  var added = Date(timeIntervalSinceReferenceDate: 0)
  var tags: [String] = []

  static let queries: EntityPart<Snack> =
    .template("cheap", "price < $LIMIT", sortedBy: "price, name", limit: 20)
}

@Persistable
struct Coach {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var coach: ToOne<Coach> = ToOne()
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var age = 20
  var team: ToOne<Team> = ToOne()

  static let queries: EntityPart<Player> =
    .fetched("rivals", Player.self, "age == $FETCH_SOURCE.age")
}

struct Line: Sendable {
  var name: String
  var team: String?
}

func use(
  _ store: any Store, session: Session, snack: Snack, player: Player, start: String, text: String,
  now: Date
)
  throws
{
  // SNIPPET
}
