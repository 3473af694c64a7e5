internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.5 to 10.7: attributes that move between entities.
  static let movedAttributes: [ConformanceCase] = [
    ConformanceCase("a to-one is folded into the entity that has it", "10.6", "10.7") { context in
      let plan = MigrationPlan([.version(2, [.fold("home", into: "Person", prefix: "home_")])])
      let optional = MigrationPlan([
        .version(
          2,
          [.makeOptional("street", in: "Address"), .fold("home", into: "Person", prefix: "home_")])
      ])
      let target = try Schema(
        entities: [
          MoveSchemas.person(
            [
              AttributeDescription("home_street", .string, isOptional: true),
              AttributeDescription("home_zip", .int64, isOptional: true),
            ])
        ], version: 2)
      var store = try context.open(try MoveSchemas.people(version: 1))
      try store.fillPeople()
      func failure(_ plan: MigrationPlan) throws -> [StoreError] {
        let error = try context.expectError(.migrationFailed) {
          try context.reopen(store, target, options: .migrating(plan))
        }
        return error.failures
      }
      // Address 3 has no people.
      var failures = try failure(optional)
      try context.expectEqual(failures.map(\.code), [.validationFailed])
      try context.expectEqual(failures.map(\.key), [[.int(3)]])
      store = try context.reopen(store, try MoveSchemas.people(version: 1))
      try store.write { tx in
        try tx.delete(DynamicQuery("Address", where: attribute("id").compare(.equal, int(3))))
      }
      // Person 3 has no address, and the plan leads to a required street.
      _ = try context.expectError(.invalidPlan) {
        try context.reopen(store, target, options: .migrating(plan))
      }
      let required = try Schema(
        entities: [
          MoveSchemas.person([
            AttributeDescription("home_street", .string),
            AttributeDescription("home_zip", .int64, isOptional: true),
          ])
        ], version: 2)
      failures = try context.expectError(.migrationFailed) {
        try context.reopen(store, required, options: .migrating(plan))
      }.failures
      try context.expectEqual(failures.map(\.code), [.missingValue])
      try context.expectEqual(failures.map(\.key), [[.int(3)]])
      store = try context.reopen(store, target, options: .migrating(optional))
      let rows = try store.read { try $0.fetch(DynamicQuery("Person")) }
      try context.expectSame(
        rows.map { $0["home_street"] },
        [.string("North"), .string("South"), .null, .string("North")])
      try context.expectSame(
        rows.map { $0["home_zip"] }, [.int(10), .null, .null, .int(10)])
      try context.expectSame(
        rows.map { $0["name"] }, [.string("a"), .string("b"), .string("c"), .string("d")])
      try context.expectError(.unknownEntity) { try store.ids("Address", .constant(true)) }
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("an attribute moves along a to-one and back", "10.6", "10.7", "10.11") {
      context in
      let first = try MoveSchemas.people(version: 1)
      let plan = MigrationPlan([
        .version(2, [.move("zip", from: "Address", to: "Person", through: "home")])
      ])
      let second = try MoveSchemas.people(zipOfPerson: true, version: 2)
      var store = try context.open(first)
      try store.fillPeople()
      // The value of address 3 would be lost.
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(store, second, options: .migrating(plan))
      }
      try context.expectEqual(error.failures.map(\.key), [[.int(3)]])
      store = try context.reopen(store, first)
      try store.write { tx in
        try tx.update([DynamicRow("Address", ["id": .int(3), "zip": .null])])
      }
      store = try context.reopen(store, second, options: .migrating(plan))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Person")) }.map { $0["zip"] },
        [.int(10), .null, .null, .int(10)])
      let back = StoreOptions.migrating(try plan.inverse(from: 2, to: 1))
      let faulty: [(Int64, StoredValue, StoreError.Code, [StoredValue])] = [
        (4, .int(11), .conflictingLinks, [.int(1)]), (3, .int(5), .validationFailed, [.int(3)]),
      ]
      for (id, zip, code, key) in faulty {
        try store.write { tx in
          try tx.update([DynamicRow("Person", ["id": .int(id), "zip": zip])])
        }
        let error = try context.expectError(.migrationFailed) {
          try context.reopen(store, first, options: back)
        }
        try context.expectEqual(error.failures.map(\.code), [code])
        try context.expectEqual(error.failures.map(\.key), [key])
        store = try context.reopen(store, second, options: .migrating(plan))
        try store.write { tx in
          try tx.update([DynamicRow("Person", ["id": .int(id), "zip": id == 4 ? .int(10) : .null])])
        }
      }
      store = try context.reopen(store, first, options: back)
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Address")) }.map { $0["zip"] },
        [.int(10), .null, .null])
      let wrong: [MigrationStep] = [
        .move("zip", from: "Address", to: "Person", through: "name"),
        .move("name", from: "Address", to: "Person", through: "home"),
        .move("name", from: "Person", to: "Person", through: "home"),
        .move("home_id", from: "Person", to: "Address", through: "home"),
        .move("id", from: "Address", to: "Person", through: "home"),
        .fold("people", into: "Address"), .fold("home", into: "Address"),
      ]
      for step in wrong {
        try context.expectError(.invalidPlan, "\(step)") {
          try context.reopen(
            store, second, options: .migrating(MigrationPlan([.version(2, [step])])))
        }
      }
    },
    ConformanceCase("values of a closure fill an attribute, batch by batch", "10.6", "10.4") {
      context in
      func schema(_ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Note",
              attributes: [AttributeDescription("id", .int64)]
                + (version == 1 ? [] : [AttributeDescription("even", .bool, isOptional: true)]),
              key: ["id"])
          ], version: version)
      }
      var store = try context.open(try schema(1))
      try store.write { tx in
        try tx.insert((1...9_000).map { DynamicRow("Note", ["id": .int($0)]) })
      }
      let calls = Lock<[Int]>([])
      func plan(_ body: @escaping @Sendable ([DynamicRow]) throws -> [StoredValue]) -> MigrationPlan
      {
        MigrationPlan([
          .version(
            2,
            [
              .addAttribute("even", .bool, in: "Note"),
              .fill("even", in: "Note", named: "even", revision: 1, body),
            ])
        ])
      }
      for values in [[], [StoredValue.string("no")]] {
        let error = try context.expectError(.migrationFailed, entity: "Note") {
          try context.reopen(
            store, try schema(2),
            options: .migrating(plan { $0.flatMap { _ in values } }))
        }
        try context.expectEqual(error.attributes, ["even"])
      }
      store = try context.reopen(
        store, try schema(2),
        options: .migrating(
          plan { rows in
            calls.withLock { $0.append(rows.count) }
            return rows.map { row in
              guard case .int(let id) = row["id"] else { return .null }
              return id == 7 ? .null : .bool(id % 2 == 0)
            }
          }))
      try context.expectEqual(calls.withLock { $0.reduce(0, +) }, 9_000)
      try context.expect(calls.withLock { $0.count } > 1, "several batches")
      try context.expectEqual(
        try store.ids("Note", attribute("even").compare(.equal, .value(.null))), [7])
      try context.expectEqual(
        try store.ids("Note", attribute("even").compare(.equal, .value(.bool(true)))).count, 4_500)
    },
  ]
}

