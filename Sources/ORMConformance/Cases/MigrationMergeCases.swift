internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.5 to 10.8: rows of several entities that become rows of one, and back.
  static let mergedEntities: [ConformanceCase] = [
    ConformanceCase("rows of two entities become one, and links follow", "10.5", "10.6", "10.8") {
      context in
      let plan = MigrationPlan([
        .version(2, [.merge(["Contact"], into: "Person", on: ["email"])])
      ])
      let (first, second) = (try MergeSchemas.contacts(), try MergeSchemas.people())
      var store = try context.open(first)
      try store.fillContacts()
      // The person with this address has another name, then two contacts have it.
      try store.write { tx in
        try tx.update([DynamicRow("Contact", ["id": .int(1), "name": .string("Rob")])])
      }
      var error = try context.expectError(.migrationFailed) {
        try context.reopen(store, second, options: .migrating(plan))
      }
      try context.expectEqual(error.failures.map(\.code), [.conflictingLinks])
      try context.expectEqual(error.failures.map(\.key), [[.int(2)]])
      try context.expectEqual(error.failures.map(\.attributes), [["name"]])
      store = try context.reopen(store, first)
      try store.write { tx in
        try tx.update([DynamicRow("Contact", ["id": .int(1), "name": .string("Bob")])])
        try tx.update([DynamicRow("Contact", ["id": .int(3), "email": .string("b@x")])])
      }
      error = try context.expectError(.migrationFailed) {
        try context.reopen(store, second, options: .migrating(plan))
      }
      try context.expectEqual(error.failures.map(\.code), [.duplicate])
      store = try context.reopen(store, first)
      try store.write { tx in
        try tx.update([DynamicRow("Contact", ["id": .int(3), "email": .string("c@x")])])
      }
      let written = try JSONCoding.decode(MigrationPlan.self, from: JSONCoding.encode(plan))
      store = try context.reopen(store, second, options: .migrating(written))
      let people = try store.read { try $0.fetch(DynamicQuery("Person")) }
      // Person 3 was deleted: its key is not given again.
      try context.expectSame(people.map { $0["id"] }, [.int(1), .int(2), .int(4), .int(5)])
      try context.expectSame(
        people.map { $0["email"] }, [.string("a@x"), .string("b@x"), .null, .string("c@x")])
      try context.expectSame(
        people.map { $0["name"] },
        [.string("Ann"), .string("Bob"), .string("Cid"), .string("Cleo")])
      try context.expectSame(
        people.map { $0["phone"] }, [.null, .string("11"), .string("12"), .null])
      try context.expectSame(
        people.map { $0["rank"] }, [.int(1), .int(2), .int(5), .int(5)])
      try context.expectSame(
        people.map { $0["friend_id"] }, [.null, .int(4), .null, .int(2)])
      try context.expectSame(
        people.map { $0["boss_id"] }, [.null, .int(1), .null, .null])
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Note")) }.map { $0["contact_id"] },
        [.int(5), .int(2), .null])
      let tagged = try DynamicQuery("Person", in: store.schema, where: "ANY tags.id == 2")
      try context.expectSame(
        try store.read { try $0.fetch(tagged) }.map { $0["id"] }, [.int(2), .int(5)])
      try context.expectError(.unknownEntity) { try store.ids("Contact", .constant(true)) }
      try store.write { try $0.insert([DynamicRow("Person", ["name": .string("Dot")])]) }
      try context.expectEqual(try store.ids("Person", .constant(true)), [1, 2, 4, 5, 6])
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
      try context.expectError(.irreversible) { try plan.inverse(from: 2, to: 1) }
    },
    ConformanceCase("keys of the program stay in a merge", "10.6", "10.7", "10.8") { context in
      func schema(_ entities: [(String, [AttributeDescription])], _ version: Int) throws -> Schema {
        try Schema(
          entities: entities.map { name, attributes in
            EntityDescription(
              name: name, attributes: [AttributeDescription("code", .string)] + attributes,
              key: ["code"])
          }, version: version)
      }
      let size = AttributeDescription("size", .int64)
      let hue = AttributeDescription("hue", .string)
      let first = try schema([("Leaf", [hue]), ("Stem", [size])], 1)
      func open() throws -> any Store {
        let store = try context.open(first)
        try store.write { tx in
          try tx.insert([
            DynamicRow("Leaf", ["code": .string("a"), "hue": .string("red")]),
            DynamicRow("Leaf", ["code": .string("b"), "hue": .string("tan")]),
          ])
          try tx.insert([
            DynamicRow("Stem", ["code": .string("b"), "size": .int(1)]),
            DynamicRow("Stem", ["code": .string("c"), "size": .int(2)]),
          ])
        }
        return store
      }
      let second = try schema(
        [
          (
            "Plant",
            [
              AttributeDescription("hue", .string, isOptional: true),
              AttributeDescription("size", .int64, isOptional: true),
            ]
          )
        ], 2)
      func plan(on names: [String]) -> MigrationPlan {
        MigrationPlan([.version(2, [.merge(["Leaf", "Stem"], into: "Plant", on: names)])])
      }
      let store = try context.reopen(try open(), second, options: .migrating(plan(on: ["code"])))
      let rows = try store.read { try $0.fetch(DynamicQuery("Plant")) }
      try context.expectSame(
        rows.map { $0["code"] }, [.string("a"), .string("b"), .string("c")])
      try context.expectSame(rows.map { $0["hue"] }, [.string("red"), .string("tan"), .null])
      try context.expectSame(rows.map { $0["size"] }, [.null, .int(1), .int(2)])
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(try open(), second, options: .migrating(plan(on: [])))
      }
      try context.expectEqual(error.failures.map(\.code), [.duplicate])
      let wrong: [MigrationStep] = [
        .merge(["Leaf"], into: "Plant"), .merge(["Leaf", "Leaf"], into: "Plant"),
        .merge(["Leaf", "Stem"], into: "Plant", on: ["hue"]),
        .merge(["Leaf", "Root"], into: "Plant"), .merge(["Leaf"], into: "Leaf"),
      ]
      for step in wrong {
        try context.expectError(.invalidPlan, "\(step)") {
          try context.reopen(
            try open(), second, options: .migrating(MigrationPlan([.version(2, [step])])))
        }
      }
    },
    ConformanceCase("entities with one relationship become one", "10.5", "10.8") { context in
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameRelationship("cats", to: "pets", in: "Owner"),
            .merge(["Cat", "Dog"], into: "Pet"),
          ])
      ])
      var store = try context.open(try MergeSchemas.pets(["Cat": "cats", "Dog": "dogs"], 1))
      try store.write { tx in
        try tx.insert([DynamicRow("Owner", ["id": .int(7)]), DynamicRow("Owner", ["id": .int(8)])])
        try tx.insert([DynamicRow("Cat", ["owner_id": .int(7)]), DynamicRow("Cat")])
        try tx.insert([DynamicRow("Dog", ["owner_id": .int(8)]), DynamicRow("Dog")])
      }
      store = try context.reopen(
        store, try MergeSchemas.pets(["Pet": "pets"], 2), options: .migrating(plan))
      let pets = try store.read { try $0.fetch(DynamicQuery("Pet")) }
      try context.expectSame(pets.map { $0["id"] }, [.int(1), .int(2), .int(3), .int(4)])
      try context.expectSame(pets.map { $0["owner_id"] }, [.int(7), .null, .int(8), .null])
      let owners = try DynamicQuery("Owner", in: store.schema, where: "ANY pets.id > 2")
      try context.expectSame(try store.read { try $0.fetch(owners) }.map { $0["id"] }, [.int(8)])
    },
    ConformanceCase("an entity becomes a subentity and leaves again", "10.5", "10.8", "10.11") {
      context in
      let join = MigrationVersion.version(2, [.inherit("Car", from: "Vehicle")])
      let plan = MigrationPlan([join, .version(3, [.disinherit("Car", from: "Vehicle")])])
      var store = try context.open(try MergeSchemas.cars(isBelow: false, 1))
      try store.write { tx in
        try tx.insert([
          DynamicRow("Vehicle", ["name": .string("cart")]),
          DynamicRow("Vehicle", ["name": .string("sled")]),
        ])
        try tx.insert([DynamicRow("Car", ["name": .string("mini"), "doors": .int(3)])])
        try tx.insert([
          DynamicRow("Car", ["name": .string("duck"), "doors": .int(4), "tows_id": .int(1)])
        ])
        try tx.insert([
          DynamicRow("Toll", ["id": .int(1), "car_id": .int(2)]),
          DynamicRow("Toll", ["id": .int(2), "car_id": .null, "vehicle_id": .int(2)]),
        ])
      }
      store = try context.reopen(
        store, try MergeSchemas.cars(isBelow: true, 2), options: .migrating(MigrationPlan([join])))
      func cars() throws -> [[StoredValue]] {
        try store.read { try $0.fetch(DynamicQuery("Car")) }.map { row in
          ["id", "name", "doors", "tows_id"].map { row[$0] }
        }
      }
      let expected: [[StoredValue]] = [
        [.int(3), .string("mini"), .int(3), .null], [.int(4), .string("duck"), .int(4), .int(3)],
      ]
      try context.expectEqual(try cars(), expected)
      try context.expectEqual(try store.ids("Vehicle", .constant(true)), [1, 2, 3, 4])
      func tolls() throws -> [[StoredValue]] {
        try store.read { try $0.fetch(DynamicQuery("Toll")) }.map { row in
          ["car_id", "vehicle_id"].map { row[$0] }
        }
      }
      try context.expectEqual(try tolls(), [[.int(4), .null], [.null, .int(2)]])
      try context.expectError(.irreversible) {
        try MigrationPlan([join]).inverse(from: 2, to: 1)
      }
      // The link of a toll to a car as to a vehicle would be lost.
      try store.write { tx in
        try tx.update([DynamicRow("Toll", ["id": .int(2), "vehicle_id": .int(3)])])
      }
      let third = try MergeSchemas.cars(isBelow: false, 3)
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(store, third, options: .migrating(plan))
      }
      try context.expectEqual(error.failures.map(\.code), [.validationFailed])
      try context.expectEqual(error.failures.map(\.key), [[.int(2)]])
      store = try context.reopen(store, try MergeSchemas.cars(isBelow: true, 2))
      try store.write { tx in
        try tx.update([DynamicRow("Toll", ["id": .int(2), "vehicle_id": .int(1)])])
      }
      store = try context.reopen(store, third, options: .migrating(plan))
      try context.expectEqual(try cars(), expected)
      try context.expectEqual(try tolls(), [[.int(4), .null], [.null, .int(1)]])
      try context.expectEqual(try store.ids("Vehicle", .constant(true)), [1, 2])
      // Keys 3 and 4 were given to vehicles too.
      try store.write { tx in
        try tx.insert([DynamicRow("Car", ["name": .string("bug"), "doors": .int(2)])])
        try tx.insert([DynamicRow("Vehicle", ["name": .string("ski")])])
        try tx.delete(DynamicQuery("Vehicle", where: attribute("id").compare(.equal, int(5))))
      }
      store = try context.reopen(
        store, try MergeSchemas.cars(isBelow: true, 2),
        options: .migrating(try plan.inverse(from: 3, to: 2)))
      try context.expectEqual(
        try cars(), expected + [[.int(5), .string("bug"), .int(2), .null]])
      try store.write { tx in try tx.insert([DynamicRow("Vehicle", ["name": .string("bus")])]) }
      try context.expectEqual(try store.ids("Vehicle", .constant(true)), [1, 2, 3, 4, 5, 6])
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
  ]
}

