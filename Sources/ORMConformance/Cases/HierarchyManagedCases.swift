internal import Foundation
internal import ORM
internal import ORMCore

/// A store of vessels: a tug that pulls two ferries, a catamaran and a raft; with hands, trips, and
/// harbours that most of them belong to.
private struct VesselSetup: StoreSetup {
  let context: ConformanceContext
  let store: any Store

  init(_ context: ConformanceContext) throws {
    self.context = context
    store = try context.open(Schema.vessels)
    try store.insert([Harbour(1), Harbour(2)])
    try store.insert(Slipway(1))
    try store.insert(Tug(1, "tug", tons: 10))
    try store.insert([
      Ferry(2, "ant", tons: 20, seats: 100, tug: .key(1)),
      Ferry(3, "bee", tons: 30, seats: 50, tug: .key(1)),
    ])
    try store.save(Catamaran(4, "cat", tons: 5, seats: 40, slipway: .key(1)))
    try store.insert(Vessel(5, "raft", tons: 1, harbour: .key(1)))
    try store.write { tx in
      try tx.attach([1, 2, 4], to: 1, \Harbour.vessels)
      try tx.attach([2, 4], to: 2, \Harbour.guests)
    }
    try store.insert(
      zip(1..., [2, 2, 3, 4, 5, 1] as [Int64]).map { Hand(Int64($0), vessel: .key($1)) })
    try store.insert([
      Trip(1, 7, ferry: .key(2)), Trip(2, 8, ferry: .key(2)), Trip(3, 9, ferry: .key(4)),
    ])
  }

  /// Expects, of the visible rows, the number of hands of each vessel, the earnings of ferries, and the tug's
  /// attributes derived of its ferries.
  func expect(
    hands: [Int], fares: [Int], tug: [Int?], _ subject: String, file: String = #fileID,
    line: Int = #line
  ) throws {
    try context.expectEqual(
      try store.fetch(Vessel.all).map(\.handCount), hands, subject, file: file, line: line)
    try context.expectEqual(
      try store.fetch(Ferry.all).map(\.fares), fares, subject, file: file, line: line)
    try context.expectEqual(
      try store.fetch(Tug.all).flatMap { [$0.seats, $0.heaviest, $0.people] }, tug, subject,
      file: file, line: line)
    let report = try store.check()
    try context.expect(report.isSound, "\(subject): \(report)", file: file, line: line)
  }

  /// Expects a harbour's vessels, their tons and hands, its guests and their seats.
  func expectHarbour(
    _ id: Int64, _ values: [Int], _ subject: String, file: String = #fileID, line: Int = #line
  ) throws {
    let harbour = try context.unwrap(try store.find(Harbour.self, id), "harbour \(id)")
    try context.expectEqual(
      [
        harbour.vesselCount, harbour.tons, harbour.crew, harbour.guestCount, harbour.guestSeats,
      ], values, "\(subject), harbour \(id)", file: file, line: line)
  }
}

