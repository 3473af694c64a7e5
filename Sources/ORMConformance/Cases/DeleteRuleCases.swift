internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.6 and 5.7: delete rules.
  static let deleteRules: [ConformanceCase] = [
    ConformanceCase("nullify takes the key of what is deleted out of others, and links go", "5.7") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      let store = setup.store
      try store.insert([Team(1, "a"), Team(2, "b")])
      try store.insert([
        Player(1, team: .key(1)), Player(2, team: .key(1)), Player(3, team: .key(2)), Player(4),
      ])
      try store.insert(Coach("c", id: UUID(), team: .key(1)))
      try store.insert([League("x", 1), League("x", 2)])
      for (league, team) in [(1, 1), (1, 2), (2, 1)] {
        try setup.insert(
          "League_teams",
          [
            "League_country": .string("x"), "League_number": .int(Int64(league)),
            "teams_id": .int(Int64(team)), "teams_position": .int(0),
          ])
      }
      try context.expectEqual(try store.delete(Team.self, id: 1), true)
      try setup.expect("Player", "team_id", [.null, .null, .int(2), .null])
      try setup.expect("Coach", "team_id", [.null])
      try setup.expect("League_teams", "teams_id", [.int(2)])
      try store.delete(League.self, id: League.ID(country: "x", number: 1))
      try setup.expectCount("League_teams", 0)
      try setup.expectCount("Team", 1)
      try store.deleteAll(Player.self)
      try setup.expectCount("Team", 1)
    },
    ConformanceCase("cascade goes down a tree and counts what was asked for alone", "5.7") {
      context in
      let setup = try LinkSetup(context, [Folder.self])
      let store = setup.store
      try store.insert(Folder("r", id: 1))
      // 3 children of every folder down to the depth of 4: 1 + 3 + 9 + 27.
      for id in Int64(2)...40 {
        try store.insert(Folder("f", id: id, parent: .key((id - 2) / 3 + 1)))
      }
      try store.insert(Folder("other", id: 100))
      // Folder 2 has 5, 6, 7 under it, and they 14...22.
      try context.expectEqual(try store.delete(Folder.self, id: 2), true)
      try setup.expectCount("Folder", 41 - 13)
      try context.expectEqual(try store.delete(Folder.all.where { $0.id == 3 }), 1)
      let left: [Int64] = [1, 4, 11, 12, 13] + Array(32...40) + [100]
      try setup.expect("Folder", "id", left.map { .int($0) })
      try context.expectEqual(try store.delete(Folder.self, ids: [4, 100, 4, 5]), 2)
      try setup.expect("Folder", "id", [.int(1)])
    },
    ConformanceCase("cascade over cycles ends", "5.7") { context in
      let setup = try LinkSetup(context, [Folder.self])
      let store = setup.store
      func fill() throws {
        try store.insert((1...6).map { Folder("f", id: $0) })
        for (child, parent) in [(1, 3), (2, 1), (3, 2), (4, 4), (5, 6)] as [(Int64, Int64)] {
          try store.write {
            _ = try $0.update([
              DynamicRow("Folder", ["id": .int(child), "parent_id": .int(parent)])
            ])
          }
        }
      }
      try fill()
      try context.expectEqual(try store.delete(Folder.self, id: 2), true)
      try setup.expect("Folder", "id", [.int(4), .int(5), .int(6)])
      try store.delete(Folder.self, id: 4)
      try setup.expect("Folder", "id", [.int(5), .int(6)])
      try context.expectEqual(try store.deleteAll(Folder.self), 2)
    },
    ConformanceCase("deny refuses while something would remain, and names it", "5.7") { context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .deny), .rule("Coach.team", .deny))
      let store = setup.store
      try store.insert([Team(1), Team(2), Team(3)])
      try store.insert([Player(7, team: .key(2)), Player(8, team: .key(2))])
      let coach = UUID()
      try store.insert(Coach("c", id: coach, team: .key(3)))
      try context.expectError(
        .denied, entity: "Team", attributes: ["players"], key: [.int(2)], values: [.int(7)]
      ) { try store.delete(Team.self, ids: [1, 2]) }
      try context.expectError(
        .denied, entity: "Coach", attributes: ["team"], key: [.uuid(coach)], values: [.int(3)]
      ) { try store.delete(Coach.self, id: coach) }
      try setup.expectCount("Team", 3)
      try setup.expectCount("Coach", 1)
      try context.expectEqual(try store.delete(Team.self, id: 3), true)
      try store.delete(Coach.self, id: coach)
      try store.deleteAll(Player.self)
      try context.expectEqual(try store.deleteAll(Team.self), 2)
    },
    ConformanceCase("deny looks at what would remain after the whole delete", "5.7") { context in
      let setup = try LinkSetup(context, [Folder.self], .rule("Folder.children", .deny))
      let store = setup.store
      try store.insert([Folder("a", id: 1), Folder("d", id: 4)])
      try store.insert(Folder("b", id: 2, parent: .key(1)))
      try store.insert(Folder("c", id: 3, parent: .key(2)))
      try context.expectError(
        .denied, entity: "Folder", attributes: ["children"], key: [.int(2)], values: [.int(3)]
      ) { try store.delete(Folder.all.where { $0.id <= 2 }) }
      try context.expectError(.denied) { try store.delete(Folder.all.limit(1)) }
      try setup.expectCount("Folder", 4)
      try context.expectEqual(try store.delete(Folder.self, ids: [1, 3, 2]), 3)
      try context.expectEqual(try store.deleteAll(Folder.self), 1)

      // Of two paths to a player one cascades: a player that it deletes is not left for the other to deny.
      let mixed = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .deny), .rule("League.teams", .cascade),
        .rule("Team.leagues", .cascade))
      try mixed.store.insert(Team(1))
      try mixed.store.insert(Player(1, team: .key(1)))
      try mixed.store.insert(League("x", 1))
      try mixed.insert(
        "League_teams",
        ["League_country": .string("x"), "League_number": .int(1), "teams_id": .int(1)])
      try context.expectError(
        .denied, entity: "Team", attributes: ["players"], key: [.int(1)], values: [.int(1)]
      ) { try mixed.store.deleteAll(League.self) }
      try mixed.store.deleteAll(Player.self)
      try mixed.store.deleteAll(League.self)
      try mixed.expectCount("Team", 0)
      try mixed.expectCount("League_teams", 0)
    },
    ConformanceCase("noAction leaves the key of a deleted row", "5.7", "2.9") { context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .noAction),
        .rule("Team.leagues", .noAction))
      let store = setup.store
      try store.insert([Team(1), Team(2)])
      try store.insert([Player(1, team: .key(1)), Player(2, team: .key(2))])
      try store.insert(League("x", 1))
      try setup.insert(
        "League_teams",
        ["League_country": .string("x"), "League_number": .int(1), "teams_id": .int(1)])
      try store.delete(Team.self, id: 1)
      try setup.expect("Player", "team_id", [.int(1), .int(2)])
      try setup.expectCount("League_teams", 1)
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, 1)
      try store.deleteAll(League.self)
      try setup.expectCount("League_teams", 0)
    },
    ConformanceCase("a delete under every path obeys the rules", "5.6", "5.7") { context in
      let deletes: [(String, (any Store) throws -> Void)] = [
        ("object", { _ = try $0.delete(Team(1)) }),
        ("key", { _ = try $0.delete(Team.self, id: 1) }),
        ("keys", { _ = try $0.delete(Team.self, ids: [1]) }),
        ("query", { _ = try $0.delete(Team.all.where { $0.name == "a" }) }),
        ("first", { _ = try $0.delete(Team.all.limit(1)) }),
        ("match", { _ = try $0.delete(Team(9, "a"), matchingOn: \.name) }),
        ("all", { _ = try $0.deleteAll(Team.self) }),
        (
          "by names",
          { store in
            _ = try store.write {
              try $0.delete(
                DynamicQuery("Team", where: .compare(attribute("id"), .equal, int(1), [])))
            }
          }
        ),
        ("all by name", { store in _ = try store.write { try $0.deleteAll(entity: "Team") } }),
      ]
      for (path, delete) in deletes {
        for rule in [DeleteRule.nullify, .cascade, .deny, .noAction] {
          let setup = try LinkSetup(context, LinkSetup.teams, .rule("Team.players", rule))
          try setup.store.insert(Team(1, "a"))
          try setup.store.insert(Player(1, team: .key(1)))
          if rule == .deny {
            try context.expectError(.denied, path) { try delete(setup.store) }
            try setup.expectCount("Team", 1)
            continue
          }
          try delete(setup.store)
          try setup.expectCount("Team", 0)
          switch rule {
          case .nullify: try setup.expect("Player", "team_id", [.null])
          case .cascade: try setup.expectCount("Player", 0)
          case .deny, .noAction: try setup.expect("Player", "team_id", [.int(1)])
          }
        }
      }
    },
    ConformanceCase("a delete that is refused has changed nothing of its transaction", "5.7") {
      context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .cascade), .rule("Team.leagues", .deny))
      let store = setup.store
      try store.insert(Team(1))
      try store.insert(Player(1, team: .key(1)))
      try store.insert(League("x", 1))
      try setup.insert(
        "League_teams",
        ["League_country": .string("x"), "League_number": .int(1), "teams_id": .int(1)])
      try store.write { transaction in
        try transaction.insert(Player(2, team: .key(1)))
        try context.expectError(.denied, entity: "Team", attributes: ["leagues"]) {
          try transaction.delete(Team.self, id: 1)
        }
      }
      try setup.expectCount("Player", 2)
      try setup.expectCount("Team", 1)
    },
    ConformanceCase("a commit names every entity that a delete changed", "5.7", "6.5") { context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .cascade))
      let store = setup.store
      try store.insert(Team(1))
      try store.insert(Player(1, team: .key(1)))
      try store.insert(Coach("c", id: UUID(), team: .key(1)))
      try store.insert(League("x", 1))
      try setup.insert(
        "League_teams",
        ["League_country": .string("x"), "League_number": .int(1), "teams_id": .int(1)])
      let notices = Notices(store)
      try store.delete(Team.self, id: 1)
      try context.expectEqual(
        notices.wait(for: 1).map(\.entities), [["Team", "Player", "Coach", "League"]])
    },
    ConformanceCase("thousands of rows cascade through two levels", "5.7") { context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .rule("Team.players", .cascade),
        .rule("League.teams", .cascade))
      let store = setup.store
      try store.insert((1...200).map { Team($0) })
      try store.insert((1...3000).map { Player($0, team: .key($0 % 200 + 1)) })
      try store.insert((1...20).map { League($0 < 11 ? "x" : "y", $0) })
      try store.write { transaction in
        _ = try transaction.insert(
          (0..<200).map { (number: Int) -> DynamicRow in
            let values: [String: StoredValue] = [
              "League_country": .string(number % 20 < 10 ? "x" : "y"),
              "League_number": .int(Int64(number % 20 + 1)), "teams_id": .int(Int64(number + 1)),
            ]
            return DynamicRow("League_teams", values)
          })
      }
      try context.expectEqual(try store.delete(League.all.where { $0.id.country == "x" }), 10)
      try setup.expectCount("Team", 100)
      try setup.expectCount("Player", 1500)
      try setup.expectCount("League_teams", 100)
    },
  ]
}
