internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 4.2, 2.3 and 2.4: groups of texts that differ in case or marks alone.
  static let foldedGroups: [ConformanceCase] = [
    ConformanceCase("texts alike under options are one group, named by the least", "4.2", "2.4") {
      context in
      let store = try context.openFoldedSnacks()
      let count = [Aggregate(.count), Aggregate(.sum, attribute("stock"))]
      let key = attribute("taste").folded(.caseInsensitive)
      func tastes(
        _ having: Condition = .constant(true), _ order: [SortTerm] = [], limit: Int? = nil
      ) throws -> [[StoredValue]] {
        var selection = DynamicSelection(
          DynamicQuery("Snack", order: order, limit: limit),
          [.value("taste"), .aggregate("n", count[0]), .aggregate("sum", count[1])], keys: [key])
        selection.having = having
        return try store.read {
          try $0.fetch(selection).map { row in selection.names.map { row[$0] } }
        }
      }
      // By code points S is before T, and both are before a, l, s and t; the groups come as their
      // folded texts do: salty, strasse, sweet.
      let all: [[Cell]] = [
        [nil, 2, 96], ["SALTY", 3, 7], ["STRASSE", 2, 24], ["sweet", 1, 128],
      ]
      try context.expectRows(try tastes(), all)
      let taste = attribute("taste")
      try context.expectRows(try tastes(taste.compare(.equal, text("SALTY"))), [all[1]])
      try context.expectRows(try tastes(taste.compare(.equal, text("salty"))), [])
      try context.expectRows(
        try tastes(.compare(taste, .equal, text("salty"), .caseInsensitive)), [all[1]])
      try context.expectRows(
        try tastes(key.compare(.greater, text("salty"))), [all[2], all[3]], "the key itself")
      try context.expectRows(
        try tastes(.constant(true), [SortTerm(taste, isDescending: true)], limit: 3),
        [all[3], all[2], all[1]], "by the spellings")
      try context.expectRows(
        try tastes(.constant(true), [SortTerm(taste, nils: .last, options: .caseInsensitive)]),
        [all[1], all[2], all[3], all[0]])
      try context.expectRows(
        try store.groups("Snack", by: [key], [Aggregate(.count)]),
        [[nil, 2], ["salty", 3], ["strasse", 2], ["sweet", 1]], "the folded text")
      try context.expectError(.invalidCondition, entity: "Snack", "only texts are folded") {
        try store.groups("Snack", by: [attribute("stock").folded(.caseInsensitive)], count)
      }
    },
    ConformanceCase("typed groups by keys with options", "4.2", "2.3", "2.4") { context in
      let store = try context.openFoldedSnacks()
      let tastes = Snack.all.grouped(by: .caseInsensitive(\.taste)) {
        ($0.count(), $0.sum(\.stock))
      }
      let all = try store.fetch(tastes)
      try context.expectEqual(all.map(\.0), [nil, "SALTY", "STRASSE", "sweet"])
      try context.expectEqual(all.map(\.1), [2, 3, 2, 1])
      try context.expectEqual(all.map(\.2), [96, 7, 24, 128])
      let some = tastes.having { $0.taste != "SALTY" && $0.count() > 1 }
      try context.expectEqual(try store.fetch(some).map { $0.0 }, [nil, "STRASSE"])
      try context.expectEqual(
        try store.fetch(some.sorted(by: .descending(\.taste)).limit(1)).map { $0.0 }, ["STRASSE"])
      let page = try store.fetchPage(tastes.sorted(by: .descending(\.taste)).limit(2))
      try context.expectEqual(page.rows.map { $0.0 }, ["sweet", "STRASSE"])
      let rest = try store.fetch(tastes.sorted(by: .descending(\.taste)).after(page.end))
      try context.expectEqual(rest.map { $0.0 }, ["SALTY", nil])
      let pairs = try store.fetch(
        Snack.all.grouped(
          by: .key(\.name, [.caseInsensitive, .diacriticInsensitive]), .key(\.taste)
        ) { $0.count() }.having { $0.name.length() == 4 })
      // Café, CAFE and cafe\u{301} under salty, Salty and SALTY: three groups of one spelling each.
      try context.expectEqual(pairs.map { $0.0 }, ["CAFE", "Café"])
      try context.expectEqual(pairs.map { $0.1 }, ["SALTY", "salty"])
      let names = try store.fetch(
        Snack.all.grouped(by: .key(\.name, [.caseInsensitive, .diacriticInsensitive])) {
          $0.count()
        })
      // Capitals come before small letters, and A before a.
      try context.expectEqual(names.map { $0.0 }, ["", "CAFE"])
      try context.expectEqual(names.map { $0.1 }, [5, 3])
      let lengths = try store.fetch(
        Snack.all.grouped(by: { $0.taste.folded(.caseInsensitive) }) { $0.count() })
      try context.expectEqual(lengths.map { $0.0 }, [nil, "salty", "strasse", "sweet"])
      let inline = try store.fetch(
        Snack.all.grouped(by: \.taste) { ($0.count(), $0.average(\.price)) }
      ).map { $0.0 }
      try context.expectEqual(inline.count, 7)
    },
    ConformanceCase("keys with options through to-ones", "4.2", "2.4", "2.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "reds"), Team(2, "Blues"), Team(3, "Reds")])
      try store.insert([
        Player(1, age: 31, team: .key(1)), Player(2, age: 25, team: .key(3)),
        Player(3, age: 40, team: .key(2)), Player(4, age: 9),
      ])
      let teams = try store.fetch(
        Player.all.grouped(by: .caseInsensitive { $0.team.name }) { $0.sum(\.age) }
          .having { $0.team.name != nil })
      try context.expectEqual(teams.map { $0.0 }, ["Blues", "Reds"])
      try context.expectEqual(teams.map { $0.1 }, [40, 56])
    },
  ]

  /// Clauses 4.2 and 2.7 to 2.9: groups through relationships.
  static let relatedGroups: [ConformanceCase] = [
    ConformanceCase("keys through to-ones, aggregates of to-manys", "4.2", "2.7", "2.8") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "Reds"), Team(2, "Blues"), Team(3, "Reds")])
      try store.insert([
        Player(1, "Ann", age: 31, team: .key(1)), Player(2, "Bob", age: 25, team: .key(1)),
        Player(3, "Cid", age: 40, team: .key(3)), Player(4, "Dan", age: 19, team: .key(2)),
        Player(5, "Eve", age: 50),
      ])
      try store.insert([Coach("Kay", team: .key(1))])
      let name = Operand.path(.init(["team", "name"]))
      try context.expectRows(
        try store.groups(
          "Player", by: [name], [Aggregate(.count), Aggregate(.sum, attribute("age"))]),
        [[nil, 1, 50], ["Blues", 1, 19], ["Reds", 3, 96]])
      try context.expectRows(
        try store.groups(
          "Player", by: [name], [Aggregate(.count)],
          having: .all([name.compare(.notEqual, nothing), column(1).compare(.greater, int(0))]),
          order: [SortTerm(name, isDescending: true)]),
        [["Reds", 3], ["Blues", 1]])
      try context.expectRows(
        try store.groups(
          "Player", by: [.path(.init(["team", "coach", "name"])), name], [Aggregate(.count)]),
        [[nil, nil, 1], [nil, "Blues", 1], [nil, "Reds", 1], ["Kay", "Reds", 2]])
      let players = Elements(.init(["players"]), scope: 1)
      let count = Operand.ofElements(.count, nil, players, .constant(true))
      let eldest = Operand.ofElements(
        .maximum, .path(.init(["age"], scope: 1)), players, .constant(true))
      try context.expectRows(
        try store.groups(
          "Team", by: [attribute("name")],
          [
            Aggregate(.sum, count), Aggregate(.maximum, eldest), Aggregate(.average, count),
          ]), [["Blues", 1, 19, 1.0], ["Reds", 3, 40, 1.5]])
      try context.expectRows(
        try store.groups(
          "Team", by: [count], [Aggregate(.count), Aggregate(.minimum, attribute("name"))],
          order: [SortTerm(column(1), isDescending: true)]),
        [[1, 2, "Blues"], [2, 1, "Reds"]])
      try context.expectRows(
        try store.groups(
          "Player", by: [.path(.init(["team"]))], [Aggregate(.count)],
          where: attribute("age").compare(.greater, int(20))), [[nil, 1], [1, 2], [3, 1]],
        "the key of a to-one")
    }
  ]
}
