internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 4.1 and 5.6: derived attributes are maintained on every path that writes.
  static let derived: [ConformanceCase] = [
    ConformanceCase(
      "derived attributes follow inserts, changes, moves and deletes", "4.1", "5.6", "4.4"
    ) {
      context in
      let store = try context.openGuilds()
      try store.save([Guild(1, "a"), Guild(2, "b")])
      try context.expectMembers(store, 1, 0, 0, nil, nil, nil, "no member")
      try store.insert(Fellow(0, 5, guild: .key(1)))
      try store.insert([
        Fellow(0, 3, guild: .key(1)), Fellow(0, nil, guild: .key(1)), Fellow(0, 9, guild: .key(2)),
      ])
      try context.expectMembers(store, 1, 3, 8, 3, 5, 4, "inserted")
      try context.expectMembers(store, 2, 1, 9, 9, 9, 9, "inserted")
      try store.update(Fellow(2, 7, guild: .key(1)))
      try context.expectMembers(store, 1, 3, 12, 5, 7, 6, "the least is changed")
      try store.save(Fellow(1, 5, guild: .key(2)))
      try context.expectMembers(store, 1, 2, 7, 7, 7, 7, "moved away")
      try context.expectMembers(store, 2, 2, 14, 5, 9, 7, "moved here")
      _ = try store.write { tx in
        try tx.update(
          DynamicQuery("Fellow", where: .not(attribute("points").compare(.less, int(7)))),
          ["points": attribute("points") + int(1)])
      }
      try context.expectMembers(store, 1, 2, 8, 8, 8, 8, "updated as a set")
      try context.expectMembers(store, 2, 2, 15, 5, 10, 7.5, "updated as a set")
      try store.patch(Fellow.self, 3) { $0.points = 1 }
      try context.expectMembers(store, 1, 2, 9, 1, 8, 4.5, "patched")
      try store.delete(Fellow.self, id: 3)
      try context.expectMembers(store, 1, 1, 8, 8, 8, 8, "deleted")
      try store.delete(Fellow.all.where { $0.points < 10 })
      try context.expectMembers(store, 1, 0, 0, nil, nil, nil, "deleted as a set")
      try context.expectMembers(store, 2, 1, 10, 10, 10, 10, "deleted as a set")
      try store.deleteAll(Fellow.self)
      try context.expectMembers(store, 2, 0, 0, nil, nil, nil, "all deleted")
      try context.expectSound(store)
    },
    ConformanceCase("an object's own value of a derived attribute is ignored", "5.6", "4.4") {
      context in
      let store = try context.openGuilds()
      try context.expectEqual(try store.save(Guild(1, "a", memberCount: 7)).memberCount, 0)
      try store.insert(Fellow(0, 5, guild: .key(1)))
      var guild = try context.guild(store, 1)
      try context.expectEqual(guild.memberCount, 1)
      guild.memberCount = 40
      guild.most = 99
      guild.title = "b"
      guild = try store.save(guild)
      try context.expectEqual(guild.title, "b")
      try context.expectEqual(guild.memberCount, 1, "as it is stored")
      try context.expectEqual(guild.most, 5)
      try context.expectEqual(
        try store.save([Guild(1, "b", memberCount: 3)]).unchanged, 1, "nothing else differs")
      try store.save(Guild(1, "c", memberCount: 3), merge: .only(\.title, \.memberCount))
      try store.write { tx in
        try tx.save([
          DynamicRow("Guild", ["id": .int(1), "title": .string("d"), "points": .int(9)])
        ])
      }
      try context.expectMembers(store, 1, 1, 5, 5, 5, 5, "dynamic rows")
      try context.expectError(.invalidValue, entity: "Guild", attributes: ["memberCount"]) {
        try store.update(Guild.all) { $0.memberCount = 3 }
      }
      try context.expectError(.invalidValue, entity: "Guild", attributes: ["most"]) {
        try store.patch(Guild.self, 1) { $0.most = 3 }
      }
      try context.expectEqual(
        try store.fetch(Guild.all.where { $0.memberCount == 1 }).map(\.title), ["d"])
      try context.expectSound(store)
    },
    ConformanceCase("graphs, links and delete rules move derived attributes", "5.7", "5.8", "4.4") {
      context in
      let store = try context.openGuilds()
      var guild = Guild(1, "a")
      guild.members = [Fellow(0, 4), Fellow(0, 6)]
      guild.badges = [Medal(1, "x", 10), Medal(2, "b", 20)]
      guild.lockers = [Locker(1, 7), Locker(2, .max)]
      var other = Guild(2, "b")
      other.badges = [Medal(2, "b", 20)]
      try context.expectError(.overflow, entity: "Guild", attributes: ["room"]) {
        try store.save(guild)
      }
      try context.expectEqual(try store.count(Fellow.self), 0, "nothing was written")
      guild.lockers = [Locker(1, 7), Locker(2, .max - 7)]
      let saved = try store.save(guild)
      try context.expectEqual(saved.memberCount, 2)
      try context.expectEqual(saved.room, .max)
      try store.save(other)
      try context.expectMembers(store, 1, 2, 10, 4, 6, 5, "saved as a graph")
      try context.expectBadges(store, 1, 2, 30, "b")
      try context.expectBadges(store, 2, 1, 20, "b")
      try store.update(Medal(2, "z", 21))
      try context.expectBadges(store, 1, 2, 31, "x")
      try context.expectBadges(store, 2, 1, 21, "z")
      try store.attach([1], to: 2, \Guild.badges)
      try context.expectBadges(store, 2, 2, 31, "x")
      try store.detach([2], from: 1, \Guild.badges)
      try context.expectBadges(store, 1, 1, 10, "x")
      try store.delete(Medal.self, id: 1)
      try context.expectBadges(store, 1, 0, 0, nil)
      try context.expectBadges(store, 2, 1, 21, "z")
      var cleared = Guild(2, "b")
      cleared.badges = []
      try store.save(cleared)
      try context.expectBadges(store, 2, 0, 0, nil)
      try store.attach([1, 2], to: 2, \Guild.members)
      try context.expectMembers(store, 1, 0, 0, nil, nil, nil, "moved by links")
      try context.expectMembers(store, 2, 2, 10, 4, 6, 5, "moved by links")
      try context.expectEqual(try context.guild(store, 1).largest, .max - 7)
      try store.delete(Locker.self, id: 2)
      try context.expectEqual(try context.guild(store, 1).largest, 7)
      try context.expectEqual(try context.guild(store, 1).lockerCount, 1)
      try store.delete(Guild.self, id: 1)
      try context.expectEqual(try store.count(Locker.self), 0, "cascade")
      try context.expectSound(store)
    },
    ConformanceCase(
      "links that are objects count, and those that lead nowhere do not", "2.9", "4.4"
    ) {
      context in
      let store = try context.openGuilds()
      try store.save([Guild(1), Guild(2)])
      try store.save([Sponsor(1), Sponsor(2), Sponsor(3)])
      try store.insert([
        Contract(guild: .key(1), sponsor: .key(1)), Contract(guild: .key(1), sponsor: .key(2)),
        Contract(guild: .key(2), sponsor: .key(3)),
      ])
      func counts() throws -> [Int] { try store.fetch(Guild.all).map(\.sponsorCount) }
      try context.expectEqual(try counts(), [2, 1])
      try store.update(Contract(1, guild: .key(2), sponsor: .key(1)))
      try context.expectEqual(try counts(), [1, 2])
      try store.update(Contract(2, guild: nil, sponsor: .key(2)))
      try context.expectEqual(try counts(), [0, 2])
      try store.delete(Sponsor.self, id: 3)
      try context.expectEqual(try counts(), [0, 1])
      try store.deleteAll(Contract.self)
      try context.expectEqual(try counts(), [0, 0])
      try context.expectSound(store)
    },
    ConformanceCase("sums are exact, of doubles rounded once, or throw overflow", "4.1", "4.4") {
      context in
      let store = try context.openGuilds()
      try store.save([Guild(1), Guild(2)])
      try store.insert([
        Fellow(0, .max, weight: 1e308, fee: Decimal(string: "0.1"), guild: .key(1)),
        Fellow(0, nil, weight: 1, fee: Decimal(string: "0.2"), guild: .key(1)),
        Fellow(0, nil, weight: -1e308, fee: nil, guild: .key(1)),
      ])
      var guild = try context.guild(store, 1)
      try context.expectEqual(guild.weight, 1, "no rounding in between")
      try context.expectEqual(guild.fees, Decimal(string: "0.3") ?? 0)
      try context.expectError(.overflow, entity: "Guild", attributes: ["points"]) {
        try store.insert(Fellow(0, 1, guild: .key(1)))
      }
      try context.expectError(.overflow, entity: "Guild", attributes: ["points"]) {
        try store.insert([Fellow(0, 1, guild: .key(1)), Fellow(0, 1, guild: .key(2))])
      }
      try context.expectEqual(try store.count(Fellow.self), 3, "the operation is undone")
      // The total fits, though a sum on the way does not.
      try store.insert([
        Fellow(0, .max, guild: .key(1)), Fellow(0, -.max, guild: .key(1)),
      ])
      guild = try context.guild(store, 1)
      try context.expectEqual(guild.points, .max)
      try context.expectEqual(guild.memberCount, 5)
      try store.delete(Fellow.self, id: 2)
      try context.expectEqual(try context.guild(store, 1).weight, 0)
      try context.expectSound(store)
    },
    ConformanceCase("attributes derived of derived ones follow", "4.1", "5.6", "4.4") {
      context in
      let store = try context.openGuilds()
      var region = Region(1)
      var guild = Guild(1)
      guild.members = [Fellow(0, 1), Fellow(0, 2)]
      region.guilds = [guild, Guild(2)]
      region = try store.save(region)
      try context.expectEqual([region.people, region.fullest ?? -1], [2, 2])
      try store.insert((0..<3).map { Fellow(0, $0, guild: .key(2)) })
      region = try context.unwrap(try store.find(Region.self, 1), "the region")
      try context.expectEqual([region.people, region.fullest ?? -1], [5, 3])
      try store.delete(Guild.self, id: 2)
      region = try context.unwrap(try store.find(Region.self, 1), "the region")
      try context.expectEqual([region.people, region.fullest ?? -1], [2, 2])
      try store.deleteAll(Fellow.self)
      region = try context.unwrap(try store.find(Region.self, 1), "the region")
      try context.expectEqual([region.people, region.fullest ?? -1], [0, 0])
      try context.expectSound(store)
    },
    ConformanceCase("a block that throws takes derived attributes back", "5.5", "4.4") { context in
      let store = try context.openGuilds()
      try store.save(Guild(1))
      try store.write { tx in
        try tx.insert(Fellow(0, 1, guild: .key(1)))
        try? tx.savepoint { tx in
          try tx.insert(Fellow(0, 2, guild: .key(1)))
          try tx.insert(Fellow(1, 2, guild: .key(1)))
        }
        try context.expectError(.duplicate) {
          try tx.insert([Fellow(0, 2, guild: .key(1)), Fellow(1, 2, guild: .key(1))])
        }
      }
      try context.expectMembers(store, 1, 1, 1, 1, 1, 1, "the block")
      try context.expectSound(store)
    },
    ConformanceCase(
      "check reports wrong derived attributes, and a rebuild repairs them", "5.6", "4.4", "7.7"
    ) {
      context in
      let store = try context.openGuilds()
      try store.save([Guild(1), Guild(2), Guild(3)])
      try store.insert((1...4).map { Fellow(0, $0, guild: .key(Int64($0 % 2) + 1)) })
      // Writes beneath the operations maintain nothing.
      let fellow = try context.unwrap(store.schema.entity(named: "Fellow"), "Fellow")
      let points = try context.unwrap(fellow.column(ofAttribute: "points"), "points")
      let writer = try store.writer(WriteTurn())
      _ = try writer.apply(
        .update(
          FetchRequest(
            entity: fellow.name, condition: attribute("points").compare(.equal, int(4)),
            sort: SortTerm.total([], entity: fellow)),
          [.init(column: points, value: int(100))]))
      try writer.commit()
      let report = try store.check()
      try context.expectEqual(Set(report.faults.map(\.code)), [.wrongDerived], "\(report)")
      try context.expectEqual(Set(report.faults.map(\.key)), [[.int(1)]], "\(report)")
      try context.expectEqual(report.faults.flatMap(\.attributes), ["points", "most", "mean"])
      try context.expectEqual(
        report.faults.map(\.values),
        [[.int(6), .int(102)], [.int(4), .int(100)], [.double(3), .double(51)]])
      try context.expectEqual(try store.rebuildDerived([Region.self]), 0, "of another model")
      try context.expectEqual(try store.rebuildDerived(), 1)
      try context.expectEqual(try store.rebuildDerived([Guild.self]), 0, "once more")
      try context.expectMembers(store, 1, 2, 102, 2, 100, 51, "repaired")
      try context.expectSound(store)
    },
    ConformanceCase("rows hidden by a soft delete count for nothing", "4.1", "5.6", "4.4") {
      context in
      let store = try context.open(try Schema(Rack.self, Tome.self))
      try store.save([Rack(1), Rack(2)])
      try store.insert([
        Tome(1, 100, rack: .key(1)), Tome(2, 300, rack: .key(1)),
        Tome(3, 200, rack: .key(2)),
      ])
      func racks() throws -> [[Int?]] {
        try store.fetch(Rack.all).map { [$0.count, $0.pages, $0.thickest] }
      }
      try context.expectEqual(try racks(), [[2, 400, 300], [1, 200, 200]])
      try context.expectEqual(try store.delete(Tome.all.where { $0.pages > 150 }), 2)
      try context.expectEqual(try racks(), [[1, 100, 100], [0, 0, nil]])
      try context.expectSound(store)
      try context.expectEqual(try store.restore(Tome.where { $0.id == 2 }), 1)
      try context.expectEqual(try racks(), [[2, 400, 300], [0, 0, nil]])
      try store.purge(Tome.all)
      try store.delete(Tome.self, id: 1)
      try context.expectEqual(try racks(), [[1, 300, 300], [0, 0, nil]])
      try context.expectSound(store)
    },
    ConformanceCase(
      "a difference that does not fit is overflow, and undoes the operation", "4.1", "4.4"
    ) {
      context in
      let store = try context.open(try Schema(Till.self, Coin.self))
      try store.save(Till(1))
      try store.insert(Coin(0, .max - 1, till: .key(1)))
      try store.insert(Coin(0, 1, till: .key(1)))
      try context.expectError(.overflow, entity: "Till") {
        try store.insert(Coin(0, 1, till: .key(1)))
      }
      try context.expectEqual(try store.count(Coin.self), 2)
      try context.expectEqual(try store.fetch(Till.all).map(\.sum), [.max])
      try store.deleteAll(Coin.self)
      try context.expectEqual(try store.fetch(Till.all).map(\.sum), [0])
    },
    ConformanceCase("that a derived attribute follows is no change of its object", "5.6", "4.4") {
      context in
      let store = try context.open(try Schema(Desk.self, Paper.self))
      let id = Desk.ID(floor: 1, spot: "a")
      let first = try store.save(Desk(1, "a", "x"))
      func desk() throws -> Desk { try context.unwrap(try store.find(Desk.self, id), "the desk") }
      let day = Date(timeIntervalSinceReferenceDate: 5)
      try store.insert([Paper(2, day: day, desk: .key(id)), Paper(3, desk: .key(id))])
      var found = try desk()
      try context.expectEqual(
        [found.sheets, Int64(found.version), Int64(found.touched)], [5, 1, 0])
      try context.expectEqual(found.latest, day)
      try context.expectEqual(found.changed, first.changed)
      found.title = "y"
      found.sheets = 50
      found = try store.save(found)
      try context.expectEqual(
        [found.sheets, Int64(found.version), Int64(found.touched)], [5, 2, 1], "saved")
      try store.update(Desk.all) { $0.title = "z" }
      found = try desk()
      try context.expectEqual(
        [found.sheets, Int64(found.version), Int64(found.touched)], [5, 3, 2], "updated")
      try context.expectEqual(try store.count(Desk.all.where { $0.sheets == 5 }), 1, "the index")
      _ = try store.write {
        try $0.insert([
          DynamicRow(
            "Paper",
            [
              "id": .uuid(UUID()), "desk_floor": .int(1), "desk_spot": .string("a"),
            ])
        ])
      }
      try context.expectEqual(try desk().sheets, 6, "the default counts")
      try context.expectSound(store)
    },
    ConformanceCase("trees are counted, through cascades too", "5.7", "5.8", "4.4") { context in
      let store = try context.open(try Schema(Desk.self, Paper.self))
      var top = Paper(1)
      var middle = Paper(2)
      middle.parts = [Paper(3), Paper(4), Paper(5)]
      top.parts = [middle, Paper(6)]
      top = try store.save(top)
      func counts() throws -> [Int64: Int] {
        Dictionary(uniqueKeysWithValues: try store.fetch(Paper.all).map { ($0.sheets, $0.inserts) })
      }
      try context.expectEqual(try counts(), [1: 2, 2: 3, 3: 0, 4: 0, 5: 0, 6: 0])
      try store.delete(Paper.all.where { $0.sheets == 4 })
      try context.expectEqual(try counts(), [1: 2, 2: 2, 3: 0, 5: 0, 6: 0])
      try store.delete(Paper.all.where { $0.sheets == 2 })
      try context.expectEqual(try counts(), [1: 1, 6: 0])
      try context.expectSound(store)
    },
    ConformanceCase(
      "a copy has the derived attributes of its source, and keeps them", "5.6", "4.4", "7.8"
    ) {
      context in
      let source = try context.openGuilds()
      try source.save(Guild(1))
      try source.insert([Fellow(0, 5, guild: .key(1)), Fellow(0, 9, guild: .key(1))])
      let target = try context.openGuilds()
      try StoreCopy(from: source, to: target).run()
      try context.expectMembers(target, 1, 2, 14, 5, 9, 7, "copied")
      try target.insert(Fellow(0, 1, guild: .key(1)))
      try context.expectMembers(target, 1, 3, 15, 1, 9, 5, "and stored")
      try context.expectSound(target)
    },
    ConformanceCase(
      "derived attributes that cannot be maintained are refused", "7.5", "8.1", "4.4", "7.6"
    ) { context in
      for (name, derived) in [
        ("count", DerivedValue(.count, of: "nothing")), ("count", DerivedValue(.count, of: "rack")),
        ("count", DerivedValue(.count, of: "tomes", "pages")),
        ("pages", DerivedValue(.sum, of: "tomes")),
        ("pages", DerivedValue(.sum, of: "tomes", "hidden")),
        ("pages", DerivedValue(.sum, of: "tomes", "nothing")),
        ("pages", DerivedValue(.minimum, of: "tomes", "pages")),
        ("thickest", DerivedValue(.sum, of: "tomes", "pages")),
        ("thickest", DerivedValue(.average, of: "tomes", "pages")),
        ("thickest", DerivedValue(.count, of: "tomes")),
        ("id", DerivedValue(.count, of: "tomes")),
      ] {
        var entities = try Schema(Rack.self, Tome.self).entities
        let position = try context.unwrap(entities[0].position(of: name), name)
        entities[0].attributes[position].derived = derived
        try context.expectError(.invalidSchema, "\(name): \(derived)") {
          try Schema(entities: entities)
        }
      }
    },
  ]
}

