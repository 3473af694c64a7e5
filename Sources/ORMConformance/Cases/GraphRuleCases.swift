internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 5.6 and 5.8: counts, and relationships of one way, on the paths of graphs and deltas.
  static let graphRules: [ConformanceCase] = [
    ConformanceCase("graphs and deltas hold the counts of to-manys", "5.6", "5.8") { context in
      let store = try context.open(Crew.self, Sailor.self, Port.self)
      func refused(
        _ key: Int64, _ relationship: String, line: Int = #line, _ body: () throws -> Void
      ) throws {
        let error = try context.expectError(
          .validationFailed, entity: "Crew", key: [.int(key)], line: line, body)
        try context.expectEqual(error.attributes, [relationship], line: line)
      }
      try refused(1, "sailors") { try store.save(Crew(1)) }
      try refused(1, "sailors") {
        try store.save(Crew(1, sailors: ToMany((1...4).map { Sailor($0) })))
      }
      try store.save(Crew(1, sailors: [Sailor(1), Sailor(2), Sailor(3)]))
      try store.save(Sailor(4, crew: .to(Crew(2))))
      try refused(1, "sailors") { try store.save(Sailor(5, crew: .key(1))) }
      try refused(1, "sailors") { try store.attach([4], to: 1, \Crew.sailors) }
      try refused(2, "sailors") { try store.save(Sailor(4, crew: nil)) }
      try refused(2, "sailors") { try store.detach([4], from: 2, \Crew.sailors) }
      // One leaves as another comes: only the end counts.
      try store.save([Sailor(3, crew: .key(2)), Sailor(4, crew: .key(1))])
      try refused(2, "sailors") {
        try store.save(Crew(1, sailors: .keys([1, 2, 3])))
      }
      try context.expectEqual(
        try store.fetch(Sailor.all).map(\.crew.id), [1, 1, 2, 1], "nothing is written")
      try store.save([Port(1), Port(2), Port(3)])
      try store.attach([1, 2], to: 1, \Crew.ports)
      try refused(1, "ports") { try store.save(Port(3, crews: .keys([2, 1]))) }
      try refused(1, "ports") { try store.attach([3], to: 1, \Crew.ports) }
      try store.save(Crew(1, ports: .keys([3, 2])))
      try context.expectEqual(
        try store.read { try $0.count(DynamicQuery("Crew_ports")) }, 2, "links")
    },
    ConformanceCase("relationships of one way are saved as the others", "5.8") { context in
      let store = try context.open(Depot.self, Yard.self, Crate.self, Label.self)
      let saved = try store.save(
        Depot(
          1, yard: .to(Yard("a", 1, "x")), crates: [Crate(2), Crate(1)],
          labels: [Label("l"), Label("m")]))
      try context.expectEqual(saved.yard.loaded?.name, "x")
      try context.expectEqual(saved.crates.loaded?.map(\.id), [2, 1])
      try context.expectEqual(saved.labels.ids.map { Set($0) }, ["l", "m"])
      try store.save(Depot(2, yard: .key(Yard.ID(land: "a", number: 1)), labels: .keys(["m"])))
      try store.attach([1], to: 2, \Depot.crates)
      let first = try context.unwrap(
        try store.first(Depot.all.prefetch(\.crates, \.labels)), "the depot")
      try context.expectEqual(first.crates.ids, [2], "a crate has one referrer")
      try context.expectEqual(first.labels.ids.map { Set($0) }, ["l", "m"], "labels are shared")
      // A save of a target leaves the columns of core in its row.
      try store.save(Crate(1, "full"))
      let second = try context.unwrap(
        try store.find(Depot.self, 2).map { _ in
          try store.fetch(Depot.all.where { $0.id == 2 }.prefetch(\.crates)).first
        } ?? nil, "the other")
      try context.expectEqual(second.crates.loaded?.map(\.content), ["full"])
      let missing = try context.expectError(
        .missingTarget, entity: "Depot", key: [.int(3)], values: [.string("b"), .int(1)]
      ) { try store.save(Depot(3, yard: .key(Yard.ID(land: "b", number: 1)))) }
      try context.expectEqual(missing.attributes, ["yard"])
      try store.save(Depot(1, yard: nil, crates: [], labels: .notLoaded))
      let cleared = try context.unwrap(
        try store.first(Depot.all.prefetch(\.crates, \.labels)), "the depot")
      try context.expectEqual(cleared.crates.ids, [])
      try context.expectEqual(cleared.yard.id, nil)
      try context.expectEqual(cleared.labels.ids.map { Set($0) }, ["l", "m"])
    },
  ]
}
