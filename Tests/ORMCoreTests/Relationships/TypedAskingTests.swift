import FoundationEssentials
import ORMCore
import Testing

@Suite("Typed conditions through relationships")
struct TypedAskingTests {
  private func team(_ body: (Fields<Team>) -> Filter<Team>) -> String { "\(body(Fields()))" }
  private func player(_ body: (Fields<Player>) -> Filter<Player>) -> String {
    "\(body(Fields()))"
  }

  @Test("2.8: paths through to-ones are optionals")
  func toOne() {
    #expect(player { $0.team.name == "Reds" } == "team.name == \"Reds\"")
    #expect(player { "Reds" == $0.team.name } == "\"Reds\" == team.name")
    #expect(player { $0.team.name == nil } == "team.name == nil")
    #expect(player { $0.team.name.like("R*") } == "team.name LIKE \"R*\"")
    #expect(player { $0.team.coach.name != "Ann" } == "team.coach.name != \"Ann\"")
    #expect(player { $0.team.coach.team.id > 7 } == "team.coach.team.id > 7")
    #expect(player { $0.team.id == 7 && $0.age > 3 } == "team.id == 7 AND age > 3")
    #expect(player { $0.team[\.name] == "Reds" } == "team.name == \"Reds\"")
    #expect(player { $0[\.team].name == "Reds" } == "team.name == \"Reds\"")
  }

  @Test("2.9: a to-one is compared by the target's key, and nil is no target")
  func links() throws {
    #expect(player { $0.team == nil } == "team == nil")
    #expect(player { $0.team != nil } == "NOT (team == nil)")
    #expect(player { $0.team == 7 } == "team == 7")
    #expect(player { $0.team == Team(id: 8, name: "") } == "team == 8")
    #expect(player { $0.team.isNil() } == "team == nil")
    #expect(player { $0.team.coach == nil } == "team.coach == nil")
    #expect(player { $0.team.isIn([7, nil]) } == "team == 7 OR team == nil")
    #expect(player { $0.team == $0.team.coach.team } == "team.id == team.coach.team.id")
    let league = League.ID(country: "is", number: 2)
    #expect(
      team { t in t.leagues.contains(league) }
        == "ANY SUBQUERY(leagues, $s1, $s1.country == \"is\" AND $s1.number == 2)")
    #expect("\(Player.all.where(\.team == nil).filter)" == "team == nil")
    #expect("\(Player.all.where(\.team != 7).filter)" == "NOT (team == 7)")
  }

  @Test("2.7: any, all and none; an element's names and those of the rows around")
  func quantifiers() {
    #expect(
      team { t in t.players.any { $0.age > 30 && $0.id == t.id } && t.players.count > 3 }
        == """
        ANY SUBQUERY(players, $s1, $s1.age > 30 AND $s1.id == id) AND players.@count > 3
        """)
    #expect(
      team { $0.players.all { $0.age > 30 } }
        == "ALL players.age > 30")
    #expect(
      team { $0.players.none { $0.age > 30 } }
        == "NONE players.age > 30")
    #expect(
      team { $0.players.isEmpty() } == "NONE players")
  }

  @Test("2.7: inner elements never share a number with those around")
  func nesting() {
    let query = Team.all.where { t in
      t.leagues.any { l in
        t.players.any { p in p.age > l.id.number && l.teams.any { $0.name == t.name } }
      }
    }
    #expect(
      "\(query.filter)"
        == """
        ANY SUBQUERY(leagues, $s3, ANY SUBQUERY(players, $s2, $s2.age > $s3.number \
        AND ANY $s3.teams.name == name))
        """)
    let again = Team.all.where { t in
      t.leagues.any { l in
        t.players.any { p in p.age > l.id.number && l.teams.any { $0.name == t.name } }
      }
    }
    #expect(query == again)
    #expect(query.hashValue == again.hashValue)
  }

  @Test("2.7: several hops flatten")
  func flattening() {
    let leagues = League.all.where { $0.teams.players.any { $0.age > 40 } }
    #expect(
      "\(leagues.filter)"
        == "ANY SUBQUERY(teams.players, $s1, $s1.age > 40)")
    let coaches = League.all.where { $0.teams.coach.count > 1 }
    #expect(
      "\(coaches.filter)" == "teams.coach.@count > 1")
    #expect(
      player { $0.team.players.count > 11 }
        == "team.players.@count > 11")
  }

  @Test("4.1: aggregates over a to-many, filtered and worked out")
  func aggregates() {
    func players(_ text: String) -> String { "SUBQUERY(players, $s1, \(text))" }
    #expect(
      team { $0.players.count { $0.age > 30 } >= 2 }
        == players("$s1.age > 30") + ".@count >= 2")
    #expect(
      team { $0.players.sum(\.age) > 100 } == "players.@sum.age > 100")
    #expect(
      team { $0.players.average(\.age) > 20.5 }
        == "players.@avg.age > 20.5")
    #expect(
      team { $0.players.min(\.age) == nil } == "players.@min.age == nil")
    #expect(
      team { $0.players.max(\.age, where: { $0.age < 40 }) == 39 }
        == players("$s1.age < 40") + ".@max.age == 39")
    #expect(
      team { t in t.players.sum(of: { $0.age * 2 }) == 8 }
        == players("TRUEPREDICATE") + ".@sum(($s1.age * 2)) == 8")
    #expect(
      team { t in t.players.min(\.age) < t.players.max(\.age) }
        == "players.@min.age < players.@max.age")
  }

  @Test("orders and chained words through a to-one")
  func orders() {
    let query = Player.all.whose(\.team, \.name).like("R*").and(\.team, \.id).greaterThan(3)
      .sorted(
        by: .ascending(nils: .last) { $0.team.name }, .descending { $0.team.players.count })
    #expect(
      "\(query)"
        == """
        Player where team.name LIKE "R*" AND team.id > 3 sorted by team.name nils last, \
        team.players.@count descending
        """)
  }

  @Test("conditions are Codable, and come back the same")
  func codable() throws {
    let query = Team.all.where { t in t.players.any { $0.age > 30 && $0.team.name == t.name } }
      .sorted(by: .descending { $0.players.count })
    let copy = try JSONDecoder().decode(Query<Team>.self, from: JSONEncoder().encode(query))
    #expect(copy == query)
  }

  @Test("7.4: an element outside of its closure, and a link that was not loaded, are refused")
  func misuse() throws {
    var leaked: Field<Team, Int>?
    let query = Team.all.where { t in
      t.players.any {
        leaked = $0.age
        return $0.age > 3
      }
    }
    let field = try #require(leaked)
    let schema = try Schema(Team.self, Coach.self, Player.self, League.self).stored
    let lowering = RequestLowering(
      entity: try #require(schema.entity(named: "Team")), schema: schema, options: StoreOptions())
    _ = try query.request(by: lowering)
    let error = #expect(throws: StoreError.self) {
      try Team.all.where { _ in field > 3 }.request(by: lowering)
    }
    #expect(error?.code == .invalidCondition)
    let filter = Filter<Team>(query.filter.condition)
    #expect(try !filter.matches(Team(name: "a", players: [])), "it has no players")
    let unloaded = #expect(throws: StoreError.self) {
      try filter.matches(Team(name: "a", players: .notLoaded))
    }
    #expect(unloaded?.code == .notLoaded)
    #expect(unloaded?.attributes == ["players"])
  }
}