/// The schemas of the cases about attributes that move.
private enum MoveSchemas {
  static func person(
    _ attributes: [AttributeDescription], relationships: [RelationshipDescription] = []
  ) -> EntityDescription {
    EntityDescription(
      name: "Person",
      attributes: [AttributeDescription("id", .int64), AttributeDescription("name", .string)]
        + attributes, key: ["id"],
      indexes: relationships.isEmpty ? [] : [IndexDescription(["home_id"])],
      relationships: relationships)
  }

  /// People with addresses; the postal code belongs to one or the other.
  static func people(zipOfPerson: Bool = false, version: Int) throws -> Schema {
    let zip = AttributeDescription("zip", .int64, isOptional: true)
    let home = AttributeDescription("home_id", .int64, isOptional: true)
    return try Schema(
      entities: [
        person(
          zipOfPerson ? [home, zip] : [home],
          relationships: [
            RelationshipDescription(
              "home", target: "Address", isToMany: false, inverse: "people",
              storage: .own(["home_id"], position: nil))
          ]),
        EntityDescription(
          name: "Address",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("street", .string)]
            + (zipOfPerson ? [] : [zip]), key: ["id"], keySource: .generated,
          relationships: [
            RelationshipDescription(
              "people", target: "Person", isToMany: true, inverse: "home",
              storage: .target(["home_id"], position: nil))
          ]),
      ], version: version)
  }
}

extension Store {
  /// People 1 and 4 at one address, 2 at another, 3 at none; none at the third.
  fileprivate func fillPeople() throws {
    try write { tx in
      try tx.insert([
        DynamicRow("Address", ["street": .string("North"), "zip": .int(10)]),
        DynamicRow("Address", ["street": .string("South"), "zip": .null]),
        DynamicRow("Address", ["street": .string("West"), "zip": .int(30)]),
      ])
      let homes: [StoredValue] = [.int(1), .int(2), .null, .int(1)]
      try tx.insert(
        zip(1..., zip(["a", "b", "c", "d"], homes)).map { id, rest in
          DynamicRow(
            "Person", ["id": .int(id), "name": .string(rest.0), "home_id": rest.1])
        })
    }
  }
}
