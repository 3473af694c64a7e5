struct Player: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var score = 0
  var team: ToOne<Team> = ToOne()

  static let entity = Entity<Player>("Player") {
    .key("id", \.id, .generated).attribute("score", \.score).relationship("team", \.team)
  }
}

// SNIPPET
