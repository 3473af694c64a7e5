internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Results of `check()` on stores that are sound, and on those that are not.
  static let checks: [ConformanceCase] = [
    ConformanceCase("check finds nothing wrong in a sound store, and counts its rows", "2.9", "7.7")
    {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      let store = setup.store
      try store.save([
        Team(1, "a", players: ToMany((1...5).map { Player($0) }), leagues: [League("x", 1)]),
        Team(2, "b", coach: .to(Coach("c")), leagues: [League("x", 1), League("y", 2)]),
      ])
      try store.delete(Player.self, id: 3)
      let report = try store.check(decoding: [Team.self, Player.self, Coach.self, League.self])
      try context.expect(report.isSound, "\(report)")
      try context.expectEqual(report.danglingLinks, 0)
      try context.expectEqual(
        Dictionary(uniqueKeysWithValues: report.rows.map { ($0.entity, $0.count) }),
        ["Team": 2, "Coach": 1, "Player": 4, "League": 2, "League_teams": 3])
    },
    ConformanceCase("check reads indexes of every kind against the rows", "7.3", "7.7") { context in
      let store = try context.open(Everything.self, Snack.self, Account.self)
      try store.insert(
        (1...300).map {
          Snack($0, "n\($0 % 7)", tags: ["x\($0 % 3)", "y", String(repeating: "z", count: 600)])
        })
      try store.insert((1...50).map { Account($0, Int($0), email: "e\($0)", region: nil) })
      try store.update(Snack.all.where { $0.id < 100 }) { $0.name = "changed" }
      try store.delete(Snack.all.where { $0.id > 250 })
      let report = try store.check()
      try context.expect(report.isSound, "\(report)")
      try context.expectEqual(report.rows.map(\.count), [0, 250, 50])
    },
    ConformanceCase(
      "check counts what noAction left, and reports links that lead nowhere", "2.9", "5.7", "7.7"
    ) {
      context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .noAction),
        .rule("League.teams", .noAction), .rule("Team.leagues", .noAction))
      try setup.store.save([
        Team(1, "a", players: [Player(1), Player(2)], leagues: [League("x", 1)]),
        Team(2, "b", players: [Player(3)], leagues: [League("x", 1)]),
      ])
      try setup.store.delete(Team.self, id: 1)
      try setup.store.delete(League.self, id: League.ID(country: "x", number: 1))
      let report = try setup.store.check()
      try context.expect(report.isSound, "\(report)")
      // Two players and a link of team 1; two links of the league.
      try context.expectEqual(report.danglingLinks, 5)

      // The same content where no rule can have left it.
      let strict = try LinkSetup(reopening: setup, LinkSetup.teams)
      let faults = try strict.store.check()
      try context.expectEqual(faults.danglingLinks, 0)
      try context.expectEqual(faults.faultCount, 5)
      try context.expectEqual(Set(faults.faults.map(\.code)), [.missingTarget])
      let player = try context.unwrap(
        faults.faults.first { $0.entity == "Player" }, "a fault of a player")
      try context.expectEqual(player.key, [.int(1)])
      try context.expectEqual(player.attributes, ["team"])
      try context.expectEqual(player.values, [.int(1)])
      try context.expectEqual(
        faults.faults.filter { $0.entity == "League_teams" }.count, 3, "links")
    },
    ConformanceCase("check reports counts that do not hold", "5.6", "7.7") { context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      try setup.store.save([
        Team(1, "a", players: [Player(1), Player(2), Player(3)], leagues: [League("x", 1)]),
        Team(2, "b", players: [Player(4)]),
        Team(3, "c"),
      ])
      let strict = try LinkSetup(
        reopening: setup, LinkSetup.teams, .count("Team.players", 1, 2),
        .count("League.teams", 2))
      let report = try strict.store.check()
      try context.expectEqual(report.faultCount, 3, "\(report)")
      try context.expectEqual(Set(report.faults.map(\.code)), [.countOutOfRange])
      try context.expectEqual(
        report.faults.filter { $0.entity == "Team" }.map(\.key), [[.int(1)], [.int(3)]])
      try context.expectEqual(
        report.faults.filter { $0.entity == "League" }.map(\.attributes), [["teams"]])
    },
    ConformanceCase(async: "check runs off the calling thread too", "2.9", "7.7") { context in
      let store = try context.open(Folder.self)
      let report = try await store.check()
      guard report.isSound, report.rows.map(\.count) == [0] else {
        throw context.failure("an empty store", expected: "no faults", got: "\(report)")
      }
    },
  ]
}
