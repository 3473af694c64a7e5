internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.1, 5.4, 5.6, 5.7 and 2.9: the promises of models, where several of them meet.
  static let promises: [ConformanceCase] = [
    ConformanceCase("a count that breaks is a failure of its object, beside its rules", "5.6") {
      context in
      let store = try context.open(Cabinet.self, Trinket.self)
      func refuse(
        _ rules: [String], key: [StoredValue], _ what: String, _ body: () throws -> Void
      ) throws {
        let error = try context.expectError(
          .validationFailed, entity: "Cabinet", key: key, what, body)
        try context.expectEqual(error.failures.map(\.rule), rules, what)
        try context.expectEqual(
          error.failures.map(\.code),
          rules.map { $0 == "count" ? .countOutOfRange : .validationFailed },
          what)
        try context.expectEqual(error.failures.last?.attributes, ["trinkets"], what)
        try context.expectEqual(error.failures.map(\.key), rules.map { _ in key }, what)
      }
      let three: ToMany<Trinket> = [Trinket(1), Trinket(2), Trinket(3)]
      let both = ["length", "count"]
      try refuse(both, key: [], "none") { try store.save(Cabinet(0, "too long", trinkets: [])) }
      try refuse(both, key: [], "unset") { try store.insert(Cabinet(0, "too long")) }
      try refuse(both, key: [], "too many") {
        try store.save(Cabinet(0, "too long", trinkets: three))
      }
      try refuse(both, key: [.int(5)], "a batch") {
        try store.save([
          Cabinet(4, "fine", trinkets: [Trinket(9)]), Cabinet(5, "too long", trinkets: three),
        ])
      }
      try refuse(both, key: [.int(5)], "a batch without links") {
        try store.insert([Cabinet(5, "too long")])
      }
      try refuse(both, key: [.int(5)], "rows by names") {
        _ = try store.write {
          try $0.save([DynamicRow("Cabinet", ["id": .int(5), "name": .string("too long")])])
        }
      }
      try refuse(["count"], key: [.int(5)], "the count alone") {
        try store.save(Cabinet(5, "fine", trinkets: three))
      }
      try context.expectEqual(try store.count(Cabinet.all), 0)
      try context.expectEqual(try store.count(Trinket.all), 0)
      try store.save(Cabinet(1, "a", trinkets: [Trinket(1), Trinket(2)]))
      try store.save(Trinket(3))
      try refuse(both, key: [.int(1)], "an update") {
        try store.save(Cabinet(1, "too long", trinkets: three))
      }
      try refuse(["count"], key: [.int(1)], "attached") {
        try store.attach([3], to: Int64(1), \Cabinet.trinkets)
      }
      try refuse(["count"], key: [.int(1)], "set-based") {
        try store.update(Trinket.all) { $0.cabinet = .key(1) }
      }
      try refuse(["count"], key: [.int(1)], "deleted") { try store.deleteAll(Trinket.self) }
      do {
        try Cabinet(7, "too long", trinkets: three).validate()
        try context.expect(false, "by hand")
      } catch let error as StoreError {
        try context.expectEqual(error.failures.map(\.rule), both, "by hand")
        try context.expectEqual(error.failures.last?.code, .countOutOfRange, "by hand")
      }
    },
    ConformanceCase("counts hold where rows are hidden and shown by hand", "5.6") { context in
      let store = try context.open(Cabinet.self, Trinket.self)
      let day = Date(timeIntervalSinceReferenceDate: 1)
      try store.save(Cabinet(1, "a", trinkets: [Trinket(1), Trinket(2)]))
      try store.patch(Trinket.self, 1) { $0.hidden = day }
      func refuse(_ what: String, _ body: () throws -> Void) throws {
        try context.expectError(
          .validationFailed, entity: "Cabinet", attributes: ["trinkets"], key: [.int(1)], what, body
        )
        try context.expectEqual(try store.fetch(Trinket.all).map(\.id), [2], what)
      }
      var last = try context.unwrap(store.find(Trinket.self, 2), "the last")
      last.hidden = day
      try refuse("saved") { try store.save(last) }
      try refuse("in a batch") { try store.save([last]) }
      try refuse("patched") { try store.patch(Trinket.self, 2) { $0.hidden = day } }
      try refuse("set-based") { try store.update(Trinket.all) { $0.hidden = day } }
      try refuse("by names") {
        _ = try store.write {
          try $0.save([DynamicRow("Trinket", ["id": .int(2), "hidden": .date(day)])])
        }
      }
      try store.save(Trinket(3, cabinet: .key(1)))
      // The cabinet is full with trinkets 2 and 3, so the hidden one cannot be shown.
      func show(_ what: String, _ body: () throws -> Void) throws {
        try context.expectError(
          .validationFailed, entity: "Cabinet", attributes: ["trinkets"], key: [.int(1)], what, body
        )
        try context.expectEqual(try store.fetch(Trinket.all).map(\.id), [2, 3], what)
      }
      try show("saved") { try store.save(Trinket(1)) }
      try show("in a batch") { try store.save([Trinket(1)]) }
      try show("set-based") {
        try store.update(Trinket.all.includingDeleted()) { $0.hidden = nil }
      }
      try store.update(Trinket.all.where { $0.id == 3 }) { $0.hidden = day }
      try store.save(Trinket(1))
      try context.expectEqual(try store.fetch(Trinket.all).map(\.id), [1, 2])
    },
    ConformanceCase("checks by code of embedded structs are their referrer's", "5.6") { context in
      let store = try context.open(Consignment.self)
      let good = Consignment(1, to: Postal("12345", "Forever"), back: Postal("54321"))
      try store.save(good)
      func refuse(
        _ rules: [String], _ attributes: [String], _ what: String, _ body: () throws -> Void
      ) throws {
        let error = try context.expectError(
          .validationFailed, entity: "Consignment", attributes: attributes, what, body)
        try context.expectEqual(error.failures.map(\.rule), rules, what)
        try context.expectEqual(
          error.failures.map(\.entity), rules.map { _ in "Consignment" }, what)
        try context.expectEqual(try store.fetch(Consignment.all), [good], what)
      }
      let bad = Consignment(
        2, weight: 0, to: Postal("1"), back: Postal("123456", spot: GridSpot(x: 1, y: 1)))
      try refuse(
        ["range", "zip", "zip", "spot"],
        ["weight", "to.zip", "back.zip", "back.spot.x", "back.spot.y"], "insert"
      ) { try store.save(bad) }
      try refuse(["forever"], ["to"], "the stored one is at hand") {
        try store.save(Consignment(1, to: Postal("12345", "There"), back: Postal("54321")))
      }
      try refuse(["zip"], ["back.zip"], "a patch") {
        try store.patch(Consignment.self, 1) { $0.back.zip = "1" }
      }
      try refuse(["zip"], ["to.zip"], "set-based") {
        try store.update(Consignment.all) { $0.to.zip = "" }
      }
      try refuse(["zip"], ["to.zip"], "by names") {
        _ = try store.write {
          try $0.save([DynamicRow("Consignment", ["id": .int(1), "to.zip": .string("")])])
        }
      }
      try refuse(["forever"], ["to"], "a delete") { try store.deleteAll(Consignment.self) }
      try context.expectError(.validationFailed, entity: "Consignment", attributes: ["to.zip"]) {
        try Consignment(3, to: Postal("1")).validate()
      }
      try store.patch(Consignment.self, 1) { $0.back = nil }
      try context.expectEqual(try store.fetch(Consignment.all).map(\.back), [nil])
    },
    ConformanceCase("a set-based update moves what it changes, and nothing else", "5.1") {
      context in
      let store = try context.open(Dial.self)
      try store.save([Dial(1, "a"), Dial(2, "b", level: 1, count: 5), Dial(3, nil)])
      let old = try store.fetch(Dial.all)
      func versions() throws -> [Int] { try store.fetch(Dial.all).map(\.version) }
      try context.expectEqual(try store.update(Dial.all) { $0.name = "a" }, 3)
      try context.expectEqual(try versions(), [1, 2, 2])
      try context.expectEqual(try store.fetch(Dial.all).map(\.name), ["a", "a", "a"])
      try context.expectEqual(try store.find(Dial.self, 1), old[0], "its timestamp stays too")
      try context.expectEqual(try store.update(Dial.all) { $0.name = nil }, 3)
      try context.expectEqual(try store.update(Dial.all) { $0.name = nil }, 3)
      try context.expectEqual(try versions(), [2, 3, 3])
      try store.update(Dial.all) { $0[\.count] += 0 }
      try context.expectEqual(try versions(), [2, 3, 3])
      // 0.0 and -0.0 are equal, and not the same.
      try store.update(Dial.all) { $0.level = -0.0 }
      try context.expectEqual(try versions(), [3, 4, 4])
      try context.expectEqual(
        try store.fetch(Dial.all).map(\.level.sign), [.minus, .minus, .minus])
      try context.expectError(.validationFailed, entity: "Dial", key: [.int(2)]) {
        try store.update(Dial.all) { $0[\.count] += 5 }
      }
      try context.expectError(.overflow) {
        try store.update(Dial.all.where { $0.id == 2 }) { $0[\.count] += Int.max }
      }
      try context.expectEqual(
        try store.update(Dial.all.sorted(by: .descending(\.id)).limit(1)) { $0.name = "last" }, 1)
      try context.expectEqual(try versions(), [3, 4, 5])
      // Managed attributes are not assigned by hand.
      try store.update(Dial.all) { $0.version = 99 }
      try context.expectEqual(try versions(), [3, 4, 5])
      try context.expectEqual(
        try store.update(Dial.all.where { $0.id == 9 }) { $0.name = "none" }, 0)
    },
    ConformanceCase("hooks run once for each row of large set-based updates and deletes", "5.6") {
      context in
      let store = try context.open(Salon.self, Exhibit.self, Occurrence.self)
      try store.save((1...1_100).map { Exhibit($0, "a") })
      try store.deleteAll(Occurrence.self)
      try context.expectEqual(try store.update(Exhibit.all) { $0[\.worth] += 1 }, 1_100)
      let rows = try store.fetch(Exhibit.all)
      try context.expectEqual(Set(rows.map(\.touched)), [2])
      try context.expectEqual(Set(rows.map(\.version)), [2])
      try context.expectEqual(Set(rows.map(\.worth)), [2])
      let logged = Set(try store.fetch(Occurrence.all).map(\.text))
      try context.expectEqual(logged, Set((1...1_100).map { "update Exhibit \($0) 2" }))
      try store.deleteAll(Exhibit.self)
      try store.deleteAll(Occurrence.self)
      try context.expectEqual(try store.purge(Exhibit.all), 1_100)
      try context.expectEqual(try store.count(Occurrence.all), 1_100)
    },
    ConformanceCase(
      "a set-based update reads its rows once before it and once after it", "5.6", "4.4", "11.1"
    ) { context in
      let counting = CountingStore(
        try context.open(Salon.self, Exhibit.self, Occurrence.self))
      try counting.save(Salon(1, "a"))
      try counting.save((1...3).map { Exhibit($0, "a", worth: Int($0), salon: .key(1)) })
      let changes = try ChangeSets(counting, of: ["Exhibit"])
      _ = changes.take()
      let reads = try counting.requests {
        let count = try $0.update(Exhibit.where { $0.worth < 3 }) { $0[\.worth] += 1 }
        try context.expectEqual(count, 2)
      }
      // Hooks, rules, derived attributes and the listener share both.
      try context.expectEqual(reads.filter { $0.shape.entity == "Exhibit" }.count, 2, "update")
      let salon = try context.unwrap(counting.find(Salon.self, 1), "the salon")
      try context.expectEqual(salon.worth, 2 + 3 + 3)
      try context.expectEqual(
        changes.lines().map { $0.replacing(",changed", with: "") },
        (1...2).map { "Exhibit updated \($0) worth,touched,version" })
      let logged = try counting.fetch(Occurrence.all).map(\.text).filter {
        $0.hasPrefix("update E")
      }
      try context.expectEqual(logged.sorted(), (1...2).map { "update Exhibit \($0) 2" })
    },
    ConformanceCase(
      "derived attributes follow an update of more rows than a change set takes",
      "11.1", "4.4"
    ) { context in
      var options = StoreOptions()
      options.maximumChanges = 2
      let counting = CountingStore(
        try context.open(try Schema.guilds, options: options))
      try counting.save(Guild(1, "a"))
      try counting.insert((1...3).map { Fellow(0, $0, guild: .key(1)) })
      let changes = try ChangeSets(counting, of: ["Fellow"])
      _ = changes.take()
      for (least, text) in [(3, ["Fellow updated 3 points"]), (1, ["Fellow everything"])] {
        let reads = try counting.requests {
          _ = try $0.update(Fellow.all.where { $0.points >= least }) { $0.points = 4 }
        }
        try context.expectEqual(changes.lines(), text)
        // The rows before and after: every column of a fellow is one that others derive from.
        let count = reads.filter { $0.shape.entity == "Fellow" }.count
        try context.expectEqual(count, 2)
      }
      try context.expectEqual(try counting.find(Guild.self, 1)?.points, 12)
    },
    ConformanceCase("the parts of an operation run in one order on every path", "5.17") { context in
      let store = try context.open(Stall.self, Purchase.self, Occurrence.self)
      try store.insert(Stall(1))
      let changes = try ChangeSets(store, of: ["Purchase", "Stall"])
      func texts() throws -> [String] {
        let noted = try store.fetch(Occurrence.all.sorted(by: .ascending(\.id))).map(\.text)
        try store.deleteAll(Occurrence.self)
        return noted
      }
      try store.insert(Purchase(1, -5))
      try context.expectEqual(
        try texts(), ["will insert 1: -5, stored 0", "did insert 1: 5, total 5"])
      try context.expectEqual(changes.lines(), ["Stall updated 1 total", "Purchase inserted 1"])
      try store.insert([Purchase(2, -3)])
      try context.expectEqual(
        try texts(), ["will insert 2: -3, stored 0", "did insert 2: 3, total 8"])
      try store.update(Purchase(1, -7))
      try context.expectEqual(
        try texts(), ["will update 1: 5 to -7, stored 5", "did update 1: 7, total 10"])
      _ = changes.take()
      try context.expectEqual(try store.update(Purchase.all) { $0.amount = -2 }, 2)
      try context.expectEqual(
        try texts(),
        [
          "will update 1: 7 to -2, stored -2", "will update 2: 3 to -2, stored -2",
          "did update 1: 2, total 4", "did update 2: 2, total 4",
        ], "a set-based update is written before the hooks")
      try context.expectEqual(
        changes.lines(),
        ["Stall updated 1 total", "Purchase updated 1 amount", "Purchase updated 2 amount"],
        "one change of each row")
      try context.expectError(.validationFailed, entity: "Purchase", "hooks come before rules") {
        try store.update(Purchase(1, -10))
      }
      try context.expectError(.validationFailed, entity: "Stall", "counts come last") {
        try store.insert(Purchase(3, 1))
      }
      try context.expectEqual(try texts(), [], "what hooks wrote is undone")
      try context.expectEqual(try store.find(Stall.self, 1)?.total, 4)
    },
    ConformanceCase("a row that is hidden and let go at once is written once", "5.6", "5.7") {
      context in
      let store = try context.open(Salon.self, Exhibit.self, Occurrence.self)
      try store.save(Salon(1, "a", exhibits: [Exhibit(1, "a"), Exhibit(2, "b")]))
      try store.delete(Salon.self, id: 1)
      try store.restore(Exhibit.where { $0.id == 2 })
      let before = try context.unwrap(store.find(Exhibit.self, 2), "the exhibit")
      try context.expectEqual(try store.purge(Salon.where { $0.id == 1 }), 1)
      let after = try store.fetch(Exhibit.all.onlyDeleted())
      try context.expectEqual(after.map(\.id), [2])
      try context.expectEqual(after.map(\.salon.id), [nil])
      try context.expectEqual(after.map(\.version), [before.version + 1])
      try context.expectEqual(after.map(\.touched), [before.touched + 1])
    },
    ConformanceCase("a part without which there is no struct is not made nil by its name", "5.4") {
      context in
      let store = try context.open(Salon.self, Exhibit.self, Occurrence.self)
      let exhibit = try store.save(Exhibit(1, "a", mount: Mount(width: 1, height: 2)))
      let null = Operand.value(.null)
      func refuse(_ what: String, _ body: (WriteTransaction) throws -> Void) throws {
        try context.expectError(
          .missingValue, entity: "Exhibit", attributes: ["mount.width"], what
        ) { try store.write(body) }
        try context.expectEqual(try store.fetch(Exhibit.all), [exhibit], what)
      }
      try refuse("an update") { try $0.update(DynamicQuery("Exhibit"), ["mount.width": null]) }
      try refuse("a row") {
        try $0.save([DynamicRow("Exhibit", ["id": .int(1), "mount.width": .null])])
      }
      try refuse("a whole struct") {
        try $0.update(
          DynamicQuery("Exhibit"),
          [
            "mount": .value(.bool(true)), "mount.width": null,
            "mount.height": .value(.int(3)),
          ])
      }
      _ = try store.write {
        try $0.update(DynamicQuery("Exhibit"), ["mount": null, "mount.width": null])
      }
      try context.expectEqual(try store.fetch(Exhibit.all).map(\.mount), [nil])
    },
    ConformanceCase("rows keep the key of a deleted row, also where it is assigned again", "2.9") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save(Park(1, "a"))
      try store.save([Visit(1, park: .key(1)), Visit(2, park: .key(1)), Visit(3)])
      try store.delete(Park.self, id: 1)
      try context.expectEqual(
        try store.update(Visit.all.where { $0.id < 3 }) { $0.park = .key(1) }, 2)
      try store.save(Visit(1, 5, park: .key(1)))
      try store.save([Visit(1, 6, park: .key(1)), Visit(2, 7, park: .key(1))])
      try context.expectError(
        .missingTarget, entity: "Visit", attributes: ["park"], key: [.int(3)], values: [.int(1)]
      ) { try store.update(Visit.all) { $0.park = .key(1) } }
      try context.expectEqual(try store.fetch(Visit.all).map(\.park.id), [1, 1, nil])
    },
    ConformanceCase("a check reports contents that are counted too often", "5.1", "7.7") {
      context in
      var store = try context.open(Picture.self, Album.self)
      try store.save([
        Picture(1, image: Picture.content(1)), Picture(2, image: Picture.content(1)),
        Picture(3, image: Picture.content(2)),
      ])
      try context.expectEqual(try store.check().overcountedContents, 0)
      var entities = try Schema(Picture.self, Album.self).entities
      entities[0].attributes.removeAll { $0.name == "image" }
      // A program that does not declare the attribute cannot know its targets.
      store = try context.reopen(store, try Schema(entities: entities))
      _ = try store.write {
        try $0.delete(DynamicQuery("Picture", where: attribute("id").compare(.greater, int(1))))
      }
      store = try context.reopen(store, Picture.self, Album.self)
      let report = try store.check()
      try context.expectEqual(report.overcountedContents, 2)
      try context.expectEqual(report.isSound, true)
    },
  ]
}
