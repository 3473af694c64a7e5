import Dispatch
import MemoryBackend
import ORM

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
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
  var team: ToOne<Team> = ToOne()
}

func example(_ store: MemoryStore) throws {
  // SNIPPET
}
