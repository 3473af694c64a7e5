internal import ORM
internal import ORMCore
internal import ORMObservation

extension Store {
  /// Ten wards, w0 to w9, with two clubs each; twenty clubs, c1 to c20, with twenty members each;
  /// forty hobbies, h0 to h39, with ten members each.
  ///
  /// Member 1 is the first of c1, 21 of c2 and so on; of each age from 0 to 99 there are four.
  /// Member 401 has no club, member 402 one without name or ward, and neither a hobby.
  ///
  /// Those are 873 rows with the links.
  fileprivate func fillClubs() throws {
    try save((0..<10).map { Ward($0 % 2 == 0 ? "IS" : "NO", $0, "w\($0)") })
    try save(
      (1...20).map { number in
        let ward = (number - 1) / 2
        return Club(
          Int64(number), "c\(number)",
          ward: .key(Ward.ID(land: ward % 2 == 0 ? "IS" : "NO", number: ward)))
      } + [Club(21, nil)])
    try save((0..<40).map { Hobby("h\($0)") })
    try save(
      (1...400).map { number in
        Member(
          Int64(number), age: number % 100, club: .key(Int64((number - 1) / 20 + 1)),
          hobbies: .keys(["h\(number % 40)"]))
      } + [Member(401, age: 200), Member(402, age: 201, club: .key(21))])
  }
}

