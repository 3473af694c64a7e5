import FoundationEssentials
import ORMCore
import Testing

@Suite("Predicate formats through relationships")
struct FormatRelationshipTests {
  private func check<Model: Persistable>(
    _ format: String, _ arguments: [(any FormatArgument)?], _ typed: Filter<Model>,
    _ location: SourceLocation
  ) {
    do {
      let filter = try Filter<Model>(format: format, arguments: arguments)
      #expect(filter == typed, sourceLocation: location)
      #expect(
        try Filter<Model>(format: typed.formatString) == typed, "\(typed)", sourceLocation: location
      )
    } catch {
      Issue.record("\(format): \(error)", sourceLocation: location)
    }
  }

  private func team(
    _ format: String, _ arguments: [(any FormatArgument)?] = [],
    location: SourceLocation = #_sourceLocation, _ body: (Fields<Team>) -> Filter<Team>
  ) {
    check(format, arguments, body(Fields()), location)
  }
  private func player(
    _ format: String, _ arguments: [(any FormatArgument)?] = [],
    location: SourceLocation = #_sourceLocation, _ body: (Fields<Player>) -> Filter<Player>
  ) {
    check(format, arguments, body(Fields()), location)
  }
  private func league(
    _ format: String, _ arguments: [(any FormatArgument)?] = [],
    location: SourceLocation = #_sourceLocation, _ body: (Fields<League>) -> Filter<League>
  ) {
    check(format, arguments, body(Fields()), location)
  }

  @Test("2.8, 2.9: to-ones are the trees of typed filters")
  func toOne() {
    player("team.name == 'Reds'") { $0.team.name == "Reds" }
    player("team.coach.name != 'Ann'") { $0.team.coach.name != "Ann" }
    player("team == nil") { $0.team == nil }
    player("NOT team == nil") { $0.team != nil }
    player("team == 7") { $0.team == 7 }
    player("team == %@", [Team(id: 8, name: "")]) { $0.team == 8 }
    player("team == %@", [Int64(8)]) { $0.team == 8 }
    player("7 == team") { $0.team == 7 }
    player("team.id > 7 AND age > 3") { $0.team.id > 7 && $0.age > 3 }
  }

  @Test("2.7: ANY, SOME, ALL, NONE")
  func quantifiers() {
    team("ANY players.age > 30") { $0.players.any { $0.age > 30 } }
    team("some players.age BETWEEN {1, 3}") {
      $0.players.any { $0.age.isBetween(1, 3) }
    }
    team("ALL players.age > 30") { $0.players.all { $0.age > 30 } }
    team("NONE leagues.country BEGINSWITH[c] 'a'") {
      $0.leagues.none { $0.id.country.beginsWith("a", .caseInsensitive) }
    }
    team("ANY leagues.country == name") { t in
      t.leagues.any { $0.id.country == t.name }
    }
    team("ANY players == 3") { $0.players.contains(3) }
    team("3 IN players") { $0.players.contains(3) }
    team("players CONTAINS 3") { $0.players.contains(3) }
    team("ANY leagues.country IN {'a', 'b'}") {
      $0.leagues.any { $0.id.country.isIn(["a", "b"]) }
    }
    team("'a' IN leagues.country") { $0.leagues.any { $0.id.country == "a" } }
    team("NONE players") { $0.players.isEmpty() }
    team("ANY leagues == %@", [League.ID(country: "is", number: 2)]) {
      $0.leagues.contains(League.ID(country: "is", number: 2))
    }
    league("ANY teams.players.age > 40") { $0.teams.players.any { $0.age > 40 } }
    player("ANY team.players.age > 40") { $0.team.players.any { $0.age > 40 } }
    league("ANY teams.coach.name == 'a'") {
      $0.teams.any { $0.coach.name == "a" }
    }
  }

  @Test("2.7: SUBQUERY names its elements, and the rows around by their names and variables")
  func subqueries() {
    team("SUBQUERY(players, $p, $p.age > 30 AND $p.id == id).@count > 2") { t in
      t.players.count { $0.age > 30 && $0.id == t.id } > 2
    }
    team("ANY SUBQUERY(players, $p, $p.age > 30 AND $p.id == id)") { t in
      t.players.any { $0.age > 30 && $0.id == t.id }
    }
    team("ANY SUBQUERY(players, $p, $p.age > 30).id == 7") {
      $0.players.any { $0.age > 30 && $0.id == 7 }
    }
    team(
      """
      ANY SUBQUERY(leagues, $l, ANY SUBQUERY(players, $p, $p.age > $l.number AND \
      ANY $l.teams.name == name))
      """
    ) { t in
      t.leagues.any { l in
        t.players.any { p in p.age > l.id.number && l.teams.any { $0.name == t.name } }
      }
    }
    league("SUBQUERY(teams.coach, $c, TRUEPREDICATE).@count > 1") {
      $0.teams.coach.count > 1
    }
  }

  @Test("4.1: aggregates over a to-many")
  func aggregates() {
    team("players.@count > 3") { $0.players.count > 3 }
    team("count(players) > 3") { $0.players.count > 3 }
    team("players[SIZE] > 3") { $0.players.count > 3 }
    team("players.@sum.age > 100") { $0.players.sum(\.age) > 100 }
    team("players.age.@sum > 100") { $0.players.sum(\.age) > 100 }
    team("sum(players.age) > 100") { $0.players.sum(\.age) > 100 }
    team("players.@avg.age > 20.5") { $0.players.average(\.age) > 20.5 }
    team("players.@min.age == nil") { $0.players.min(\.age) == nil }
    team("players.@min.age < players.@max.age") { t in
      t.players.min(\.age) < t.players.max(\.age)
    }
    team("SUBQUERY(players, $p, $p.age < 40).@max.age == 39") {
      $0.players.max(\.age, where: { $0.age < 40 }) == 39
    }
    team("SUBQUERY(players, $p, TRUEPREDICATE).@sum($p.age * 2) == 8") { t in
      t.players.sum(of: { $0.age * 2 }) == 8
    }
    player("team.players.@count > 11") { $0.team.players.count > 11 }
    league("teams.coach.@count > 1") { $0.teams.coach.count > 1 }
    league("teams.players.@count > 1") { $0.teams.players.count > 1 }
  }

  @Test("@distinctUnionOfObjects counts values once")
  func distinct() throws {
    let filter = try Filter<Team>(format: "players.@distinctUnionOfObjects.age.@count == 2")
    let condition = Condition.compare(
      .ofElements(
        .countDistinct, .path(.init(["age"], scope: 1)), Elements(.init(["players"]), scope: 1),
        .constant(true)), .equal, .value(.int(2)), [])
    #expect(filter.condition == condition)
    #expect(filter.formatString == "players.@distinctUnionOfObjects.age.@count == 2")
    #expect(try Filter<Team>(format: filter.formatString) == filter)
  }

  @Test("by names alone, against the schema of a store, the trees are the same")
  func stored() throws {
    let schema = try Schema(Team.self, Player.self, Coach.self, League.self).stored
    let team = try #require(schema.entity(named: "Team"))
    for format in [
      "ANY players.age > 30", "coach == nil AND players.@count > 3", "ANY leagues.country == 'is'",
      "SUBQUERY(players, $p, $p.team.name == name).@count == 1",
    ] {
      var parser = try FormatParser(format, for: .stored(team, schema))
      #expect(try parser.condition() == Filter<Team>(format: format).condition)
    }
    var parser = try FormatParser("nme == 'a'", for: .stored(team, schema))
    #expect(fault { _ = try parser.condition() } == "unknownAttribute Team.nme")
  }
}
