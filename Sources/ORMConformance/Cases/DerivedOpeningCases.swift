internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 7.5 for derived attributes: an opening of a store that was written without them, or with others,
  /// gives their values.
  static let derivedOpening: [ConformanceCase] = [
    ConformanceCase(
      "a store that gains derived attributes has them worked out", "7.5", "4.1", "4.4"
    ) {
      context in
      var store = try context.open(try guilds { _, _ in nil })
      try context.fillGuilds(store)
      store = try context.reopen(store, try Schema.guilds)
      try context.expectMembers(store, 1, 2, 6, 2, 4, 3, "one-to-many")
      try context.expectMembers(store, 2, 0, 0, nil, nil, nil, "without any, and a hidden one")
      let guild = try context.unwrap(try store.find(Guild.self, 1), "the guild")
      try context.expectEqual(guild.fees, Decimal(string: "0.3") ?? 0)
      try context.expectEqual(guild.weight, 1e16 + 2, "rounded once")
      try context.expectEqual([guild.sponsorCount, guild.lockerCount], [1, 0])
      let region = try context.unwrap(try store.find(Region.self, 1), "the region")
      try context.expectEqual([region.people, region.fullest ?? -1], [2, 2], "of derived ones")
      try context.expectEqual(
        try store.fetch(Guild.all.where { $0.memberCount == 2 }).map(\.id), [1], "the index")
      try context.expectSound(store)
      try store.insert(Fellow(0, 5, guild: .key(1)))
      try context.expectMembers(store, 1, 3, 11, 2, 5, 11.0 / 3, "and maintained from then on")
      store = try context.reopen(store, try Schema.guilds)
      try context.expectMembers(store, 1, 3, 11, 2, 5, 11.0 / 3, "opened again")
    },
    ConformanceCase(
      "an attribute derived of something else from now on is computed anew", "7.5", "4.4"
    ) {
      context in
      var store = try context.open(try Schema.guilds)
      try context.fillGuilds(store)
      try context.linkGuilds(store)
      try context.expectMembers(store, 1, 2, 6, 2, 4, 3, "stored")
      store = try context.reopen(
        store,
        try guilds { name, derived in
          switch name {
          case "memberCount": DerivedValue(.count, of: "lockers")
          case "most": DerivedValue(.minimum, of: "badges", "worth")
          default: derived
          }
        })
      try context.expectMembers(store, 1, 2, 6, 2, 10, 3, "derived of others")
      try context.expectMembers(store, 3, 1, 0, nil, nil, nil, "derived of others")
      try context.expectEqual(
        try store.fetch(Region.all).map(\.people), [3], "and what is derived of it")
      try context.expectEqual(try store.fetch(Region.all).map(\.fullest), [2])
      try context.expectSound(store)
      store = try context.reopen(store, try Schema.guilds)
      try context.expectMembers(store, 1, 2, 6, 2, 4, 3, "back again")
      try context.expectEqual(try store.fetch(Region.all).map(\.people), [2])
      try context.expectSound(store)
    },
    ConformanceCase("writes of a program without derived attributes are made up for", "7.5", "4.4")
    {
      context in
      var store = try context.open(try Schema.guilds)
      try context.fillGuilds(store)
      try context.linkGuilds(store)
      store = try context.reopen(store, try guilds { _, _ in nil })
      _ = try store.write { tx in
        try tx.insert([DynamicRow("Fellow", ["points": .int(100), "guild_id": .int(1)])])
        try tx.update(
          DynamicQuery("Medal"), ["worth": attribute("worth") * int(3), "name": text("m")])
        try tx.delete(DynamicQuery("Locker", where: attribute("id").compare(.equal, int(1))))
      }
      store = try context.reopen(store, try Schema.guilds)
      try context.expectMembers(store, 1, 3, 106, 2, 100, 106.0 / 3, "made up for")
      let guild = try context.unwrap(try store.find(Guild.self, 1), "the guild")
      try context.expectEqual([Int(guild.badgeCount), guild.worth], [2, 90], "many-to-many")
      try context.expectEqual(guild.firstBadge, "m")
      try context.expectEqual(guild.lockerCount, 1, "one-way")
      try context.expectEqual([guild.largest ?? 0, guild.room], [.max - 7, .max - 7])
      try context.expectEqual(try store.fetch(Region.all).map(\.people), [3])
      try context.expectSound(store)
      try context.expectEqual(try store.rebuildDerived(), 0)
    },
    ConformanceCase("a soft delete that comes later changes what is derived", "7.5", "4.1", "4.4") {
      context in
      let whole = try Schema(Rack.self, Tome.self)
      func schema(hides: Bool) throws -> Schema {
        var entities = whole.entities
        let tome = try context.unwrap(entities.firstIndex { $0.name == "Tome" }, "Tome")
        for position in entities[tome].attributes.indices
        where entities[tome].attributes[position].role == .deletedAt && !hides {
          entities[tome].attributes[position].role = nil
        }
        return try Schema(entities: entities)
      }
      var store = try context.open(schema(hides: true))
      try store.save(Rack(1))
      try store.insert([Tome(1, 100, rack: .key(1)), Tome(2, 300, rack: .key(1))])
      try store.delete(Tome.self, id: 2)
      func rack() throws -> [Int] { try store.fetch(Rack.all).flatMap { [$0.count, $0.pages] } }
      try context.expectEqual(try rack(), [1, 100])
      store = try context.reopen(store, try schema(hides: false))
      try context.expectEqual(try rack(), [2, 400])
      store = try context.reopen(store, try schema(hides: true))
      try context.expectEqual(try rack(), [1, 100])
      try context.expectSound(store)
    },
    ConformanceCase(
      "a sum that does not fit refuses the opening, and changes nothing", "7.5", "4.1", "4.4"
    ) { context in
      let without = try guilds { _, _ in nil }
      var store = try context.open(without)
      try context.fillGuilds(store)
      _ = try store.write { tx in
        try tx.insert([
          DynamicRow("Fellow", ["points": .int(.max), "guild_id": .int(2)]),
          DynamicRow("Fellow", ["points": .int(.max), "guild_id": .int(2)]),
        ])
      }
      try context.expectError(.overflow, entity: "Guild") {
        try context.reopen(store, try Schema.guilds)
      }
      store = try context.reopen(store, without)
      _ = try store.write { tx in
        try tx.delete(DynamicQuery("Fellow", where: attribute("points").compare(.greater, int(9))))
      }
      store = try context.reopen(store, try Schema.guilds)
      try context.expectMembers(store, 1, 2, 6, 2, 4, 3, "once it fits")
      try context.expectSound(store)
    },
  ]

  /// The guilds' schema with other derived attributes; those with none are left out.
  private static func guilds(
    _ change: (_ name: String, DerivedValue) -> DerivedValue?
  ) throws -> Schema {
    var entities = try Schema.guilds.entities
    for index in entities.indices {
      var dropped: [String] = []
      for position in entities[index].attributes.indices {
        let attribute = entities[index].attributes[position]
        guard let derived = attribute.derived else { continue }
        entities[index].attributes[position].derived = change(attribute.name, derived)
        if entities[index].attributes[position].derived == nil { dropped.append(attribute.name) }
      }
      entities[index].attributes.removeAll { dropped.contains($0.name) }
      entities[index].indexes.removeAll { dropped.contains($0.terms[0].attribute) }
    }
    return try Schema(entities: entities)
  }
}