extension ConformanceCase {
  /// The cost of queries through relationships: each begins at its cheaper end.
  static let relatedPlans: [ConformanceCase] = [
    ConformanceCase("a question through to-ones begins with the rows they lead to", "2.8", "3.4") {
      context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      let all = Member.all
      // One club, and its twenty members.
      try asked.answers(
        all.where { $0.club.name == "c7" }, Array(121...140), reading: 21, once: true)
      // Two clubs, or all 21 of them, which may cost less than three ranges of their index.
      try asked.answers(
        all.where { $0.club.name.isIn(["c7", "c9", "none"]) }, Array(121...140) + Array(161...180),
        reading: 61, once: true)
      try asked.answers(all.where { $0.club.name == "none" }, [], reading: 0, once: true)
      // One ward, its two clubs, and their members: by a composite key.
      try asked.answers(
        all.where { $0.club.ward.title == "w3" }, Array(121...160), reading: 43, once: true)
      try asked.answers(
        Club.all.where { $0.ward.title == "w3" }, [7, 8], reading: 3, once: true)
      try asked.answers(
        Club.all.where { $0.ward.title.isIn(["w3", "w4"]) }, [7, 8, 9, 10], reading: 6, once: true)
      // One of the twenty members that are left.
      try asked.answers(
        all.where { $0.club.name == "c7" && $0.age == 25 }, [125], reading: 21)
      // The row itself is cheaper than the club's members.
      try asked.answers(all.where { $0.id == 125 && $0.club.name == "c7" }, [125], reading: 2)
      // One of two ways: the club with its members, and one row.
      try asked.answers(
        all.where { $0.club.name == "c7" || $0.id == 401 }, Array(121...140) + [401], reading: 22,
        once: true)
    },
    ConformanceCase(
      "a semi-join driven from the inner side answers as row by row", "2.1", "2.8", "2.9", "3.4"
    ) {
      context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      let others = Array(Int64(1)...120) + Array(141...402)
      // Every member, and the club of each but one.
      try asked.answers(Member.all.where { $0.club.name != "c7" }, others, reading: 803)
      try asked.answers(Member.all.where { !($0.club.name == "c7") }, others, reading: 803)
      try asked.answers(Member.all.where { $0.club.name == nil }, [401, 402], reading: 803)
      try asked.answers(Member.all.where { $0.club.name != nil }, Array(1...400), reading: 803)
      try asked.answers(
        // Club 7 is found by its name as well.
        Member.all.where { $0.club.name.isIn(["c7", nil]) }, Array(121...140) + [401, 402],
        reading: 804)
      try asked.answers(
        Member.all.where { !($0.club.ward.title == "w3") }, Array(1...120) + Array(161...402),
        reading: 402 * 3)
    },
    ConformanceCase("a question about elements begins with the elements", "2.7", "3.4") { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      // Members 33, 133, 233 and 333, and their clubs.
      try asked.answers(
        Club.all.where { $0.members.any { $0.age == 33 } }, [2, 7, 12, 17], reading: 8, once: true)
      // The club itself is cheaper: it and its twenty members at most.
      try asked.answers(
        Club.all.where { $0.id == 7 && $0.members.any { $0.age == 33 } }, [7], reading: 21)
      // A hobby, its ten links, and their members.
      try asked.answers(
        Member.all.where { $0.hobbies.any { $0.id == "h5" } },
        (0..<10).map { Int64($0 * 40 + 5) }, reading: 21, once: true)
      // Four members with a link each: members 33 and 233 to h33, 133 and 333 to h13.
      try asked.answers(
        Hobby.all.where { $0.members.any { $0.age == 33 } }, ["h13", "h33"], reading: 10)
    },
    ConformanceCase("a link to a given key is found by the key", "2.7", "3.4") { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      // Each of 60 members has the hobbies h1 to h30; every sixth has h0 besides.
      try store.save((0...30).map { Hobby("h\($0)") })
      try store.save(
        (1...60).map { number in
          Member(
            Int64(number), age: number,
            hobbies: .keys(((number % 6 == 0 ? 0 : 1)...30).map { "h\($0)" }))
        })
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      let sixth = (1...10).map { Int64($0 * 6) }
      // At most every member, and of each the links to the two hobbies; or the links of both.
      try asked.answers(
        Member.all.where { $0.hobbies.contains("h0") && $0.hobbies.contains("h7") }, sixth,
        reading: 135, across: 135)
      try asked.answers(
        Member.all.where { $0.hobbies.contains("h7") && $0.hobbies.contains("h0") }, sixth,
        reading: 195, across: 195)
      try asked.answers(
        Member.all.where {
          $0.hobbies.contains("h0") && $0.hobbies.contains("h7") && $0.hobbies.contains("h8")
        }, sixth, reading: 160, across: 160)
      try asked.answers(
        Member.all.where { $0.hobbies.contains("h0") && !$0.hobbies.contains("h7") }, [],
        reading: 700, inCore: 135, across: 135)
      // One row, its link and the hobby; a database may go through the row's thirty links.
      try asked.answers(
        Member.all.where { $0.id == 13 && $0.hobbies.contains("h7") }, [13], reading: 61, inCore: 3,
        across: 3)
      try asked.answers(
        Member.all.where { $0.id == 13 && $0.hobbies.any { $0.id.isIn(["h7", "h8"]) } }, [13],
        reading: 61, inCore: 5, across: 5)
      try asked.answers(
        Member.all.where { $0.id == 13 && $0.hobbies.contains("h0") }, [], reading: 61, inCore: 2,
        across: 2)
    },
    ConformanceCase(
      "whether there are links, and how many, is read from the links alone", "2.7", "2.9", "3.4"
    ) { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      // Each of 60 members has the hobbies h1 to h30, and four have none; h0 has no members.
      try store.save((0...30).map { Hobby("h\($0)") })
      try store.save(
        (1...64).map { number in
          Member(
            Int64(number), age: number,
            hobbies: .keys(number > 60 ? [] : (1...30).map { "h\($0)" }))
        })
      let asked = AskedRows(context: context, store: store, everyRow: 1_895)
      let (some, none) = (Array(Int64(1)...60), Array(Int64(61)...64))
      // Every member, and the first link of each; else of all links one row for each member.
      try asked.answers(
        Member.all.where { $0.hobbies.isEmpty() }, none, reading: 124, across: 1_864)
      try asked.answers(
        Member.all.where { !$0.hobbies.isEmpty() }, some, reading: 124, across: 1_864)
      // The engine reads only the links that decide the comparison of the count.
      try asked.answers(
        Member.all.where { $0.hobbies.count > 3 }, some, reading: 64 + 60 * 5, across: 1_864)
      try asked.answers(
        Member.all.where { $0.hobbies.count == 30 }, some, reading: 1_864, across: 1_864)
      try asked.answers(
        Member.all.where { $0.id == 61 && $0.hobbies.count == 0 }, [61], reading: 1, across: 1)
      try asked.answers(
        Hobby.all.where { $0.members.isEmpty() }, ["h0"], reading: 61, across: 1_831)
      try asked.answers(
        Hobby.all.where { $0.members.count == 60 }, (1...30).map { "h\($0)" }.sorted(),
        reading: 1_831, across: 1_831)
      let sorted = Member.all.sorted(by: .ascending { $0.hobbies.count }, .descending(\.id))
      try context.expectEqual(try store.fetch(sorted.limit(5)).map(\.id), [64, 63, 62, 61, 60])
      try asked.reads(store.explain(sorted.limit(5), analyze: true), 1_864, across: 1_864)
      // The links of one hobby, and their members; or every member, and these links.
      try asked.answers(
        Member.all.where { $0.hobbies.contains("h7") }, some, reading: 130, across: 130)
    },
    ConformanceCase(
      "a cursor over a related order reads each related row twice at most", "3.3", "3.4"
    ) {
      context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let order = Member.all.sorted(by: .ascending { $0.club.name })
      // Those without a name first; then c1, c10, c11 and so on, twenty members each.
      let start = try store.fetchPage(order.limit(22)).end
      let rest = order.after(start).limit(10)
      try context.expectEqual(try store.fetch(rest).map(\.id), Array(181...190))
      let explanation = try store.explain(rest, analyze: true)
      // A database may look related rows up for each row; core remembers them, or looks through the
      // clubs for those that come after: 402 members, and the 21 clubs for each.
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      try asked.reads(explanation, 402 * 2, inCore: 444, across: 423)
      // No list says where nil comes after as well: besides 22 clubs for lists, the condition and the
      // order share the 21.
      let descending = Member.all.sorted(by: .descending { $0.club.name })
      let next = descending.after(try store.fetchPage(descending.limit(22)).end).limit(10)
      try context.expectEqual(try store.fetch(next).map(\.id), Array((149...158).reversed()))
      try asked.reads(
        store.explain(next, analyze: true), 402 * 2 + 44, inCore: 445, across: 423)
    },
    ConformanceCase("a count of elements reads their keys, for each row once", "2.7", "4.1", "3.4")
    {
      context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 1_901)
      // 21 clubs, and 401 members of theirs.
      try asked.answers(Club.all.where { $0.members.count > 25 }, [], reading: 422, across: 422)
      try asked.answers(
        Club.all.where { $0.id == 3 && $0.members.count == 20 }, [3], reading: 21, across: 21)
      try asked.answers(
        Club.all.where { $0.name == "c3" && $0.members.count == 20 }, [3], reading: 21, across: 21)
    },
    ConformanceCase(
      "an aggregate over the rows beside a row is worked out once for all of them", "2.7", "3.4",
      "4.1"
    ) { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      // In clubs 5, 10, 15 and 20 a member is 99, and in club 21 member 402 is 201.
      let aged = [81...100, 181...200, 281...300, 381...400].flatMap {
        Array(Int64($0.lowerBound)...Int64($0.upperBound))
      }
      // 402 members with the 401 clubs that they lead to, and 401 members of these clubs; once more
      // for each member were some 9,000.
      try asked.answers(
        Member.all.where { $0.club.members.max(\.age) > 98 }, aged + [402], reading: 1_300)
      try asked.answers(
        Member.all.where { !($0.club.members.max(\.age) <= 98) }, aged + [401, 402],
        reading: 1_300)
      try asked.answers(
        Member.all.where { $0.club.members.max(\.age) == nil }, [401], reading: 1_300)
      // Presence is worked out once as well; asked for each member, it would read 8,804 rows.
      try asked.answers(
        Member.all.where { $0.club.members.count { $0.age > 500 } == 0 }, Array(1...402),
        reading: 1_300)
      try asked.answers(
        Member.all.where { !$0.club.members.any { $0.age > 98 } },
        Array(1...402).filter { !aged.contains($0) && $0 != 402 }, reading: 1_300)
      // A page ends with its last row.
      try asked.answers(
        Member.all.where { $0.club.members.count { $0.age > 500 } == 0 }.sorted(
          by: .ascending(\.id)
        ).limit(2), [1, 2], reading: 2 * 22, inCore: 200, across: 200)
      // Every member of a club but one has one hobby, by one link.
      try asked.answers(
        Member.all.where { $0.club.members.max { $0.hobbies.count } == 1 }, Array(1...400),
        // A member of a coordinator may look through its rows for each batch of clubs.
        reading: 1_700, across: 2_100)
      // Where a key bounds the rows, it is worked out for them alone.
      try asked.answers(
        Member.all.where { $0.id == 20 && $0.club.members.max(\.age) == 20 }, [20], reading: 22)
    },
    ConformanceCase("a path through to-ones reads each row's own targets once", "2.8", "3.4", "4.2")
    { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.fillClubs()
      let asked = AskedRows(context: context, store: store, everyRow: 873)
      // Two conditions on one club are one look at it.
      let both = Member.all.where { ($0.club.name > "c2" || $0.club.name < "c1") && $0.age < 150 }
      // Clubs 3 to 9 and 20, whose name is after c2.
      try context.expectEqual(
        try store.fetch(both).map(\.id), Array(41...180) + Array(381...400))
      try asked.reads(store.explain(both, analyze: true), 402 * 3)
      let sorted = Member.all.sorted(
        by: .descending { $0.club.ward.title }, .ascending { $0.club.name }, .ascending(\.id))
      try context.expectEqual(
        try store.fetch(sorted.limit(3)).map(\.id), [361, 362, 363])
      let titles = Member.all.grouped(by: { $0.club.ward.title }) { $0.count() }
      try context.expectEqual(
        try store.fetch(titles).map { $0.0 }, [nil] + (0..<10).map { "w\($0)" })
      try context.expectEqual(
        try store.fetch(titles).map { $0.1 }, [2] + Array(repeating: 40, count: 10))
      try asked.reads(store.explain(titles, analyze: true), 402 * 3)
    },
  ]
}
