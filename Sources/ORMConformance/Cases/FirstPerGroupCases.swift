internal import Dispatch
internal import ORM

extension ConformanceCase {
  /// Clause 4.2: the first rows of each group.
  static let firstPerGroup: [ConformanceCase] = [
    ConformanceCase("the first rows of each group, in the order of the groups", "4.2", "3.1", "3.2")
    { context in
      let store = try context.openMembers()
      func expect(
        _ groups: FirstPerGroup<Member>, _ keys: [Int64], line: Int = #line
      ) throws {
        try context.expectEqual(try store.fetch(groups).map(\.id), keys, line: line)
      }
      let all = Member.all
      // Without a club: 7 (15), 8 (12). Of two of age 30, the greater key is first in a descending
      // order.
      try expect(all.first(2, per: \.club, sorted: .descending(\.age)), [7, 8, 2, 3, 5])
      try expect(all.first(2, per: \.club, sorted: .ascending(\.age)), [6, 8, 4, 1, 5])
      try expect(all.first(1, per: \.club), [6, 1, 5])
      try expect(all.sorted(by: .descending(\.age)).first(1, per: \.club.id), [7, 2, 5])
      try expect(all.first(1, per: { $0.club.name }, sorted: .descending(\.age)), [7, 2, 5])
      try expect(all.first(1, per: { $0.age / 20 }, sorted: .descending(\.age)), [7, 3, 5])
      try expect(all.first(1, per: \.age), [6, 8, 7, 4, 1, 2, 5])
      try expect(
        all.first(1, per: \.age, sorted: .descending { $0.club.name }, .ascending(\.id)),
        [6, 8, 7, 4, 1, 2, 5])
      try expect(
        all.where { $0.age < 40 }.first(1, per: \.club, sorted: .descending(\.age)), [7, 3])
      try expect(all.where { $0.age > 90 }.first(3, per: \.club), [])
      try expect(all.first(0, per: \.club), [])
      try expect(all.first(99, per: \.club), [6, 7, 8, 1, 2, 3, 4, 5])
      // A composite key, and nils in an order.
      try context.expectEqual(
        try store.fetch(Club.all.first(1, per: \.ward, sorted: .descending(\.name))).map(\.id),
        [3, 2])
      try context.expectEqual(
        try store.fetch(
          Club.all.first(1, per: \.ward, sorted: .ascending(\.name, nils: .last))
        ).map(\.id), [3, 1])
      try store.save([Snack(1, "b"), Snack(2, "B"), Snack(3, "a"), Snack(4, "A")])
      try context.expectEqual(
        try store.fetch(
          Snack.all.first(3, per: \.taste, sorted: .ascending(\.name, .caseInsensitive))
        ).map(\.id), [3, 4, 1])
    },
    ConformanceCase("the first rows of each group, prefetched, and of no page", "4.2", "5.12") {
      context in
      let store = try context.openMembers()
      let groups = Member.all.prefetch(\.club).first(1, per: \.club, sorted: .descending(\.age))
      let found = try groups.fetch(in: store)
      try context.expectEqual(found.map { $0.club.loaded?.name }, [nil, "c1", "c2"])
      try store.write { tx in
        try tx.save(Member(9, age: 60, club: .key(2)))
        try context.expectEqual(try groups.fetch(in: tx).map(\.id), [7, 2, 9])
      }
      for page in [Member.all.limit(3), Member.all.offset(1), Member.all.page(0, size: 2)] {
        try context.expectError(.invalidPage, entity: "Member") {
          try store.fetch(page.first(1, per: \.club))
        }
      }
      try context.expectError(.invalidPage) { try store.fetch(Member.all.first(-1, per: \.club)) }
      try context.expectError(.invalidCondition) {
        try store.fetch(Snack.all.first(1, per: \.taste, sorted: .ascending(\.tags)))
      }
    },
    ConformanceCase(async: "the first rows of each group, async and with completion", "4.2") {
      context in
      let store = try context.openMembers()
      let groups = Member.all.first(1, per: \.club, sorted: .descending(\.age))
      try context.expectEqual(try await store.fetch(groups).map(\.id), [7, 2, 5])
      let found = try await completed {
        store.read(on: .global(), { try $0.fetch(groups) }, completion: $0)
      }
      try context.expectEqual(found.map(\.id), [7, 2, 5])
    },
  ]
}

extension ConformanceContext {
  /// Four members of club 1, one of club 2, and three of none; clubs 1 and 2 in one ward, 3 in none.
  fileprivate func openMembers() throws -> any Store {
    let store = try open(Club.self, Ward.self, Member.self, Hobby.self, Snack.self)
    try store.save(Ward("IS", 1, "w"))
    let ward = ToOne<Ward>.key(.init(land: "IS", number: 1))
    try store.save([Club(1, "c1", ward: ward), Club(2, "c2", ward: ward), Club(3, nil)])
    try store.save([
      Member(1, age: 30, club: .key(1)), Member(2, age: 40, club: .key(1)),
      Member(3, age: 30, club: .key(1)), Member(4, age: 20, club: .key(1)),
      Member(5, age: 50, club: .key(2)), Member(6, age: 10), Member(7, age: 15),
      Member(8, age: 12),
    ])
    return store
  }
}
