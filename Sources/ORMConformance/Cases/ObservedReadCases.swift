internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Section 11: observed queries that are fetched again, and blocks.
  static let observedReads: [ConformanceCase] = [
    ConformanceCase("commits that concern no part of a query fetch nothing", "11.7") { context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert([Snack(1, "a", price: 1), Snack(2, "b", price: 2)])
      let names = try store.observe(
        Snack.all.where { $0.price < 5 }.select(\.name)
      ).follow()
      try context.expectEqual(try names.take(), [["a", "b"]])
      try store.insert(Word(1, "a"))
      try store.patch(Snack.self, 1) { $0.stock = 3 }
      try store.insert(Snack(3, "c", price: 9))
      try store.patch(Snack.self, 3) { $0.name = "d" }
      try context.expectEqual(try names.take(), [])
      try context.expectEqual(names.fetchCount, 1)
      try store.patch(Snack.self, 1) { $0.price = 2 }
      try context.expectEqual(try names.take(), [], "fetched, and as it was")
      try context.expectEqual(names.fetchCount, 2)
      try store.patch(Snack.self, 3) { $0.price = 2 }
      try context.expectEqual(try names.take(), [["a", "b", "d"]])
      let page = try store.observe(
        Snack.all.sorted(by: .ascending(\.name)).limit(2).select(\.name)
      ).follow()
      let groups = try store.observe(Snack.all.grouped(by: \.price) { $0.count() }).follow()
      try context.expectEqual(try page.take(), [["a", "b"]])
      try context.expectEqual(try groups.take().map { $0.map { $0.1 } }, [[3]])
      try store.patch(Snack.self, 2) { $0.price = 7 }
      try context.expectEqual(try page.take(), [])
      try context.expectEqual(page.fetchCount, 1, "an attribute that is not read")
      try context.expectEqual(try groups.take().map { $0.map { $0.1 } }, [[2, 1]])
      try store.patch(Snack.self, 2) { $0.taste = "sweet" }
      try context.expectEqual(try groups.take().count, 0)
      try context.expectEqual(groups.fetchCount, 2)
    },
    ConformanceCase("queries through relationships follow every entity they read", "11.6", "11.7") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b")]))
      try store.save([Team(0, "Blues")])
      try store.insert(Player(3, "c"))
      let query = Player.all.where { $0.team.name == "Reds" }
      let reds = try store.observe(query).follow()
      let ordered = try store.observe(Player.all.sorted(by: .ascending { $0.team.name })).follow()
      try context.expectEqual(try reds.take().map { $0.map(\.id) }, [[1, 2]])
      try context.expectEqual(try ordered.take().map { $0.map(\.id) }, [[3, 1, 2]])
      try store.update(Player.all.where { $0.id == 3 }) { $0.team = .key(2) }
      try context.expectEqual(try reds.take().count, 0, "another team")
      try context.expectEqual(try ordered.take().map { $0.map(\.id) }, [[3, 1, 2]])
      try store.update(Team.all.where { $0.id == 2 }) { $0.name = "Reds" }
      try context.expectEqual(try reds.take().map { $0.map(\.id) }, [[1, 2, 3]], "a related row")
      try context.expectEqual(try ordered.take().map { $0.map(\.id) }, [[1, 2, 3]])
      let fetches = reds.fetchCount
      try store.insert(Coach("x"))
      try store.insert([League("se", 1), League("se", 2)])
      try store.attach([1], to: League("se", 1).id, \League.teams)
      try context.expectEqual(try reds.take().count, 0)
      try context.expectEqual(reds.fetchCount, fetches, "entities that are not read")
      let teams = try store.observe(
        count: Team.all.where { $0.leagues.count > 0 }
      ).follow()
      try context.expectEqual(try teams.take(), [1])
      try store.attach([2], to: League("se", 2).id, \League.teams)
      try context.expectEqual(try teams.take(), [2], "links")
      try store.delete(League.self, id: .init(country: "se", number: 1))
      try context.expectEqual(try teams.take(), [1], "links that a delete rule removes")
    },
    ConformanceCase("prefetched objects are part of an observed result", "11.6", "11.7") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b")]))
      try store.save(Team(0, "Blues"))
      let seen = try store.observe(Team.all.prefetch(\.players).limit(1)).follow()
      func names() throws -> [[String]] {
        try seen.take().map { teams in
          try teams.flatMap { team in
            try context.unwrap(team.players.loaded, "the players").map(\.name)
          }
        }
      }
      try context.expectEqual(try names(), [["a", "b"]])
      try store.patch(Player.self, 2) { $0.name = "B" }
      try context.expectEqual(try names(), [["a", "B"]], "a prefetched row")
      let fetches = seen.fetchCount
      try store.insert(Player(3, "c"))
      try store.insert(Player(4, "d", team: .key(2)))
      try context.expectEqual(try names(), [])
      try context.expectEqual(seen.fetchCount, fetches, "rows of owners that are not in the result")
      try store.update(Player.all.where { $0.id == 3 }) { $0.team = .key(1) }
      try context.expectEqual(try names(), [["a", "B", "c"]], "a row that comes")
      try store.delete(Player.self, id: 1)
      try context.expectEqual(try names(), [["B", "c"]], "a row that goes")
    },
    ConformanceCase("a block is observed by what it read the last time", "11.6", "11.7") {
      context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert([Snack(1, "one", stock: 2), Snack(2, "two"), Snack(3, "three")])
      let seen = try store.observe { tx in
        let next = try tx.find(Snack.self, 1)?.stock ?? 0
        return try tx.find(Snack.self, Int64(next))?.name
      }.follow()
      try context.expectEqual(try seen.take(), ["two"])
      try store.patch(Snack.self, 3) { $0.name = "THREE" }
      try store.insert(Word(1, "a"))
      try context.expectEqual(try seen.take(), [])
      try context.expectEqual(seen.fetchCount, 1, "nothing that was read")
      try store.patch(Snack.self, 2) { $0.name = "TWO" }
      try context.expectEqual(try seen.take(), ["TWO"])
      try store.patch(Snack.self, 1) { $0.stock = 3 }
      try context.expectEqual(try seen.take(), ["THREE"], "another object")
      let fetches = seen.fetchCount
      try store.patch(Snack.self, 2) { $0.name = "2" }
      try context.expectEqual(try seen.take(), [])
      try context.expectEqual(seen.fetchCount, fetches, "the object before")
      try store.patch(Snack.self, 3) { $0.name = "3" }
      try context.expectEqual(try seen.take(), ["3"])
      try store.patch(Snack.self, 3) { $0.stock = 1 }
      try context.expectEqual(try seen.take(), [], "equal values")
      let pair = try store.observe { tx in
        (try tx.count(Snack.self), try tx.sum(Snack.all, \.stock))
      }.follow()
      try context.expectEqual(try pair.take().map { [$0.0, $0.1] }, [[3, 4]])
      try store.insert(Word(2, "b"))
      try context.expectEqual(try pair.take().count, 0)
      try store.delete(Snack.self, id: 3)
      try context.expectEqual(try pair.take().map { [$0.0, $0.1] }, [[2, 3]])
    },
    ConformanceCase("objects of class models are fetched anew for each value", "11.6") { context in
      let store = try context.open(Band.self, Musician.self, Manager.self, Festival.self)
      try store.insert(Musician("a"))
      let seen = try store.observe(Musician.all).follow()
      let first = try context.unwrap(try seen.take().first, "the first value")
      let musician = try context.unwrap(first.first, "a musician")
      let name = musician.name
      musician.name = "changed by hand"
      try store.update(Musician.all.where { $0.id == musician.id }) { $0.name = "changed" }
      let second = try context.unwrap(try seen.take().first, "the second value")
      try context.expect(second[0] !== musician, "another object")
      try context.expectEqual(second[0].name, "changed")
      try context.expectEqual(musician.name, "changed by hand")
      try context.expect(name != "changed", "the name before")
    },
    ConformanceCase("commits between the beginning and the first value are in a value", "11.6") {
      context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let held = try HeldWriter(store) { try $0.patch(Snack.self, 1) { $0.name = "b" } }
      let query = try store.observe(Snack.all).follow()
      let count = try store.observe(count: Snack.all.where { $0.name == "b" }).follow()
      try context.expectEqual(try query.take().map { $0.map(\.name) }, [["a"]])
      try context.expectEqual(try count.take(), [0])
      try held.finish()
      try context.expectEqual(try query.take().map { $0.map(\.name) }, [["b"]])
      try context.expectEqual(try count.take(), [1])
      let begun = Latch()
      let release = Latch()
      let isFirst = Shared(true)
      let block = try store.observe { tx in
        let name = try tx.find(Snack.self, 1)?.name
        if isFirst.value {
          isFirst.change { $0 = false }
          begun.open()
          try release.wait()
        }
        return name
      }.follow()
      try begun.wait()
      try store.patch(Snack.self, 1) { $0.name = "c" }
      try store.patch(Snack.self, 1) { $0.name = "d" }
      release.open()
      try context.expectEqual(try block.take(), ["d"])
      try context.expectEqual(block.fetchCount, 2, "one fetch for all commits meanwhile")
    },
    ConformanceCase("each of many observations gets the commits that concern it", "11.7") {
      context in
      let store = try context.open(Snack.self)
      try store.insert((1...200).map { Snack($0, "n") })
      let seen = try (Int64(1)...200).map { id in
        try store.observe { tx in try tx.find(Snack.self, id)?.name }.follow()
      }
      for follower in seen { try context.expectEqual(try follower.take(), ["n"]) }
      try store.patch(Snack.self, 77) { $0.name = "m" }
      try store.insert(Snack(201, "n"))
      for (id, follower) in zip(1...200, seen) {
        try context.expectEqual(try follower.take(), id == 77 ? ["m"] : [], "\(id)")
        try context.expectEqual(follower.fetchCount, id == 77 ? 2 : 1, "\(id)")
      }
    },
    ConformanceCase("values come in the order of the commits of many writers", "11.6") { context in
      var options = StoreOptions()
      options.durability = .off
      let store = try context.open(Snack.self, options: options)
      try store.insert(Snack(1, stock: 0))
      let every = try store.observe(Snack.all, .onEveryCommit).follow()
      let newest = try store.observe { tx in try tx.find(Snack.self, 1)?.stock ?? -1 }.follow()
      try context.expectEqual(try every.take().map { $0[0].stock }, [0])
      let writers = (0..<4).map { _ in
        Job {
          for _ in 0..<25 {
            try store.patch(Snack.self, 1) { $0[\.stock] = $0[\.stock] + 1 }
          }
        }
      }
      var seen: [Int] = []
      while !writers.allSatisfy(\.isDone) {
        seen += try newest.take()
        Thread.sleep(forTimeInterval: 0.001)
      }
      for writer in writers { try writer.value() }
      seen += try newest.take()
      try context.expectEqual(try every.take().map { $0[0].stock }, (1...100).map { $0 })
      try context.expectEqual(seen.last, 100)
      for (before, after) in zip(seen, seen.dropFirst()) {
        try context.expect(before < after, "\(before) before \(after)")
      }
    },
    ConformanceCase("a condition on the current time has that of the last fetch", "11.6") {
      context in
      let store = try context.open(Measure.self)
      try store.insert(Measure(1) { $0.date = Date(timeIntervalSinceReferenceDate: 0) })
      let past = try Measure.all.where(Filter(format: "date < now()"))
      let seen = try store.observe(past).follow()
      let count = try store.observe(count: past).follow()
      try context.expectEqual(try seen.take().map { $0.map(\.id) }, [[1]])
      try context.expectEqual(try count.take(), [1])
      let soon = Date().addingTimeInterval(0.005)
      try store.insert(Measure(3) { $0.date = Date(timeIntervalSinceReferenceDate: 1e10) })
      try context.expectEqual(try seen.take().count, 0)
      Thread.sleep(forTimeInterval: 0.02)
      try store.insert(Measure(2) { $0.date = soon })
      try context.expectEqual(try seen.take().map { $0.map(\.id) }, [[1, 2]])
      try context.expectEqual(try count.take(), [2])
    },
    ConformanceCase("the current time in requests of others is no part of a result", "11.6", "11.7")
    {
      context in
      let store = try context.open(Snack.self)
      let other = try context.open(Measure.self)
      try store.insert([Snack(1, "one", price: 1), Snack(2, "two", price: 3)])
      let past = try Measure.all.where(Filter(format: "date < now()"))
      let seen = try store.observe { tx in
        _ = try elsewhere { try other.fetch(past) }
        return try tx.fetch(Snack.all.where { $0.price > 2 }).map(\.name)
      }.follow()
      try context.expectEqual(try seen.take(), [["two"]])
      try store.patch(Snack.self, 1) { $0.name = "ONE" }
      try context.expectEqual(try seen.take(), [])
      try context.expectEqual(seen.fetchCount, 1, "a row that does not match")
      try store.patch(Snack.self, 1) { $0.price = 4 }
      try context.expectEqual(try seen.take(), [["ONE", "two"]])
    },
    ConformanceCase("verified observations hold their results against fetches", "11.6", "11.7") {
      context in
      var options = StoreOptions()
      options.verifiesObservations = true
      let store = try context.open(Snack.self, Word.self, options: options)
      try store.insert((1...9).map { Snack($0, "n\($0 % 3)", price: Double($0)) })
      let maintained = try store.observe(
        Snack.all.where { $0.price > 2 }.sorted(by: .descending(\.name)).limit(4)
      ).follow()
      let fetched = try store.observe(Snack.all.select(\.name)).follow()
      let count = try store.observe(count: Snack.all.where { $0.name == "n1" }).follow()
      for step in Int64(0)..<12 {
        switch step % 4 {
        case 0: try store.patch(Snack.self, step % 9 + 1) { $0.name = "n\(step)" }
        case 1: try store.save(Snack(step + 20, "n1", price: 9))
        case 2: try store.delete(Snack.all.where { $0.id == step })
        default: try store.insert(Word(step, "w"))
        }
        _ = try maintained.take()
        _ = try fetched.take()
        _ = try count.take()
      }
      try context.expect(!maintained.isEnded && !fetched.isEnded && !count.isEnded, "no difference")
    },
  ]
}
