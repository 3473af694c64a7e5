import ORM

// Must not compile: each property marked below starts with a value that makes a save clear its links.
// `Tests/Dependents/run` type-checks the file and compares all errors with those in Defaults.txt.

@Persistable
struct Team {
  @PrimaryKey var teamNumber: Int64
  @Relationship(delete: .cascade) var players: ToMany<Player> = []  // refused
  var captain: ToOne<Player> = nil  // refused
  var guests: ToMany<Player> = ToMany()
  var coach = ToOne<Player>()
}

@Persistable
struct Player {
  @PrimaryKey var id: Int64
}
