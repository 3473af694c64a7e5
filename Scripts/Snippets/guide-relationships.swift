@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Coach.team) var coach: ToOne<Coach> = ToOne()
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Coach {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
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
  var text: String
  var author: ToOne<Player> = ToOne()
}

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  @Relationship(inverse: \Chapter.book, delete: .cascade, ordered: true)
  var chapters: ToMany<Chapter> = ToMany()
}

@Persistable
struct Chapter {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  @Relationship(required: true) var book: ToOne<Book> = ToOne()
}

@Persistable
struct Folder {
  @PrimaryKey(.generated) var id: Int64 = 0
  var parent: ToOne<Folder> = ToOne()
  @Relationship(inverse: \Folder.parent) var children: ToMany<Folder> = ToMany()
}

func use(
  _ store: any Store, team: Team, player: Player, teams: [Team], a: Player, b: Player
) throws {
  var (team, player, teams) = (team, player, teams)
  // SNIPPET
}