extension ConformanceContext {
  fileprivate func openGuilds() throws -> any Store { try open(Schema.guilds) }

  fileprivate func guild(_ store: any Store, _ id: Int64) throws -> Guild {
    try unwrap(try store.find(Guild.self, id), "guild \(id)")
  }

  /// Expects the attributes that are derived of a guild's members.
  func expectMembers(
    _ store: any Store, _ id: Int64, _ count: Int, _ points: Int, _ least: Int?, _ most: Int?,
    _ mean: Double?, _ subject: String, file: String = #fileID, line: Int = #line
  ) throws {
    let guild = try guild(store, id)
    try expectEqual(
      [guild.memberCount, guild.points], [count, points], subject, file: file, line: line)
    try expectEqual([guild.least, guild.most], [least, most], subject, file: file, line: line)
    try expectEqual(guild.mean, mean, subject, file: file, line: line)
  }

  fileprivate func expectBadges(
    _ store: any Store, _ id: Int64, _ count: Int64, _ worth: Int, _ first: String?,
    file: String = #fileID, line: Int = #line
  ) throws {
    let guild = try guild(store, id)
    try expectEqual(guild.badgeCount, count, file: file, line: line)
    try expectEqual(guild.worth, worth, file: file, line: line)
    try expectEqual(guild.firstBadge, first, file: file, line: line)
  }

  /// Expects that `check` finds nothing wrong.
  func expectSound(
    _ store: any Store, file: String = #fileID, line: Int = #line
  ) throws {
    let report = try store.check()
    try expect(report.isSound, "\(report)", file: file, line: line)
  }
}
