internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.7 to 2.9 where many rows lead to one target, which a store need not look up for each.
  static let sharedTargets: [ConformanceCase] = [
    ConformanceCase("keys of to-ones are those of targets that exist", "2.9", "3.1", "4.2") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save((1...4).map { Park($0, "park \($0)") })
      // Visits 1 to 12 of parks 1, 2, 3, 4, 1, …; visits 13 and 14 of none.
      try store.save((1...12).map { Visit($0, Double($0), park: .key(($0 - 1) % 4 + 1)) })
      try store.save([Visit(13), Visit(14, 14)])
      try store.delete(Park.self, ids: [2, 4])
      let visits = Visit.all
      let groups = try store.fetch(
        visits.grouped(by: { $0.park.id }) { ($0.count(), $0.sum(\.cost)) })
      try context.expectEqual(groups.map(\.0), [nil, 1, 3])
      try context.expectEqual(groups.map(\.1), [8, 3, 3])
      // 2 + 4 + 6 + 8 + 10 + 12 + 14, 1 + 5 + 9, and 3 + 7 + 11.
      try context.expectEqual(groups.map(\.2), [56, 15, 21])
      let names = try store.fetch(visits.grouped(by: { $0.park.name }) { $0.count() })
      try context.expectEqual(names.map(\.0), [nil, "park 1", "park 3"])
      try context.expectEqual(names.map(\.1), [8, 3, 3])
      let keys = visits.select { $0.park.id }.distinct()
      try context.expectEqual(try store.fetch(keys), [nil, 1, 3])
      try context.expectEqual(
        try store.fetch(visits.sorted(by: .ascending { $0.park.id })).map(\.id),
        [2, 4, 6, 8, 10, 12, 13, 14, 1, 5, 9, 3, 7, 11])
      try context.expectEqual(
        try store.fetch(visits.sorted(by: .descending { $0.park.id }).limit(7)).map(\.id),
        [11, 7, 3, 9, 5, 1, 14])
      func ids(_ query: Query<Visit>) throws -> [Int64] { try store.fetch(query).map(\.id) }
      try context.expectEqual(try ids(visits.where { $0.park.id == 2 }), [])
      try context.expectEqual(try ids(visits.where { $0.park.id == 3 }), [3, 7, 11])
      try context.expectEqual(try ids(visits.where { $0.park.id > 1 }), [3, 7, 11])
      try context.expectEqual(try ids(visits.where { $0.park.id + 0 > 1 }), [3, 7, 11])
      try context.expectEqual(
        try ids(visits.where { $0.park.id == nil }), [2, 4, 6, 8, 10, 12, 13, 14])
      try context.expectEqual(
        try ids(visits.where { $0.park.id != 1 && $0.id < 5 }), [2, 3, 4])
    },
    ConformanceCase("rows hidden while a transaction reads are seen by it", "2.9", "6.3") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save([Park(1, "one"), Park(2, "two")])
      try store.save((1...6).map { Visit($0, park: .key($0 % 2 + 1)) })
      let both = Visit.all.sorted(by: .ascending { $0.park.name })
      let keys = Visit.all.select { $0.park.id }.distinct()
      let names = Visit.all.select { $0.park.name }.distinct()
      try store.write { transaction in
        try context.expectEqual(try transaction.fetch(both).map(\.id), [2, 4, 6, 1, 3, 5])
        try transaction.delete(Park.self, id: 1)
        let keysLeft: [Int64?] = try transaction.fetch(keys)
        try context.expectEqual(keysLeft, [nil, 2])
        // The links were cleared with their target, so one of the same key is not theirs by itself.
        try transaction.insert(Park(1, "uno"))
        let namesBefore: [String?] = try transaction.fetch(names)
        try context.expectEqual(namesBefore, [nil, "two"])
        try transaction.save([2, 4, 6].map { Visit($0, park: .key(1)) })
        let namesNow: [String?] = try transaction.fetch(names)
        try context.expectEqual(namesNow, ["two", "uno"])
        try context.expectEqual(try transaction.fetch(both).map(\.id), [1, 3, 5, 2, 4, 6])
      }
    },
    ConformanceCase("keys of to-ones are those of targets that are not hidden", "2.9", "4.2") {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.insert((3...8).map { Jotting($0, venture: .key($0 % 2 + 1)) })
      let memos = Jotting.all
      let counts = memos.grouped(by: { $0.venture.id }) { $0.count() }
      try context.expectEqual(try store.fetch(counts).map(\.0), [1, 2])
      try context.expectEqual(try store.fetch(counts).map(\.1), [4, 4])
      try store.update(Venture.all.where { $0.id == 2 }) { $0.deletedAt = Date() }
      let keys = memos.select { $0.venture.id }.distinct()
      try context.expectEqual(try store.fetch(keys), [nil, 1])
      try context.expectEqual(
        try store.fetch(memos.where { $0.venture.id + 0 == 2 }).map(\.id), [])
      let everyKey = memos.includingDeleted(related: true).select { $0.venture.id }.distinct()
      try context.expectEqual(try store.fetch(everyKey), [1, 2])
    },
    ConformanceCase("links to what does not exist are not counted", "2.7", "2.9") { context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save((1...5).map { Park($0, "park \($0)") })
      try store.save([Tag("a"), Tag("b"), Tag("c")])
      for park in Int64(1)...5 { try store.attach(["a", "b"], to: park, \Park.tags) }
      try store.attach(["c"], to: 5, \Park.tags)
      try store.delete(Tag.self, id: "b")
      try store.delete(Park.self, ids: [1, 3])
      func parks(_ body: (Fields<Park>) -> Filter<Park>) throws -> [Int64] {
        try store.fetch(Park.all.where(body)).map(\.id)
      }
      try context.expectEqual(try parks { $0.tags.count == 1 }, [2, 4])
      try context.expectEqual(try parks { $0.tags.count > 1 }, [5])
      try context.expectEqual(try parks { $0.tags.any { $0.id == "b" } }, [])
      let counts = Tag.all.select { ($0.id, $0.parks.count) }
      try context.expectEqual(try store.fetch(counts).map(\.1), [3, 1])
      try context.expectEqual(
        try store.fetch(Tag.all.sorted(by: .ascending { $0.parks.count })).map(\.id), ["c", "a"])
    },
    ConformanceCase("a count beside a number is right on either side of it", "2.7", "4.1") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      // Park 1 without visits, 2 with one, 3 with two, 4 with three; each costs 1, 2, 3 in turn.
      try store.save((1...4).map { Park($0, "park \($0)") })
      try store.save([
        Visit(1, 1, park: .key(2)), Visit(2, 1, park: .key(3)), Visit(3, 2, park: .key(3)),
        Visit(4, 1, park: .key(4)), Visit(5, 2, park: .key(4)), Visit(6, 3, park: .key(4)),
      ])
      func check(
        _ expected: [Int64], line: Int = #line, _ body: (Field<Park, Int>) -> Filter<Park>
      ) throws {
        let all = Park.all.where { body($0.visits.count) }
        try context.expectEqual(try store.fetch(all).map(\.id), expected, line: line)
        let some = Park.all.where { park in
          let count: Field<Park, Int> = park.visits.count { $0.cost > 0 }
          return body(count)
        }
        try context.expectEqual(try store.fetch(some).map(\.id), expected, line: line)
      }
      try check([3]) { $0 == 2 }
      try check([1, 2, 4]) { $0 != 2 }
      try check([1, 2]) { $0 < 2 }
      try check([1, 2, 3]) { $0 <= 2 }
      try check([4]) { $0 > 2 }
      try check([3, 4]) { $0 >= 2 }
      try check([1]) { $0 == 0 }
      try check([2, 3, 4]) { $0 > 0 }
      try check([]) { $0 < 0 }
      try check([1, 2, 3, 4]) { $0 >= 0 }
      try check([]) { $0 == -1 }
      try check([1, 2, 3, 4]) { $0 > -1 }
      try check([1, 2, 3, 4]) { $0 > -5 }
      try check([1, 2, 3, 4]) { $0 < Int.max }
      try check([]) { $0 == Int.max }
      try check([1, 2, 3, 4]) { $0 > Int.min }
    },
    ConformanceCase("the first rows of each group, by a count of those before", "2.7") { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.save((1...3).map { Club($0, "c\($0)") })
      // Ages 0, 7, 14, 21, 28, 5, … modulo 30: all different, in clubs 1, 2, 3, 1, …
      let numbers: [Int] = Array(0..<30)
      var members: [Member] = []
      for number in numbers {
        let club = Int64(number % 3 + 1)
        members.append(Member(Int64(number), age: number * 7 % 30, club: .key(club)))
      }
      members.append(Member(30, age: 99))
      try store.save(members)
      let oldest = Member.all.where { member in
        member.club.members.count { $0.age > member.age } < 2
      }
      // Of club 1 the ages are the multiples of 3, of club 2 one more, of club 3 two more. Member 30
      // has no club, and so no predecessor.
      var expected: [Int64] = []
      for number in numbers where number * 7 % 30 >= 24 { expected.append(Int64(number)) }
      expected.append(30)
      try context.expectEqual(try store.fetch(oldest).map(\.id), expected)
      let youngest = Member.all.where { member in
        member.club.members.count { $0.age < member.age } == 0
      }
      expected = []
      for number in numbers where number * 7 % 30 < 3 { expected.append(Int64(number)) }
      expected.append(30)
      try context.expectEqual(try store.fetch(youngest).map(\.id), expected)
    },
  ]
}
