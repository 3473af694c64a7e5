internal import ORM
internal import ORMCore

/// The age of the rows of a scope.
private func age(_ scope: Int) -> Operand { .path(.init(["age"], scope: scope)) }

/// An aggregate over the players of a player's team.
private func mates(_ kind: Aggregate.Kind, _ operand: Operand) -> Operand {
  .ofElements(
    kind, operand, Elements(.init(["team", "players"]), scope: 1), .constant(true))
}

extension ConformanceCase {
  /// Clauses 2.6 and 7.1: related rows whose values do not fit, and ways that are long.
  static let relatedLimits: [ConformanceCase] = [
    ConformanceCase(
      "arithmetic and sums over related rows that do not fit are nil in a filter, and throw in an "
        + "update", "2.6", "2.7"
    ) { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save([
        Team(1, players: [Player(11, age: .max), Player(12, age: 1)]),
        Team(2, players: [Player(13, age: 2)]), Team(.max, players: [Player(14, age: 3)]),
      ])
      func refused(_ value: Operand, line: Int = #line) throws {
        try context.expectError(.overflow, entity: "Player", line: line) {
          try store.write { _ = try $0.update(DynamicQuery("Player"), ["age": value]) }
        }
      }
      let sum = mates(.sum, age(1))
      try context.expectEqual(try store.ids("Player", sum.compare(.equal, nothing)), [11, 12])
      try context.expectEqual(try store.ids("Player", sum.compare(.greater, int(2))), [14])
      try refused(sum)
      // A value that does not fit is no element.
      let most = mates(.maximum, age(1) * int(2))
      try context.expectEqual(try store.ids("Player", most.compare(.equal, int(2))), [11, 12])
      try context.expectEqual(try store.ids("Player", most.compare(.equal, int(6))), [14])
      try refused(most)
      let total = mates(.sum, age(1) + int(1))
      try context.expectEqual(try store.ids("Player", total.compare(.equal, int(2))), [11, 12])
      try refused(total)
      let next = Operand.relatedValue(
        .path(.init(["id"], scope: 1)) + int(1),
        RelatedRows([
          .init(entity: "Team", scope: 1, links: [.init("id", equals: .init(["team_id"]))])
        ]
        ))
      try context.expectEqual(try store.ids("Player", next.compare(.equal, nothing)), [14])
      try context.expectEqual(try store.ids("Player", next.compare(.equal, int(2))), [11, 12])
      try refused(next)
      try context.expectEqual(
        try store.fetch(Player.all).map(\.age), [.max, 1, 2, 3], "nothing is written")
      try store.write {
        _ = try $0.update(
          DynamicQuery("Player", where: age(0).compare(.equal, int(2))), ["age": next])
      }
      try context.expectEqual(try store.fetch(Player.all).map(\.age), [.max, 1, 3, 3])
    },
    ConformanceCase(
      "what does not fit beside rows that are not selected refuses no update", "2.6", "2.7"
    ) { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save([
        Team(1, players: [Player(11, age: .max), Player(12, age: 1)]),
        Team(2, players: [Player(13, age: 2), Player(15, age: 4)]),
      ])
      let sum = mates(.sum, age(1))
      func update(_ condition: Condition, _ value: Operand) throws -> Int {
        try store.write { try $0.update(DynamicQuery("Player", where: condition), ["age": value]) }
      }
      // Only the sum of the second team is computed.
      try context.expectEqual(try update(age(0).compare(.equal, int(2)), sum), 1)
      try context.expectEqual(try store.fetch(Player.all).map(\.age), [.max, 1, 6, 4])
      // The sum of the first team is nil in the condition.
      let most = mates(.maximum, age(1))
      try context.expectEqual(try update(sum.compare(.greater, int(0)), most), 2)
      try context.expectEqual(try store.fetch(Player.all).map(\.age), [.max, 1, 6, 6])
    },
    ConformanceCase("an aggregate goes through 50 relationships, a condition through more", "7.1") {
      context in
      let store = try context.open(Folder.self)
      // One under the other: 1, 2, … 70.
      try store.insert((Int64(1)...70).map { Folder("f", id: $0) })
      try store.write { tx in
        for id in Int64(2)...70 {
          try tx.update([DynamicRow("Folder", ["id": .int(id), "parent_id": .int(id - 1)])])
        }
      }
      func below(_ count: Int) -> Elements {
        Elements(.init(Array(repeating: "children", count: count)), scope: 1)
      }
      func count(_ steps: Int) -> Condition {
        Operand.ofElements(.count, nil, below(steps), .constant(true)).compare(.equal, int(1))
      }
      try context.expectEqual(try store.ids("Folder", count(50)), Array(1...20))
      try context.expectError(.tooComplex, entity: "Folder") {
        _ = try store.ids("Folder", count(51))
      }
      try context.expectEqual(
        try store.ids("Folder", .some(below(60), .constant(true))), Array(1...10))
    },
  ]
}