/// The schemas of the cases about entities that are merged.
private enum MergeSchemas {
  private static let id = AttributeDescription("id", .int64)
  private static let name = AttributeDescription("name", .string)
  private static let email = AttributeDescription("email", .string, isOptional: true)
  private static let phone = AttributeDescription("phone", .string, isOptional: true)
  private static let rank = AttributeDescription(
    "rank", .int64, defaultValue: .value(.int(5)))

  private static func link(_ name: String) -> AttributeDescription {
    AttributeDescription("\(name)_id", .int64, isOptional: true)
  }

  private static func toOne(
    _ name: String, _ target: String, inverse: String? = nil
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, target: target, isToMany: false, inverse: inverse,
      storage: .own(["\(name)_id"], position: nil))
  }

  /// A person or a contact with a friend of the same entity, a superior and tags.
  private static func linked(
    _ name: String, _ attributes: [AttributeDescription]
  ) -> EntityDescription {
    EntityDescription(
      name: name, attributes: [id] + attributes + [link("friend"), link("boss")], key: ["id"],
      keySource: .generated,
      indexes: [IndexDescription(["friend_id"]), IndexDescription(["boss_id"])],
      relationships: [
        toOne("friend", name), toOne("boss", "Person"),
        RelationshipDescription(
          "tags", target: "Tag", isToMany: true, isShared: true,
          storage: .join(
            entity: "\(name)_tags", own: ["\(name)_id"], target: ["tags_id"], position: nil)),
      ])
  }

  private static func others(_ target: String) -> [EntityDescription] {
    [
      EntityDescription(
        name: "Note", attributes: [id, link("contact")], key: ["id"],
        indexes: [IndexDescription(["contact_id"])], relationships: [toOne("contact", target)]),
      EntityDescription(name: "Tag", attributes: [id], key: ["id"]),
    ]
  }

  static func contacts() throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Person", attributes: [id, email, name, rank], key: ["id"], keySource: .generated),
        linked("Contact", [email, phone, name]),
      ] + others("Contact"), version: 1)
  }

  static func people() throws -> Schema {
    try Schema(
      entities: [linked("Person", [email, name, rank, phone])] + others("Person"), version: 2)
  }

  /// Owners, and entities whose rows have one, with the name of the to-many back.
  static func pets(_ pets: [String: String], _ version: Int) throws -> Schema {
    let sorted = pets.sorted { $0.key < $1.key }
    return try Schema(
      entities: [
        EntityDescription(
          name: "Owner", attributes: [id], key: ["id"],
          relationships: sorted.map { entity, back in
            RelationshipDescription(
              back, target: entity, isToMany: true, inverse: "owner",
              storage: .target(["owner_id"], position: nil))
          })
      ]
        + sorted.map { entity, back in
          EntityDescription(
            name: entity, attributes: [id, link("owner")], key: ["id"], keySource: .generated,
            indexes: [IndexDescription(["owner_id"])],
            relationships: [toOne("owner", "Owner", inverse: back)])
        }, version: version)
  }

  /// Vehicles, cars that are such or are not, and tolls of both.
  static func cars(isBelow: Bool, _ version: Int) throws -> Schema {
    let note = AttributeDescription("note", .string, isOptional: true)
    return try Schema(
      entities: [
        EntityDescription(
          name: "Vehicle", attributes: [id, name, note], key: ["id"], keySource: .generated),
        EntityDescription(
          name: "Car",
          attributes: [id, name] + (isBelow ? [note] : [])
            + [AttributeDescription("doors", .int64), link("tows")], key: ["id"],
          keySource: .generated,
          indexes: [IndexDescription(["doors"]), IndexDescription(["tows_id"])],
          relationships: [toOne("tows", "Car")], parent: isBelow ? "Vehicle" : nil),
        EntityDescription(
          name: "Toll", attributes: [id, link("car"), link("vehicle")], key: ["id"],
          indexes: [IndexDescription(["car_id"]), IndexDescription(["vehicle_id"])],
          relationships: [toOne("car", "Car"), toOne("vehicle", "Vehicle")]),
      ], version: version)
  }
}

