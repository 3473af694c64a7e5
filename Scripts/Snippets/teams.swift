@Persistable
struct Coach {
  @PrimaryKey var id: Int64
  var team: ToOne<Team> = ToOne()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var score = 0
  var team: ToOne<Team> = ToOne()
}

@Persistable
struct League {
  @PrimaryKey var id: Int64
  var teams: ToMany<Team> = ToMany()
}

// SNIPPET
