internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.1, 2.5 and 2.7 asked by chained words and by words beside key-path operators: they
  /// make the trees that closures make.
  static let words: [ConformanceCase] = [
    ConformanceCase("chained words reach what closures reach", "2.1", "2.5", "2.7", "2.10") {
      context in
      func same<Model>(
        _ query: Query<Model>, _ body: (Fields<Model>) -> Filter<Model>, line: Int = #line
      ) throws {
        try context.expectEqual(query.filter, body(Fields()), line: line)
      }
      try same(Snack.all.whose(\.name).matches("a.*", .caseInsensitive)) {
        $0.name.matches("a.*", .caseInsensitive)
      }
      try same(Snack.all.whose(\.name).not.like("a*").and(\.id).isNotIn([1, 2])) {
        !$0.name.like("a*") && !$0.id.isIn([1, 2])
      }
      try same(Snack.all.whose(\.name).length().greaterThan(3)) { $0.name.length() > 3 }
      try same(Snack.all.whose(\.name).not.length().atMost(3)) { !($0.name.length() <= 3) }
      try same(Snack.all.whose(\.tags).any { $0 == "hot" }.or(\.tags).count().equal(to: 0)) {
        $0.tags.any { $0 == "hot" } || $0.tags.count() == 0
      }
      try same(Snack.all.whose(\.id).atLeast(3).and { $0.name == "a" || $0.name == "b" }) {
        $0.id >= 3 && ($0.name == "a" || $0.name == "b")
      }
      try same(Player.all.whose(\.team).isNil().or(\.team).equal(to: 3)) {
        $0.team == nil || $0.team == 3
      }
      try same(Player.all.whose(\.team, \.name).like("R*").and(\.team).isNotNil()) {
        $0.team.name.like("R*") && $0.team != nil
      }
      try same(Team.all.whose(\.players).any { $0.age > 30 }.and(\.players).count().lessThan(9)) {
        $0.players.any { $0.age > 30 } && $0.players.count < 9
      }
      try same(Team.all.whose(\.players).sum(\.age).greaterThan(90).or(\.leagues).isEmpty()) {
        $0.players.sum(\.age) > 90 || $0.leagues.isEmpty()
      }
    },
    ConformanceCase(
      "words beside key-path operators reach what closures reach", "2.1", "2.5", "2.10"
    ) {
      context in
      func same<Model>(
        _ filter: Filter<Model>, _ body: (Fields<Model>) -> Filter<Model>, line: Int = #line
      ) throws {
        try context.expectEqual(filter, body(Fields()), line: line)
      }
      try same(.like(\Snack.name, "a*") && \.id > 1) { $0.name.like("a*") && $0.id > 1 }
      try same(.matches(\Snack.name, "a+") || .isIn(\.id, [1, 2])) {
        $0.name.matches("a+") || $0.id.isIn([1, 2])
      }
      try same(.isBetween(\Snack.id, 1, 3)) { $0.id.isBetween(1, 3) }
      try same(.contains(\Snack.tags, element: "hot")) { $0.tags.contains("hot") }
      try same(.attribute(\Snack.name) { $0.length() > 3 }) { $0.name.length() > 3 }
      try same(\Player.team / \Team.name == "Reds") { $0.team.name == "Reds" }
      try same(.one(\Player.team) { $0.coach.name == "Kay" }) { $0.team.coach.name == "Kay" }
      try same(.many(\Team.players) { $0.any { $0.age > 30 } }) { $0.players.any { $0.age > 30 } }
      let store = try context.openAsking()
      try context.expectEqual(
        try store.fetch(Player.all.where(\.team / \.name == "Reds" && \.age > 30)).map(\.id),
        [1, 3])
      try context.expectEqual(
        try store.fetch(Team.all.where(.many(\.players) { $0.count == 3 } && \.id < 5)).map(\.id),
        [1])
    },
  ]
}