extension Store {
  /// Two people and three contacts, of which the first is the second person.
  fileprivate func fillContacts() throws {
    try write { tx in
      try tx.insert(
        zip(["a@x", "b@x", "z@x"], ["Ann", "Bob", "Zoe"]).enumerated().map { number, rest in
          DynamicRow(
            "Person",
            [
              "email": .string(rest.0), "name": .string(rest.1), "rank": .int(Int64(number + 1)),
            ])
        })
      try tx.delete(DynamicQuery("Person", where: attribute("id").compare(.equal, int(3))))
      try tx.insert([
        DynamicRow(
          "Contact",
          [
            "email": .string("b@x"), "name": .string("Bob"), "phone": .string("11"),
            "boss_id": .int(1),
          ]),
        DynamicRow("Contact", ["name": .string("Cid"), "phone": .string("12")]),
      ])
      try tx.insert([
        DynamicRow(
          "Contact", ["email": .string("c@x"), "name": .string("Cleo"), "friend_id": .int(1)])
      ])
      try tx.update([DynamicRow("Contact", ["id": .int(1), "friend_id": .int(2)])])
      try tx.insert(
        zip(1..., [3, 1, nil] as [Int64?]).map { id, contact in
          DynamicRow("Note", ["id": .int(id), "contact_id": contact.map { .int($0) } ?? .null])
        })
      try tx.insert([DynamicRow("Tag", ["id": .int(1)]), DynamicRow("Tag", ["id": .int(2)])])
      try tx.insert(
        [(1, 1), (1, 2), (3, 2)].map { contact, tag in
          DynamicRow("Contact_tags", ["Contact_id": .int(contact), "tags_id": .int(tag)])
        })
    }
  }
}