extension ConformanceCase {
  /// Derived attributes and soft delete in hierarchies of entities.
  static let hierarchyManaged: [ConformanceCase] = [
    ConformanceCase(
      "attributes derived in or of a hierarchy follow, by whatever entity rows are written", "4.1",
      "5.6", "5.11"
    ) { context in
      let setup = try VesselSetup(context)
      let store = setup.store
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [150, 30, 3], "inserted")
      try setup.expectHarbour(1, [4, 36, 5, 0, 0], "inserted")
      try setup.expectHarbour(2, [0, 0, 0, 2, 140], "inserted")
      try store.save(Vessel(2, "ant", tons: 45))
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [150, 45, 3], "saved by the root")
      try setup.expectHarbour(1, [4, 61, 5, 0, 0], "saved by the root")
      try context.expectEqual(try store.update(Ferry.all) { $0[\.seats] += 10 }, 3)
      try setup.expectHarbour(2, [0, 0, 0, 2, 160], "updated as a set")
      try store.update(Vessel.all.where { $0.id == 3 }) { $0.tons = 60 }
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [170, 60, 3], "updated by the root")
      try store.save(Ferry(4, "cat", tons: 5, seats: 50, tug: .key(1)))
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [220, 60, 4], "a ferry below ferries")
      try store.update(Hand(1, vessel: .key(5)))
      try setup.expect(
        hands: [1, 1, 1, 1, 2], fares: [15, 0, 9], tug: [220, 60, 3], "of derived ones")
      try store.delete(Hand.all.where { $0.id > 4 })
      try setup.expectHarbour(1, [4, 61, 3, 0, 0], "of derived ones")
      try store.update(Trip(3, 10, ferry: .key(3)))
      try setup.expect(
        hands: [0, 1, 1, 1, 1], fares: [15, 10, 0], tug: [220, 60, 3], "moved")
      try context.expectEqual(
        try store.save(Catamaran(4, "cat", tons: 6, seats: 51, slipway: .key(1))).fares, 0)
      try setup.expectHarbour(1, [4, 62, 3, 0, 0], "saved by what is below")
      try setup.expectHarbour(2, [0, 0, 0, 2, 161], "saved by what is below")
      try context.expectEqual(
        try store.fetch(Ferry.all.where { $0.handCount == 1 }).map(\.id), [2, 3, 4], "the index")
      try context.expectError(.invalidValue, entity: "Ferry", attributes: ["handCount"]) {
        try store.update(Ferry.all) { $0.handCount = 3 }
      }
    },
    ConformanceCase(
      "rows of a hierarchy are hidden, restored and purged by any of its entities", "5.7", "2.9",
      "4.1", "5.11"
    ) { context in
      let setup = try VesselSetup(context)
      let store = setup.store
      try context.expectEqual(try store.delete(Ferry.self, id: 2), true)
      try setup.expect(Vessel.self, [1, 3, 4, 5], hidden: [2])
      try setup.expect(Ferry.self, [3, 4], hidden: [2])
      try setup.expect(Catamaran.self, [4])
      try setup.expect(Trip.self, [3], hidden: [1, 2])
      try context.expectEqual(try store.count(Hand.self), 6, "until the purge")
      try context.expect(try store.find(Vessel.self, 2) == nil, "by the root")
      try context.expectEqual(
        try store.fetch(Vessel.all, as: .concrete).map { "\(type(of: $0))" },
        ["Tug", "Ferry", "Catamaran", "Vessel"])
      try context.expectEqual(try store.count(Vessel.all.includingDeleted()), 5)
      try setup.expect(hands: [1, 1, 1, 1], fares: [0, 9], tug: [50, 30, 1], "one hidden")
      try setup.expectHarbour(1, [3, 16, 3, 0, 0], "one hidden")
      try setup.expectHarbour(2, [0, 0, 0, 1, 40], "one hidden")
      for insert in [
        { try store.insert(Vessel(9, "ant")).id }, { try store.insert(Tug(9, "ant")).id },
        { try store.insert(Ferry(9, "ant")).id },
      ] as [() throws -> Int64] {
        let error = try context.expectError(.duplicate, attributes: ["name"]) { try insert() }
        try context.expect(error.message.contains("soft-deleted"), error.message)
      }
      try context.expectError(.missingTarget, entity: "Trip") {
        try store.restore(Trip.where { $0.id == 1 })
      }
      try context.expectEqual(try store.delete(Vessel.self, id: 4), true, "by the root")
      try setup.expect(Catamaran.self, [], hidden: [4])
      try setup.expect(Trip.self, [], hidden: [1, 2, 3])
      try context.expectEqual(try store.restore(Tug.where { $0.id == 2 }), 0, "a ferry is no tug")
      try context.expectEqual(try store.restore(Vessel.where { $0.id == 2 }), 1)
      try setup.expect(Trip.self, [1, 2], hidden: [3])
      try context.expectEqual(try store.restore(Catamaran.where { $0.id == 4 }), 1)
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [150, 30, 3], "all are back")
      try setup.expectHarbour(1, [4, 36, 5, 0, 0], "all are back")
      try context.expectEqual(try store.delete(Ferry.all), 3)
      try setup.expect(Vessel.self, [1, 5], hidden: [2, 3, 4])
      try setup.expect(hands: [1, 1], fares: [], tug: [0, nil, 0], "ferries are hidden")
      try setup.expectHarbour(1, [2, 11, 2, 0, 0], "ferries are hidden")
      try context.expectEqual(try store.purge(Vessel.where { $0.id == 1 }), 0, "it is visible")
      try context.expectEqual(try store.purge(Ferry.all.where { $0.id > 2 }), 2)
      try setup.expect(Vessel.self, [1, 5], hidden: [2])
      try setup.expect(Trip.self, [], hidden: [1, 2])
      try context.expectEqual(try store.count(Hand.self), 4)
      try context.expectEqual(try store.restore(Ferry.all), 1)
      try setup.expect(hands: [1, 2, 1], fares: [15], tug: [100, 20, 2], "one is back")
      try setup.expectHarbour(1, [3, 31, 4, 0, 0], "one is back")
      try context.expectEqual(try store.deleteAll(Vessel.self), 3)
      try setup.expectHarbour(1, [0, 0, 0, 0, 0], "none")
      try context.expectEqual(try store.purge(Vessel.all), 3)
      try context.expectEqual(try store.count(Hand.self), 0)
      try setup.expect(Trip.self, [])
      try setup.expect(hands: [], fares: [], tug: [], "nothing is left")
    },
    ConformanceCase(
      "a subentity that must lead somewhere goes with what it leads to", "5.7", "5.11"
    ) {
      context in
      let setup = try VesselSetup(context)
      let store = setup.store
      try context.expectEqual(try store.delete(Slipway.self, id: 1), true)
      try setup.expect(Vessel.self, [1, 2, 3, 5])
      try setup.expect(Trip.self, [1, 2])
      try context.expectEqual(try store.count(Hand.self), 5)
      try setup.expect(hands: [1, 2, 1, 1], fares: [15, 0], tug: [150, 30, 3], "it is gone")
      try setup.expectHarbour(1, [3, 31, 4, 0, 0], "it is gone")
      try setup.expectHarbour(2, [0, 0, 0, 1, 100], "it is gone")
    },
    ConformanceCase("a hierarchy that gains derived attributes has them worked out", "7.5", "5.11")
    {
      context in
      var entities = try Schema.vessels.entities
      var dropped: [String: Set<String>] = [:]
      for index in entities.indices {
        let entity = entities[index]
        let own = entity.attributes.filter { $0.derived != nil }.map(\.name)
        let names = Set(own).union(entity.parent.flatMap { dropped[$0] } ?? [])
        dropped[entity.name] = names
        entities[index].attributes.removeAll { names.contains($0.name) }
        entities[index].indexes.removeAll { names.contains($0.terms[0].attribute) }
      }
      var store = try context.open(try Schema(entities: entities))
      func row(_ entity: String, _ id: Int64, _ values: [String: StoredValue]) -> DynamicRow {
        DynamicRow(entity, values.merging(["id": .int(id)]) { value, _ in value })
      }
      func vessel(_ id: Int64, _ tons: Int64) -> [String: StoredValue] {
        ["name": .string("v\(id)"), "tons": .int(tons)]
      }
      _ = try store.write { tx in
        try tx.insert([row("Harbour", 1, [:])])
        try tx.insert([row("Slipway", 1, [:])])
        try tx.insert([row("Tug", 1, vessel(1, 10))])
        let ferry: [String: StoredValue] = ["seats": .int(60), "tug_id": .int(1)]
        try tx.insert(
          [2, 3].map { id in row("Ferry", id, vessel(id, 10 * id).merging(ferry) { $1 }) })
        let cat: [String: StoredValue] = [
          "seats": .int(40), "knots": .double(9), "slipway_id": .int(1),
        ]
        try tx.insert([row("Catamaran", 4, vessel(4, 5).merging(cat) { $1 })])
        try tx.update(DynamicQuery("Vessel"), ["harbour_id": int(1)])
        try tx.insert((1...4).map { row("Hand", $0, ["vessel_id": .int($0 / 2 + 1)]) })
        try tx.insert([
          row("Trip", 1, ["price": .int(7), "ferry_id": .int(3)]),
          row("Trip", 2, ["price": .int(8), "ferry_id": .int(4)]),
        ])
        try tx.delete(DynamicQuery("Vessel", where: attribute("id").compare(.equal, int(2))))
      }
      store = try context.reopen(store, try Schema.vessels)
      try context.expectEqual(
        try store.fetch(Vessel.all.includingDeleted()).map(\.handCount), [1, 2, 1, 0])
      try context.expectEqual(try store.fetch(Ferry.all).map(\.fares), [7, 8])
      try context.expectEqual(
        try store.fetch(Tug.all).flatMap { [$0.seats, $0.heaviest, $0.people] }, [60, 30, 1])
      let harbour = try context.unwrap(try store.find(Harbour.self, 1), "the harbour")
      try context.expectEqual([harbour.vesselCount, harbour.tons, harbour.crew], [3, 45, 2])
      try context.expectSound(store)
      try store.insert(Hand(5, vessel: .key(3)))
      try context.expectEqual(try store.fetch(Tug.all).map(\.people), [2], "and stored")
      try context.expectSound(store)
    },
    ConformanceCase(
      "check finds the faults of a hierarchy, and a rebuild repairs it", "5.6", "5.11", "7.7"
    ) {
      context in
      let setup = try VesselSetup(context)
      let store = setup.store
      let root = try context.unwrap(store.schema.entity(named: "Vessel"), "Vessel")
      let writer = try store.writer(WriteTurn())
      _ = try writer.apply(
        .update(
          FetchRequest(entity: root.name, sort: SortTerm.total([], entity: root)),
          [.init(column: root.column(ofAttribute: "tons") ?? 0, value: int(7))]))
      try writer.commit()
      let report = try store.check()
      try context.expectEqual(
        Set(report.faults.map { "\($0.entity ?? "").\($0.attributes.joined())" }),
        ["Harbour.tons", "Tug.heaviest"], "\(report)")
      try context.expectEqual(try store.rebuildDerived([Catamaran.self, Vessel.self]), 0)
      try context.expectEqual(try store.rebuildDerived([Tug.self]), 1)
      try context.expectEqual(try store.rebuildDerived(), 1)
      try setup.expectHarbour(1, [4, 28, 5, 0, 0], "repaired")
      try setup.expect(
        hands: [1, 2, 1, 1, 1], fares: [15, 0, 9], tug: [150, 7, 3], "repaired")
    },
    ConformanceCase(
      "declarations that a hierarchy cannot keep are refused when the schema is built", "8.1",
      "5.11", "7.6"
    ) {
      context in
      let whole = try Schema.vessels.entities
      func refused(
        _ entity: String, _ attribute: String, _ change: (inout AttributeDescription) -> Void
      ) throws {
        var entities = whole
        let index = try context.unwrap(entities.firstIndex { $0.name == entity }, entity)
        if let position = entities[index].position(of: attribute) {
          change(&entities[index].attributes[position])
        } else {
          var added = AttributeDescription(attribute, .date, isOptional: true)
          change(&added)
          entities[index].attributes.append(added)
        }
        let error = try context.expectError(.invalidSchema) { try Schema(entities: entities) }
        try context.expectEqual(error.failures.map(\.entity), [entity])
        try context.expectEqual(error.failures.map(\.attributes), [[attribute]])
      }
      try refused("Tug", "sunk") { $0.role = .deletedAt }
      try refused("Tug", "handCount") { $0.derived = DerivedValue(.count, of: "pulled") }
      try refused("Ferry", "seats") { $0.derived = DerivedValue(.count, of: "hands") }
      try refused("Tug", "people") { $0.derived = DerivedValue(.sum, of: "pulled", "knots") }
    },
  ]
}
