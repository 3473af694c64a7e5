internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Alternatives that lead through one relationship: each may be found by a list of keys, and both
  /// lists bound one access.
  ///
  /// Engines weigh plans from some number of rows on, so every question is asked on both sides of
  /// each of these thresholds.
  static let relatedAlternatives: [ConformanceCase] = [
    ConformanceCase(
      "alternatives through one to-one are answered at every number of rows", "2.8", "3.4"
    ) { context in
      for size in sizes {
        let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
        try store.fillHalves(size)
        let two = Member.all.where { $0.club.name == "c1" || $0.club.name == "c3" }
        let some = halves(size) { $0 == 1 || $0 == 3 }
        func check<T: Equatable>(_ got: T, _ expected: T, _ what: String, line: Int = #line) throws
        {
          try context.expectEqual(got, expected, "\(what) of \(size) members", line: line)
        }
        try check(try store.fetch(two).map(\.id), some, "fetch")
        try check(try store.count(two), some.count, "count")
        try check(try store.exists(two), true, "exists")
        try check(
          try store.exists(Member.all.where { $0.club.name == "no" || $0.club.name == "none" }),
          false, "exists")
        try check(try store.sum(two, \.age), some.reduce(0) { $0 + Int($1) }, "sum")
        // Every member and every club once; a database may look a member's club up for each.
        try AskedRows(context: context, store: store, everyRow: size + 5).reads(
          store.explain(two, analyze: true), 2 * size + 9, inCore: size + 9, across: size + 9)
        try check(
          try store.fetch(two.sorted(by: .descending(\.age)).limit(2)).map(\.id),
          Array(some.reversed().prefix(2)), "a page")
        let format = try Filter<Member>(
          format: "club.name BEGINSWITH 'c1' OR club.name BEGINSWITH 'c3'")
        try check(try store.fetch(Member.all.where(format)).map(\.id), some, "a format")
        let name = path("club", "name")
        try check(
          try store.ids(
            "Member",
            .any([name.compare(.equal, text("c1")), name.compare(.equal, text("c3"))])),
          some, "by names")
        // Beside the key of the club itself, a range of it, null, and several parts each.
        try check(
          try store.fetch(Member.all.where { $0.club.name == "c1" || $0.club.id == 3 }).map(\.id),
          some, "a name or a key")
        try check(
          try store.ids(
            "Member",
            .any([name.compare(.equal, text("c1")), attribute("club").compare(.greater, int(2))])),
          some, "a name or a range of keys")
        try check(
          try store.fetch(
            Member.all.where { $0.club.name == "c1" || $0.club.name == "c3" || $0.club == nil }
          ).map(\.id), some + [Int64(size) + 1], "a name or no club")
        try check(
          try store.fetch(
            Member.all.where {
              ($0.club.name == "c1" && $0.age > 3) || ($0.club.name == "c3" && $0.age > 3)
            }
          ).map(\.id), some.filter { $0 > 3 }, "several parts each")
        // By a composite key, and through two relationships.
        try check(
          try store.fetch(
            Member.all.where { $0.club.ward.title == "w1" || $0.club.ward.title == "w3" }
          ).map(\.id), some, "through two to-ones")
        try check(
          try store.fetch(Club.all.where { $0.ward.title == "w1" || $0.ward.title == "w3" })
            .map(\.id), [1, 3], "a composite key")
        try store.close()
      }
    },
    ConformanceCase(
      "alternatives of one to-many are answered at every number of rows", "2.7", "3.4"
    ) { context in
      for size in sizes {
        let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
        try store.fillHalves(size)
        let clubs = Club.all.where {
          $0.members.any { $0.age == 1 } || $0.members.any { $0.age == 3 }
        }
        try context.expectEqual(
          try store.fetch(clubs).map(\.id), [1, 3], "\(size)")
        let hobbies = Hobby.all.where {
          $0.members.any { $0.age == 1 } || $0.members.any { $0.age == 2 }
        }
        try context.expectEqual(try store.fetch(hobbies).map(\.id), ["h1", "h2"], "\(size)")
        let members = Member.all.where {
          $0.hobbies.any { $0.id == "h1" } || $0.hobbies.any { $0.id == "h3" }
        }
        try context.expectEqual(
          try store.fetch(members).map(\.id), halves(size) { $0 == 1 || $0 == 3 }, "\(size)")
        try store.close()
      }
    },
    ConformanceCase(
      "a cursor over a related order continues at every number of rows", "3.3", "2.8"
    ) { context in
      for size in sizes {
        let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
        try store.fillHalves(size)
        let order = Member.all.sorted(by: .ascending { $0.club.name })
        // Without a club first, then by club, each by key.
        let expected =
          [Int64(size) + 1] + (0...3).flatMap { club in halves(size) { $0 == club } }
        try context.expectPages(
          store, order, size: max(1, size / 3), expected.map { [.int($0)] }
        ) { [.int($0.id)] }
        try store.close()
      }
    },
    ConformanceCase(
      "changes of alternatives through one to-one are made at every number of rows", "2.8", "5.1"
    ) { context in
      for size in sizes {
        let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
        try store.fillHalves(size)
        let two = Member.all.where { $0.club.name == "c1" || $0.club.name == "c3" }
        let some = halves(size) { $0 == 1 || $0 == 3 }
        try context.expectEqual(try store.update(two) { $0.age = 5_000 }, some.count, "\(size)")
        try context.expectEqual(
          try store.fetch(Member.all.where { $0.age == 5_000 }).map(\.id), some, "\(size)")
        try context.expectEqual(try store.delete(two), some.count, "\(size)")
        try context.expectEqual(try store.count(two), 0, "\(size)")
        try context.expectEqual(try store.count(Member.all), size + 1 - some.count, "\(size)")
        try store.close()
      }
    },
  ]

  /// Numbers of members on both sides of each threshold of the engines.
  private static let sizes = [14, 15, 16, 63, 64, 1_000]

  /// The members whose club's number is as asked: member n is in club n % 4.
  private static func halves(_ size: Int, _ isWanted: (Int) -> Bool) -> [Int64] {
    (1...size).filter { isWanted($0 % 4) }.map { Int64($0) }
  }
}

extension Store {
  /// Saves clubs 0 to 3, called c0 to c3 and of the wards w0 to w3, and members of them.
  ///
  /// Member n is n years old, of club n % 4, and has hobby h(n % 4). One more member has no club and no hobby, and the age 9,999.
  fileprivate func fillHalves(_ size: Int) throws {
    try save((0..<4).map { Ward("IS", $0, "w\($0)") })
    try save(
      (0..<4).map {
        Club(Int64($0), "c\($0)", ward: .key(Ward.ID(land: "IS", number: $0)))
      })
    try save((0..<4).map { Hobby("h\($0)") })
    try save(
      (1...size).map {
        Member(
          Int64($0), age: $0, club: .key(Int64($0 % 4)), hobbies: .keys(["h\($0 % 4)"]))
      } + [Member(Int64(size) + 1, age: 9_999)])
  }
}

private func path(_ names: String...) -> Operand { .path(.init(names)) }
