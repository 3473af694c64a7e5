@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Coach.team) var coach: ToOne<Coach> = ToOne()
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Coach {
  @PrimaryKey var id: Int64
  var team: ToOne<Team> = ToOne()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var age = 20
  var team: ToOne<Team> = ToOne()
  @Relationship(inverse: \Post.author) var posts: ToMany<Post> = ToMany()
}

@Persistable
struct Post {
  @PrimaryKey(.generated) var id: Int64 = 0
  var author: ToOne<Player> = ToOne()
}

func use(_ store: any Store, team: Team, player: Player, p1: Player, p2: Player) throws {
  var (team, player) = (team, player)
  // SNIPPET
}