extension ConformanceContext {
  /// Rows of everything that guilds lead to, written by names: guild 1 has two members and a sponsor,
  /// guild 2 a hidden member.
  fileprivate func fillGuilds(_ store: any Store) throws {
    func row(_ entity: String, _ values: [String: StoredValue]) -> DynamicRow {
      DynamicRow(entity, values)
    }
    try store.write { tx in
      try tx.insert([row("Region", ["id": .int(1)])])
      try tx.insert(
        (1...3).map {
          row("Guild", ["id": .int($0), "title": .string("\($0)"), "region_id": .int(1)])
        })
      let tenths = [1, 2].map { StoredValue.decimal(Decimal($0) / 10) }
      try tx.insert([
        row(
          "Fellow",
          ["points": .int(2), "weight": .double(1e16), "fee": tenths[0], "guild_id": .int(1)]),
        row(
          "Fellow",
          ["points": .int(4), "weight": .double(1.5), "fee": tenths[1], "guild_id": .int(1)]
        ),
        row("Fellow", ["points": .int(9), "guild_id": .int(2)]),
      ])
      try tx.delete(
        DynamicQuery("Fellow", where: attribute("points").compare(.greater, int(8))))
      try tx.insert([
        row("Medal", ["id": .int(1), "name": .string("x"), "worth": .int(10)]),
        row("Medal", ["id": .int(2), "name": .string("b"), "worth": .int(20)]),
      ])
      try tx.insert([row("Sponsor", ["id": .int(1)])])
      try tx.insert([row("Contract", ["guild_id": .int(1), "sponsor_id": .int(1)])])
      try tx.insert([
        row("Locker", ["id": .int(1), "size": .int(7)]),
        row("Locker", ["id": .int(2), "size": .uint(.max - 7)]),
        row("Locker", ["id": .int(3), "size": .int(0)]),
      ])
    }
  }

  /// Guild 1 gets two badges and two lockers, guild 3 a locker.
  fileprivate func linkGuilds(_ store: any Store) throws {
    try store.write { tx in
      try tx.attach([1, 2], to: 1, \Guild.badges)
      try tx.attach([1, 2], to: 1, \Guild.lockers)
      try tx.attach([3], to: 3, \Guild.lockers)
    }
  }
}
