internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: delete rules of the objects that a session deletes.
  static let sessionDeleteRules: [ConformanceCase] = [
    ConformanceCase(
      "a cascade runs with the save, and an undo brings back the object alone", "11.11", "11.13",
      "5.7", "5.11"
    ) { context in
      for isRoot in [false, true] {
        let store = try context.openDens()
        let session = Session(store)
        let leo = try context.unwrap(try session.find(Lion.self, 2), "the lion")
        let beast = try context.unwrap(try session.find(Beast.self, 2), "as a beast")
        let cub = try context.unwrap(try session.find(Cub.self, 10), "the cub")
        let other = try context.unwrap(try session.find(Cub.self, 11), "the other cub")
        let tag = try context.unwrap(try session.find(BeastTag.self, 2), "the tag of the cub")
        cub.name = "edited"
        if isRoot { try session.delete(beast) } else { try session.delete(leo) }
        try context.expect(
          !cub.isDeleted && !other.isDeleted && !tag.isDeleted, "before the save")
        try context.expectEqual(try session.fetch(Cub.all).map(\.name), ["edited", "bo"])
        try session.save()
        try context.expect(
          leo.isDeleted && beast.isDeleted && cub.isDeleted && other.isDeleted && tag.isDeleted,
          "the lion, its cubs and their tags")
        try context.expect(!session.hasChanges, "saved")
        try context.expectEqual(
          try store.count(Beast.self) + store.count(BeastTag.self), 0)
        session.undo()
        try context.expectEqual([leo.isDeleted, beast.isDeleted], [isRoot, !isRoot])
        try context.expect(cub.isDeleted && other.isDeleted && tag.isDeleted, "not these")
        try session.save()
        try context.expectEqual(try store.fetch(Beast.all).map(\.name), ["leo"])
        try context.expectEqual(try store.count(Lion.self), isRoot ? 0 : 1, "what the handle had")
        session.redo()
        try session.save()
        try context.expectEqual(try store.count(Beast.self), 0)
      }
    },
    ConformanceCase("what a delete nullifies is seen after the save", "11.10", "11.11", "5.7") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b")])
      try store.insert([
        Player(1, "Ann", team: .key(1)), Player(2, "Bo", team: .key(1)),
        Player(3, "Cy", team: .key(1)),
      ])
      try store.save(League("at", 1, teams: .keys([2, 1])))
      let session = Session(store)
      let team = try context.unwrap(try session.find(Team.self, 1), "the team")
      let players = try session.fetch(Player.all.sorted(by: .ascending(\.id)))
      let leagues = try session.fetch(League.all.prefetch(\.teams))
      players[1].age = 30
      players[2].team = .key(2)
      try session.delete(team)
      try context.expectEqual(players.map { $0.team.id }, [1, 1, 2], "before the save")
      try session.save()
      try context.expectEqual(players.map { $0.team.id }, [nil, nil, 2])
      try context.expectEqual(players.map(\.age), [20, 30, 20])
      try context.expect(!session.hasChanges, "all is saved")
      let read = try session.fetch(League.all.prefetch(\.teams))
      try context.expect(read.first === leagues.first, "one handle")
      try context.expectEqual(read.first?.teams.ids, [2], "read again")
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Team.self, 1)?.name, "a")
      try context.expectEqual(
        try store.count(Player.all.where { $0.team.id == 1 }), 0, "the links stay nil")
    },
    ConformanceCase("a delete that a rule denies changes neither side", "11.11", "11.13", "5.7") {
      context in
      let store = try context.openDens()
      try store.save(Den(1, guardian: .key(2)))
      let session = Session(store)
      let leo = try context.unwrap(try session.find(Lion.self, 2), "the lion")
      let cub = try context.unwrap(try session.find(Cub.self, 10), "the cub")
      cub.name = "edited"
      try session.delete(leo)
      try context.expectError(.denied, entity: "Den", attributes: ["guardian"]) {
        try session.save()
      }
      try context.expect(leo.isDeleted && cub.changedAttributes == ["name"], "nothing is lost")
      try context.expectEqual(try store.count(Beast.self), 3)
      try context.expectEqual(try store.find(Cub.self, 10)?.name, "al")
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Cub.self, 10)?.name, "edited", "the rest is saved")
      // Links are written before the delete.
      let den = try context.unwrap(try session.find(Den.self, 1), "the den")
      den.guardian = nil
      try session.delete(leo)
      try session.save()
      try context.expectEqual(try store.count(Beast.self), 0)
    },
    ConformanceCase(
      "objects that are deleted in one save deny one another nothing", "11.11", "5.7"
    ) { context in
      for isDenFirst in [false, true] {
        let store = try context.openDens()
        try store.save(Den(1, guardian: .key(2)))
        let session = Session(store)
        func deleteDen() throws {
          try session.delete(try context.unwrap(try session.find(Den.self, 1), "the den"))
        }
        if isDenFirst { try deleteDen() }
        try session.delete(try context.unwrap(try session.find(Lion.self, 2), "the lion"))
        if !isDenFirst { try deleteDen() }
        let cub = try context.unwrap(try session.find(Cub.self, 10), "a cub, which goes anyway")
        try session.delete(cub)
        try session.save()
        try context.expectEqual(try store.count(Den.self) + store.count(Beast.self), 0)
        while session.undo() {}
        try session.save()
        try context.expectEqual(try store.fetch(Beast.all).map(\.id), [2, 10])
        try context.expectEqual(try store.fetch(Den.all).first?.guardian.id, 2, "with its links")
        try context.expect(try store.check().isSound, "sound")
      }
    },
  ]
}

extension ConformanceContext {
  /// A lion with two cubs, and a tag of the lion and of one cub.
  fileprivate func openDens() throws -> any Store {
    let store = try open(Beast.self, BeastTag.self, Lion.self, Cub.self, Den.self)
    try store.insert(Lion(2, "leo"))
    try store.insert([Cub(10, "al", lion: .key(2)), Cub(11, "bo", lion: .key(2))])
    try store.insert([BeastTag(1, beast: .key(2)), BeastTag(2, beast: .key(10))])
    return store
  }
}
