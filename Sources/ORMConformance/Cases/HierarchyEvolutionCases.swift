internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 7.5 for entities with subentities.
  static let hierarchyEvolution: [ConformanceCase] = [
    ConformanceCase("subentities are added to an entity that has rows", "7.5", "5.11") { context in
      var store = try context.open(Schema(Vehicle.self))
      try store.insert([Vehicle(1, "a"), Vehicle(2, "b")])
      store = try context.reopen(store, Schema(Vehicle.self, Car.self))
      try store.insert(Car(3, "c", plate: "P"))
      try context.expectEqual(try store.fetch(Car.all), [Car(3, "c", plate: "P")])
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1, 2, 3])
      store = try context.reopen(
        store, Schema(Vehicle.self, Truck.self, Car.self, SportsCar.self))
      try store.insert(Truck(4, "d"))
      try store.insert(SportsCar(5, "e", plate: "Q"))
      try context.expectEqual(try store.fetch(Car.all).map(\.id), [3, 5])
      try context.expectEqual(try store.find(Car.self, 3), Car(3, "c", plate: "P"))
      try context.expectError(.duplicate, attributes: ["plate"]) {
        try store.insert(Car(6, "f", plate: "Q"))
      }
    },
    ConformanceCase("subentities that are not declared are left as they are", "7.5", "5.11") {
      context in
      var store = try context.openVehicles()
      store = try context.reopen(store, Schema(Vehicle.self, Car.self))
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1, 2, 3, 4, 5])
      try store.save(Vehicle(4, "oxen", wheels: 10))
      try store.save(Vehicle(3, "zip", wheels: 4))
      let objects = try store.fetch(Vehicle.all, as: .concrete)
      try context.expectEqual(
        objects.map { "\(type(of: $0))" }, ["Vehicle", "Car", "Vehicle", "Vehicle", "Car"])
      store = try context.reopen(store, Schema(Vehicle.self))
      try store.save(Vehicle(2, "hill", wheels: 4))
      store = try context.reopen(
        store, Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self))
      try context.expectEqual(
        try store.find(Truck.self, 4), Truck(4, "oxen", wheels: 10, load: 12, doors: "two"))
      try context.expectEqual(
        try store.find(SportsCar.self, 3), SportsCar(3, "zip", plate: "B", speed: 310))
      try context.expectEqual(try store.find(Car.self, 2), Car(2, "hill", doors: 3, plate: "A"))
    },
    ConformanceCase("attributes are added to subentities as to others", "7.5", "5.11") { context in
      let plain = try hierarchy(cubs: [AttributeDescription("size", .int64)])
      var store = try context.open(plain)
      try store.write {
        try $0.save([DynamicRow("Beast", ["id": .int(1)])])
        try $0.save([DynamicRow("Cub", ["id": .int(2), "size": .int(5)])])
      }
      store = try context.reopen(
        store,
        try hierarchy(cubs: [
          AttributeDescription("size", .int64),
          AttributeDescription("colour", .string, defaultValue: .value(.string("grey"))),
          AttributeDescription("note", .string, isOptional: true),
        ]))
      let rows = try store.read { try $0.fetch(DynamicQuery("Cub")) }
      try context.expectSame(
        ["id", "size", "colour", "note"].map { rows[0][$0] },
        [.int(2), .int(5), .string("grey"), .null])
      try context.expectEqual(rows.count, 1)
      for wrong in [
        [AttributeDescription("size", .int64, isOptional: true)],
        [AttributeDescription("size", .double)], [],
        [AttributeDescription("size", .int64), AttributeDescription("age", .int64)],
      ] {
        let error = try context.expectError(.schemaMismatch) {
          try context.reopen(store, try hierarchy(cubs: wrong))
        }
        try context.expectEqual(Set(error.failures.map(\.entity)), ["Cub"], "\(wrong)")
        try context.expectEqual(error.failures.count, 1, "\(error)")
      }
      try context.expectError(.schemaMismatch) {
        try context.reopen(
          store,
          Schema(entities: [
            EntityDescription(
              name: "Cub",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("size", .int64),
              ], key: ["id"])
          ]))
      }
    },
    ConformanceCase("hierarchies are copied row by row", "1.2", "5.11", "7.8") { context in
      let store = try context.openVehicles()
      let copy = try context.open(Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self))
      let digests = try StoreCopy(from: store, to: copy).run()
      try context.expectEqual(digests.map(\.rows), [5])
      try context.expectEqual(
        try copy.find(SportsCar.self, 3), SportsCar(3, "bolt", plate: "B", speed: 310))
      try context.expectEqual(try copy.fetch(Car.all), try store.fetch(Car.all))
      let known = try context.open(Schema(store.schema))
      try StoreCopy(from: store, to: known).run()
      try context.expectEqual(try known.fetch(Truck.all), try store.fetch(Truck.all))
    },
    ConformanceCase("keys that the store gives are the hierarchy's", "5.5", "5.11") { context in
      let store = try context.open(
        try hierarchy(keySource: .generated, cubs: [AttributeDescription("size", .int64)]))
      try store.write {
        try $0.insert([DynamicRow("Beast"), DynamicRow("Beast")])
        try $0.insert([DynamicRow("Cub", ["size": .int(1)]), DynamicRow("Cub", ["size": .int(2)])])
        try $0.delete(DynamicQuery("Cub"))
        try $0.insert([DynamicRow("Beast")])
      }
      try context.expectEqual(try store.ids("Beast", .constant(true)), [1, 2, 5])
    },
  ]

  /// Beasts, and cubs below them.
  private static func hierarchy(
    keySource: StoredEntity.KeySource = .program, cubs: [AttributeDescription]
  ) throws -> Schema {
    let id = AttributeDescription("id", .int64)
    return try Schema(entities: [
      EntityDescription(name: "Beast", attributes: [id], key: ["id"], keySource: keySource),
      EntityDescription(
        name: "Cub", attributes: [id] + cubs, key: ["id"], keySource: keySource, parent: "Beast"),
    ])
  }
}
