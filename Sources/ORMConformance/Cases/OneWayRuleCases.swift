internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 5.7 for relationships without an inverse, those through an entity, and counts.
  static let oneWayRules: [ConformanceCase] = [
    ConformanceCase("deleting the target of a one-way to-one obeys its rule", "5.7") { context in
      for rule in [DeleteRule.nullify, .cascade, .deny, .noAction] {
        let setup = try LinkSetup(context, LinkSetup.depots, .targetRule("Depot.yard", rule))
        let store = setup.store
        try store.insert([Yard("a", 1), Yard("a", 2), Yard("b", 1)])
        for (id, land, number) in [(1, "a", 1), (2, "a", 2), (3, "b", 1), (4, "a", 1)] {
          try store.insert(
            Depot(
              Int64(id), yard: .key(Yard.ID(land: land, number: number)), crates: .notLoaded,
              labels: .notLoaded))
        }
        func delete() throws -> Int { try store.delete(Yard.all.where { $0.id.land == "a" }) }
        if rule == .deny {
          try context.expectError(
            .denied, entity: "Depot", attributes: ["yard"], key: [.int(1)],
            values: [.string("a"), .int(1)]
          ) { try delete() }
          try setup.expectCount("Yard", 3)
          continue
        }
        try context.expectEqual(try delete(), 2)
        switch rule {
        case .nullify:
          try setup.expect("Depot", "yard_land", [.null, .null, .string("b"), .null])
          try setup.expect("Depot", "yard_number", [.null, .null, .int(1), .null])
        case .cascade: try setup.expect("Depot", "id", [.int(3)])
        case .deny, .noAction:
          try setup.expect("Depot", "yard_number", [1, 2, 1, 1].map { .int($0) })
        }
      }
    },
    ConformanceCase("one-way to-manys obey their rules at both ends", "5.7") { context in
      func filled(_ changes: LinkSetup.Change...) throws -> LinkSetup {
        var setup = try LinkSetup(context, LinkSetup.depots)
        switch changes.count {
        case 1: setup = try LinkSetup(context, LinkSetup.depots, changes[0])
        case 2: setup = try LinkSetup(context, LinkSetup.depots, changes[0], changes[1])
        default: break
        }
        for id in Int64(1)...2 {
          try setup.insert("Depot", ["id": .int(id)])
          try setup.insert("Label", ["id": .string("l\(id)")])
        }
        for (crate, depot) in [(1, 1), (2, 1), (3, 2)] as [(Int64, Int64)] {
          try setup.insert(
            "Crate",
            [
              "id": .int(crate), "content": .string("c"), "_Depot_crates_id": .int(depot),
              "_Depot_crates_position": .int(crate),
            ])
        }
        for (depot, label) in [(1, "l1"), (1, "l2"), (2, "l2")] as [(Int64, String)] {
          try setup.insert(
            "Depot_labels", ["Depot_id": .int(depot), "labels_id": .string(label)])
        }
        return setup
      }
      let nullified = try filled()
      try nullified.store.delete(Depot.self, id: 1)
      try nullified.expect("Crate", "_Depot_crates_id", [.null, .null, .int(2)])
      try nullified.expect("Crate", "_Depot_crates_position", [.null, .null, .int(3)])
      try nullified.expect("Depot_labels", "Depot_id", [.int(2)])
      try nullified.store.delete(Crate.self, id: 3)
      try nullified.store.delete(Label.self, id: "l2")
      try nullified.expectCount("Depot_labels", 0)
      try nullified.expect("Depot", "id", [.int(2)])

      let down = try filled(.rule("Depot.crates", .cascade), .rule("Depot.labels", .cascade))
      try down.store.delete(Depot.self, id: 1)
      try down.expect("Crate", "id", [.int(3)])
      try down.expectCount("Label", 0)
      try down.expectCount("Depot_labels", 0)

      let up = try filled(
        .targetRule("Depot.crates", .cascade), .targetRule("Depot.labels", .cascade))
      try up.store.delete(Crate.self, id: 3)
      try up.expect("Depot", "id", [.int(1)])
      try up.store.delete(Label.self, id: "l1")
      try up.expectCount("Depot", 0)
      try up.expect("Crate", "_Depot_crates_id", [.null, .null])

      let denied = try filled(
        .targetRule("Depot.crates", .deny), .targetRule("Depot.labels", .deny))
      try context.expectError(
        .denied, entity: "Depot", attributes: ["crates"], key: [.int(1)], values: [.int(2)]
      ) { try denied.store.delete(Crate.self, id: 2) }
      try context.expectError(
        .denied, entity: "Depot", attributes: ["labels"], key: [.int(1)], values: [.string("l2")]
      ) { try denied.store.delete(Label.self, id: "l2") }
      try denied.store.delete(Depot.self, ids: [1, 2])
      try denied.store.delete(Label.self, id: "l2")
      try denied.store.deleteAll(Crate.self)

      let left = try filled(
        .rule("Depot.crates", .noAction), .targetRule("Depot.labels", .noAction))
      try left.store.delete(Depot.self, id: 1)
      try left.expect("Crate", "_Depot_crates_id", [.int(1), .int(1), .int(2)])
      try left.store.delete(Label.self, id: "l2")
      try left.expect("Depot_labels", "Depot_id", [.int(2)])
    },
    ConformanceCase("links with attributes go with either end, by the rules", "5.7") { context in
      func filled(_ change: LinkSetup.Change) throws -> LinkSetup {
        let setup = try LinkSetup(context, LinkSetup.courses, change)
        for id in Int64(1)...3 {
          try setup.insert("Trainee", ["id": .int(id)])
          try setup.insert("Workshop", ["id": .int(id)])
        }
        for (id, pupil, course) in [(1, 1, 1), (2, 1, 2), (3, 2, 2)] as [(Int64, Int64, Int64)] {
          try setup.store.insert(Presence(id, pupil: pupil, course: course))
        }
        return setup
      }
      let nullified = try filled(.rule("Trainee.courses", .nullify))
      try nullified.store.delete(Trainee.self, id: 1)
      try nullified.expect("Presence", "id", [.int(3)])
      try nullified.store.delete(Workshop.self, id: 2)
      try nullified.expectCount("Presence", 0)
      try nullified.expect("Trainee", "id", [.int(2), .int(3)])

      let down = try filled(.rule("Trainee.courses", .cascade))
      try down.store.delete(Trainee.self, id: 1)
      try down.expect("Workshop", "id", [.int(3)])
      try down.expectCount("Presence", 0)
      try down.expect("Trainee", "id", [.int(2), .int(3)])

      let denied = try filled(.rule("Workshop.pupils", .deny))
      try context.expectError(
        .denied, entity: "Workshop", attributes: ["pupils"], key: [.int(2)], values: [.int(1)]
      ) { try denied.store.delete(Workshop.self, id: 2) }
      try denied.store.delete(Workshop.self, id: 3)
      try denied.expectCount("Presence", 3)

      let left = try filled(.rule("Workshop.pupils", .noAction))
      try left.store.delete(Workshop.self, id: 2)
      try left.expect("Presence", "course_id", [.int(1), .int(2), .int(2)])
    },
    ConformanceCase("links that are objects are counted when their replacements are there", "5.6") {
      context in
      let setup = try LinkSetup(
        context, LinkSetup.courses, .count("Workshop.pupils", 1, 2))
      let store = setup.store
      try store.save((1...4).map { Trainee($0) })
      try store.save(Workshop(1, pupils: .keys([1, 2])))
      try store.save(Workshop(1, pupils: .keys([3, 4])))
      try setup.expect("Presence", "pupil_id", [.int(3), .int(4)])
      try store.save(Trainee(1, courses: .keys([])))
      try store.save(Workshop(1, pupils: .keys([1])))
      func refuses(_ body: () throws -> Void) throws {
        try context.expectError(
          .validationFailed, entity: "Workshop", attributes: ["pupils"], key: [.int(1)], "", body)
      }
      try refuses { try store.save(Workshop(1, pupils: [])) }
      try refuses { try store.save(Trainee(1, courses: [])) }
      try refuses { try store.detach([1], from: 1, \Workshop.pupils) }
      try refuses { try store.delete(Trainee.self, id: 1) }
      try refuses { try store.save(Workshop(1, pupils: .keys([2, 3, 4]))) }
      try setup.expect("Presence", "pupil_id", [.int(1)])
    },
    ConformanceCase("a delete that leaves an owner with too few targets is refused", "5.6", "5.7") {
      context in
      let setup = try LinkSetup(
        context, LinkSetup.teams, .count("Team.players", 2, 3), .count("League.teams", 1),
        .rule("Team.players", .cascade))
      let store = setup.store
      try store.save([
        Team(1, players: [Player(1), Player(2), Player(3)]),
        Team(2, players: [Player(4), Player(5)]),
      ])
      try store.save(League("x", 1, teams: .keys([1])))
      try context.expectEqual(try store.delete(Player.self, id: 1), true)
      try context.expectError(
        .validationFailed, entity: "Team", attributes: ["players"], key: [.int(1)]
      ) { try store.delete(Player.self, id: 2) }
      try context.expectError(
        .validationFailed, entity: "Team", attributes: ["players"], key: [.int(2)]
      ) { try store.delete(Player.all.where { $0.id >= 4 }) }
      try context.expectError(
        .validationFailed, entity: "League", attributes: ["teams"],
        key: [.string("x"), .int(1)]
      ) { try store.delete(Team.self, id: 1) }
      try setup.expectCount("Player", 4)
      try store.delete(Team.self, id: 2)
      try setup.expect("Player", "id", [.int(2), .int(3)])
      try store.deleteAll(League.self)
      try context.expectEqual(try store.deleteAll(Team.self), 1)
      try setup.expectCount("Player", 0)
    },
  ]
}
