internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 5.8: changes of to-manys beside counts, derived attributes, hidden objects and classes.
  static let linkChangeRules: [ConformanceCase] = [
    ConformanceCase("counts hold after all changes of a save", "5.8") { context in
      let store = try context.open(Crew.self, Sailor.self, Port.self)
      try store.save([
        Crew(1, sailors: [Sailor(1), Sailor(2), Sailor(3)]), Crew(2, sailors: [Sailor(9)]),
      ])
      func crews() throws -> [[Int64]] {
        try store.fetch(Crew.all.prefetch(\.sailors)).map { ($0.sailors.ids ?? []).sorted() }
      }
      var crew = try context.unwrap(try store.find(Crew.self, 1), "the crew")
      crew.sailors.append(Sailor(4))
      crew.sailors.remove(key: 1)
      try store.save(crew)
      try context.expectEqual(try crews(), [[2, 3, 4], [9]], "one went, one came")
      crew.sailors.append(Sailor(5))
      try context.expectError(.validationFailed, entity: "Crew", attributes: ["sailors"]) {
        try store.save(crew)
      }
      crew = Crew(1)
      for id in 2...4 { crew.sailors.remove(key: Int64(id)) }
      try context.expectError(.validationFailed, entity: "Crew", attributes: ["sailors"]) {
        try store.save(crew)
      }
      crew = Crew(1)
      crew.sailors.remove(key: 2)
      crew.sailors.append(key: 9)
      try context.expectError(.validationFailed, entity: "Crew", key: [.int(2)]) {
        try store.save(crew)
      }
      try context.expectEqual(try crews(), [[2, 3, 4], [9]], "nothing is written")
      crew.ports.append(Port(1))
      crew.sailors.append(key: 2)
      crew.sailors.remove(key: 9)
      try store.save(crew)
      crew = Crew(1)
      crew.ports.append(Port(2))
      crew.ports.append(Port(3))
      try context.expectError(.validationFailed, entity: "Crew", attributes: ["ports"]) {
        try store.save(crew)
      }
      crew.ports.remove(key: 1)
      try store.save(crew)
      try context.expectEqual(try store.first(Crew.all.prefetch(\.ports))?.ports.ids, [2, 3])
    },
    ConformanceCase("derived attributes follow changes of every kind of links", "5.8", "5.6") {
      context in
      let store = try context.open(.guilds)
      var guild = Guild(1)
      guild.members = [Fellow(1, 4), Fellow(2, 6)]
      guild.badges = [Medal(1, "x", 10)]
      guild.lockers = [Locker(1, 7)]
      guild.sponsors = [Sponsor(1), Sponsor(2)]
      try store.save(guild)
      try store.save(Guild(2))
      guild = try context.unwrap(try store.find(Guild.self, 1), "the guild")
      guild.members.append(Fellow(3, 9))
      guild.members.remove(key: 1)
      guild.badges.append(Medal(2, "b", 20))
      guild.badges.remove(key: 1)
      guild.lockers.append(Locker(2, 5))
      guild.sponsors.remove(key: 1)
      guild = try store.save(guild)
      try context.expectEqual([guild.memberCount, guild.points, guild.worth], [2, 15, 20])
      try context.expectEqual([guild.least, guild.most], [6, 9])
      try context.expectEqual(guild.firstBadge, "b")
      try context.expectEqual([guild.lockerCount, guild.sponsorCount], [2, 1])
      try context.expectEqual([guild.largest, guild.room], [7, 12])
      var other = Guild(2)
      other.members.append(key: 3)
      other.lockers.append(key: 1)
      other.badges.append(key: 2)
      other = try store.save(other)
      try context.expectEqual([other.memberCount, other.points, other.lockerCount], [1, 9, 1])
      guild = try context.unwrap(try store.find(Guild.self, 1), "the guild")
      try context.expectEqual([guild.memberCount, guild.points, guild.lockerCount], [1, 6, 1])
      try context.expectEqual([guild.worth, other.worth], [20, 20])
      try context.expect(try store.check().isSound, "the store is sound")
    },
    ConformanceCase("a member that is hidden is not taken out", "5.8") { context in
      let store = try context.open(.guilds)
      var guild = Guild(1)
      guild.members = [Fellow(1, 4), Fellow(2, 6)]
      guild.badges = [Medal(1, "x", 10), Medal(2, "y", 1)]
      try store.save(guild)
      try store.delete(Fellow.self, id: 1)
      try store.delete(Medal.self, id: 1)
      guild = Guild(1)
      guild.members.remove(key: 1)
      guild.badges.remove(key: 1)
      try store.save(guild)
      try store.restore(Fellow.where { $0.id == 1 })
      try store.restore(Medal.where { $0.id == 1 })
      let read = try context.unwrap(
        try store.first(Guild.all.prefetch(\.members, \.badges)), "the guild")
      try context.expectEqual(read.members.ids, [1, 2])
      try context.expectEqual(read.badges.ids, [1, 2])
      guild.badges.append(key: 1)
      guild.members.append(key: 1)
      try store.delete(Fellow.self, id: 1)
      try context.expectError(.missingTarget, entity: "Guild", attributes: ["members"]) {
        guild.members.remove(key: 2)
        guild.members.append(key: 7)
        try store.save(guild)
      }
    },
    ConformanceCase("objects of class models carry changes", "5.8") { context in
      let store = try context.open(Band.self, Musician.self, Manager.self, Festival.self)
      let band = Band("Reds", musicians: ToMany())
      let (a, b, c) = (Musician("a"), Musician("b"), Musician("c"))
      band.musicians.append(contentsOf: [a, b, c])
      band.musicians.append(a)
      band.musicians.remove(c)
      try store.save(band)
      try context.expectEqual(try store.fetch(Musician.all).map(\.name), ["a", "b"])
      try context.expectEqual([band.id, a.id, b.id, c.id], [1, 1, 2, 0])
      // The value keeps its changes; its objects have keys by now.
      band.musicians.append(b)
      band.musicians.remove(a)
      try store.save(band)
      func members() throws -> [Int64?] { try store.fetch(Musician.all).map(\.band.id) }
      try context.expectEqual(try members(), [nil, 1])
      let fetched = try context.unwrap(
        try store.first(Band.all.prefetch(\.musicians)), "the band")
      let other = fetched
      other.musicians.append(a)
      other.musicians.append(Musician("d"))
      try context.expectEqual(fetched.musicians.loaded?.map(\.name), ["b", "a", "d"])
      try store.save(fetched)
      try context.expectEqual(try members(), [1, 1, 1])
    },
    ConformanceCase("a change asks for what it names, whatever the size of the to-many", "5.8") {
      context in
      let store = CountingStore(
        try context.open(Team.self, Coach.self, Player.self, League.self))
      try store.save([Team(1, "a"), Team(2, "b")])
      try store.save((1...2_004).map { Player($0) })
      try store.attach((1...4).map { $0 }, to: 1, \Team.players)
      try store.attach((5...2_004).map { $0 }, to: 2, \Team.players)
      func requests(_ team: Int64, _ id: Int64) throws -> [String] {
        var team = Team(team, "c")
        team.players.append(Player(id + 3_000))
        team.players.append(key: id + 1)
        team.players.remove(key: id)
        return try store.requests { try $0.save(team) }.map { "\($0.shape.condition)" }
      }
      let (few, many) = (try requests(1, 2), try requests(2, 9))
      try context.expectEqual(few.count, many.count)
      try context.expectEqual(
        try store.count(Player.all.where { $0.team == 2 }), 2_000, "one went, one came")
    },
  ]
}
