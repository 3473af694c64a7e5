internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Entities whose rows are rows of another too: the clauses hold for a hierarchy as one entity.
  static let hierarchies: [ConformanceCase] = [
    ConformanceCase(
      "rows are fetched by any entity above them, and as what they are", "3.2", "5.1", "5.11"
    ) { context in
      let store = try context.openVehicles()
      try context.expectEqual(
        try store.fetch(Vehicle.all),
        [
          Vehicle(1, "bike", wheels: 2), Vehicle(2, "ant", wheels: 4),
          Vehicle(3, "bolt", wheels: 4), Vehicle(4, "ox", wheels: 6), Vehicle(5, "bee", wheels: 3),
        ])
      try context.expectEqual(
        try store.fetch(Car.all),
        [
          Car(2, "ant", doors: 3, plate: "A"), Car(3, "bolt", doors: 2, plate: "B"),
          Car(5, "bee", wheels: 3),
        ])
      try context.expectEqual(
        try store.fetch(SportsCar.all), [SportsCar(3, "bolt", plate: "B", speed: 310)])
      try context.expectEqual(try store.fetch(Truck.all), [Truck(4, "ox", load: 12, doors: "two")])
      let whole = try store.fetch(
        Vehicle.all.where { $0.id > 1 }.sorted(by: .descending(\.wheels), .ascending(\.name)),
        as: .concrete)
      try context.expectEqual(
        whole.map { Self.described($0) },
        ["Truck 4 two", "Car 2 3", "SportsCar 3 310.0", "Car 5 5"])
      try context.expectEqual(
        try store.fetch(Car.all.limit(2).offset(1), as: .concrete).map { Self.described($0) },
        ["SportsCar 3 310.0", "Car 5 5"])
      try context.expectEqual(
        try store.find(Vehicle.self, 1, as: .concrete).map { Self.described($0) }, "Vehicle 1")
      try context.expectEqual(
        try store.find(Vehicle.self, 3, as: .concrete).map { Self.described($0) },
        "SportsCar 3 310.0")
      try context.expect(try store.find(Car.self, 4, as: .concrete) == nil, "a truck is no car")
    },
    ConformanceCase("a key finds a row by the entities that it is of alone", "5.1", "5.11") {
      context in
      let store = try context.openVehicles()
      try context.expectEqual(try store.find(Vehicle.self, 4)?.name, "ox")
      try context.expectEqual(try store.find(Car.self, 3)?.doors, 2)
      try context.expect(try store.find(Car.self, 4) == nil, "a truck is no car")
      try context.expect(try store.find(Car.self, 1) == nil, "nor a row of the root")
      try context.expect(try store.find(SportsCar.self, 2) == nil, "nor a car a sports car")
      try context.expect(try store.find(Truck.self, 3) == nil, "nor a sports car a truck")
    },
    ConformanceCase(
      "one key space: what is of another kind is not overwritten", "5.1", "5.3", "5.11"
    ) {
      context in
      let store = try context.openVehicles()
      let before = try store.vehicleRows()
      for save in [
        { try store.save(Car(4, "new")).id }, { try store.insert(Car(4, "new")).id },
        { try store.save(Car(1, "new")).id }, { try store.save(SportsCar(2, "new")).id },
        { Int64(try store.save([Car(9, "nine"), Car(4, "new")]).keys.count) },
        { try store.save(Car(4, "new"), merge: .insertOnly).id },
      ] as [() throws -> Int64] {
        try context.expectError(.duplicate, attributes: ["id"], values: nil) { try save() }
      }
      try context.expectError(.duplicate, entity: "Car", key: [.int(4)], values: [.int(4)]) {
        try store.save(Car(4, "new"))
      }
      try context.expectError(.notFound, entity: "Car", key: [.int(4)]) {
        try store.update(Car(4, "new"))
      }
      try context.expectEqual(try store.vehicleRows(), before)
    },
    ConformanceCase("a save by an entity above changes the shared attributes alone", "5.1", "5.11")
    {
      context in
      let store = try context.openVehicles()
      try store.save(Vehicle(3, "flash", wheels: 5))
      try context.expectEqual(
        try store.find(Vehicle.self, 3, as: .concrete).map { Self.described($0) },
        "SportsCar 3 310.0")
      try context.expectEqual(try store.find(SportsCar.self, 3)?.name, "flash")
      try store.save(Car(3, "dash", doors: 4, plate: "Z"))
      let car = try context.unwrap(try store.find(SportsCar.self, 3), "it is still a sports car")
      try context.expectEqual([car.name, car.plate ?? ""], ["dash", "Z"])
      try context.expectEqual([car.speed, Double(car.doors)], [310, 4])
      let counts = try store.save([
        Car(3, "dash", doors: 4, plate: "Z"), Car(2, "ant", doors: 1, plate: "A"), Car(7, "new"),
      ]).counts
      try context.expectEqual([counts.unchanged, counts.updated, counts.inserted], [1, 1, 1])
      try context.expectEqual(try store.fetch(SportsCar.all).map(\.id), [3])
      try store.insert(Vehicle(8, "sled"))
      try context.expectEqual(try store.count(Car.all), 4)
    },
    ConformanceCase(
      "conditions, orders, aggregates and groups are of an entity's rows", "4.1", "4.2", "5.11"
    ) {
      context in
      let store = try context.openVehicles()
      try context.expectEqual(try store.count(Vehicle.all), 5)
      try context.expectEqual(try store.count(Car.all.where { $0.doors < 4 }), 2)
      try context.expectEqual(try store.sum(Car.all, \.doors), 10)
      try context.expectEqual(try store.sum(Vehicle.all, \.wheels), 19)
      try context.expectEqual(try store.max(Truck.all, \.load), 12)
      try context.expectEqual(try store.min(SportsCar.all, \.speed), 310)
      try context.expectEqual(
        try store.fetch(Car.all.sorted(by: .descending(\.doors))).map(\.id), [5, 2, 3])
      try context.expectEqual(
        try store.fetch(Truck.all.where { $0.doors == "two" }).map(\.id), [4])
      try context.expectEqual(
        try store.fetch(Car.all.where { $0.plate == nil }).map(\.id), [5], "not trucks")
      try context.expectEqual(
        try store.fetch(Car.all.where { !($0.name == "ant") }).map(\.id), [3, 5])
      let page = try store.fetch(Car.all.sorted(by: .ascending(\.name)).page(1, size: 2))
      try context.expectEqual(page.map(\.id), [3])
      try context.expectEqual(
        try store.ids("Car", attribute("doors").compare(.greater, int(2))), [2, 5])
      try context.expectEqual(
        try store.fetch(Car.all.where(Filter(format: "doors == 3 AND name BEGINSWITH 'a'")))
          .map(\.id), [2])
    },
    ConformanceCase("changes and deletes are of an entity's rows", "5.1", "5.11") { context in
      let store = try context.openVehicles()
      try context.expectEqual(try store.update(Car.all) { $0.wheels = 8 }, 3)
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.wheels), [2, 8, 8, 6, 8])
      try context.expectEqual(try store.update(Car.all) { $0[\.doors] += 1 }, 3)
      try context.expectEqual(try store.fetch(SportsCar.all).map(\.doors), [3])
      try context.expectEqual(try store.update(Vehicle.all) { $0.wheels = nil }, 5)
      try context.expectEqual(try store.fetch(Truck.all).map(\.wheels), [nil])
      try context.expectError(.missingValue, entity: "Car", attributes: ["doors"]) {
        try store.write {
          try $0.update(
            DynamicQuery("Car"),
            ["doors": attribute("doors") / (attribute("doors") - int(4))])
        }
      }
      try context.expectEqual(try store.fetch(Car.all).map(\.doors), [4, 3, 6])
      try context.expectEqual(try store.patch(Car.self, 3) { $0.plate = "C" }, 1)
      try context.expectError(.notFound, entity: "Car") {
        try store.patch(Car.self, 4) { $0.plate = "C" }
      }
      try context.expect(!(try store.delete(Car.self, id: 4)), "a truck is no car")
      try context.expectEqual(try store.delete(Car.self, ids: [1, 3, 4]), 1)
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1, 2, 4, 5])
      try context.expectEqual(try store.deleteAll(Car.self), 2)
      try context.expect(try store.delete(Vehicle.self, id: 4), "a vehicle")
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1])
      try store.insert(Truck(3, "t"))
      try context.expectEqual(try store.deleteAll(Vehicle.self), 2)
    },
    ConformanceCase("unique rules hold where they are declared: there and below", "5.1", "5.11") {
      context in
      let store = try context.openVehicles()
      try context.expectError(.duplicate, entity: "Truck", attributes: ["name"]) {
        try store.insert(Truck(9, "ant"))
      }
      try context.expectError(.duplicate, entity: "SportsCar", attributes: ["plate"]) {
        try store.insert(SportsCar(9, "x", plate: "A"))
      }
      try store.insert([Car(9, "x"), Car(10, "y")])
      try store.save([Car(2, "bee", plate: "Q"), Car(5, "ant", plate: "A")])
      try context.expectEqual(
        try store.find(Vehicle.self, 5)?.name, "ant", "swapped in one operation")
      try context.expectError(.duplicate, attributes: ["plate"]) {
        try store.update(Car.all) { $0.plate = "same" }
      }
    },
    ConformanceCase(
      "a batch of a subentity may be of any size, and is one operation", "5.1", "5.3", "5.11"
    ) {
      context in
      let store = try context.openVehicles()
      // Rows that belong together are far apart: names are exchanged, and a sports car stays one.
      let new = (100..<1_150).map { Car($0, "c\($0)") }
      let far = [Car(3, "dash", doors: 4, plate: "Z"), Car(5, "ant", plate: "A")]
      let counts = try store.save([Car(2, "bee", plate: "Q")] + new + far).counts
      try context.expectEqual([counts.updated, counts.inserted], [3, 1_050])
      try context.expectEqual(
        try store.fetch(Car.all.where { $0.id < 100 }).map(\.name), ["bee", "dash", "ant"])
      try context.expectEqual(try store.fetch(SportsCar.all).map(\.speed), [310])
      try context.expectEqual(try store.count(Car.all), 1_053)
      let others = (2_000..<3_100).map { Car($0, "d\($0)") }
      try context.expectError(.duplicate, entity: "Car", key: [.int(4)]) {
        try store.save(others + [Car(4, "a truck's")])
      }
      try context.expectError(.duplicate, attributes: ["plate"]) {
        try store.insert(others + [Car(4_000, "e", plate: "A")])
      }
      try context.expectEqual(try store.count(Vehicle.all), 1_055, "nothing of either was written")
    },
    ConformanceCase("required attributes and defaults are the subentity's", "5.4", "5.11") {
      context in
      let store = try context.openVehicles()
      try context.expectError(.missingValue, entity: "Car", attributes: ["doors"]) {
        try store.write { try $0.save([DynamicRow("Car", ["id": .int(9), "name": .string("x")])]) }
      }
      try store.write {
        try $0.save([DynamicRow("Truck", ["id": .int(9), "name": .string("x")])])
        try $0.save([DynamicRow("Car", ["id": .int(3), "name": .string("y")])])
        try $0.save([DynamicRow("Vehicle", ["id": .int(10), "name": .string("z")])])
      }
      try context.expectEqual(try store.find(Truck.self, 9)?.load, 1)
      try context.expectEqual(try store.find(SportsCar.self, 3)?.name, "y")
      try context.expectEqual(try store.find(SportsCar.self, 3)?.doors, 2)
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1, 2, 3, 4, 5, 9, 10])
      try context.expectEqual(try store.count(Car.all), 3)
      try context.expectError(.missingValue, entity: "Car", attributes: ["doors"]) {
        try store.patch(Car.self, 20, onMissing: .insert) { $0.name = "w" }
      }
      try store.patch(Car.self, 20, onMissing: .insert) {
        $0.name = "w"
        $0.doors = 1
      }
      try context.expectEqual(try store.find(Car.self, 20)?.doors, 1)
    },
    ConformanceCase(
      "a failed operation of a hierarchy leaves nothing; reads in a write see it", "5.5", "5.11"
    ) {
      context in
      let store = try context.openVehicles()
      let before = try store.vehicleRows()
      try context.expectError(.duplicate) {
        try store.write { transaction in
          try transaction.insert(Truck(30, "thirty"))
          guard try transaction.fetch(Truck.all).map(\.id) == [4, 30] else { return }
          try transaction.insert([Car(31, "c"), Car(32, "ox")])
        }
      }
      try context.expectEqual(try store.vehicleRows(), before)
      let stream = try store.read { transaction in
        var names: [String] = []
        try transaction.chunks(Car.all, size: 2) { names.append(contentsOf: $0.map(\.name)) }
        return names
      }
      try context.expectEqual(stream, ["ant", "bolt", "bee"])
    },
    ConformanceCase("check and explain know subentities", "7.3", "5.11", "7.7") { context in
      let store = try context.openVehicles()
      let report = try store.check(decoding: [
        Vehicle.self, Car.self, SportsCar.self, Truck.self,
      ])
      try context.expect(report.isSound, "\(report)")
      try context.expectEqual(report.rows.map(\.count), [5])
      _ = try store.explain(Car.all.where { $0.doors == 3 }, analyze: true)
    },
  ]

  /// Returns an object's type with the attributes that identify it.
  private static func described(_ object: any Persistable) -> String {
    switch object {
    case let car as SportsCar: "SportsCar \(car.id) \(car.speed)"
    case let car as Car: "Car \(car.id) \(car.doors)"
    case let truck as Truck: "Truck \(truck.id) \(truck.doors ?? "")"
    case let vehicle as Vehicle: "Vehicle \(vehicle.id)"
    default: "\(object)"
    }
  }
}

extension ConformanceContext {
  /// A store of vehicles with a row of every kind.
  func openVehicles() throws -> any Store {
    let store = try open(Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self))
    try store.insert(Vehicle(1, "bike", wheels: 2))
    try store.insert([Car(2, "ant", doors: 3, plate: "A"), Car(5, "bee", wheels: 3)])
    try store.insert(SportsCar(3, "bolt", plate: "B", speed: 310))
    try store.save(Truck(4, "ox", load: 12, doors: "two"))
    return store
  }
}

extension Store {
  /// Everything that is held of vehicles.
  func vehicleRows() throws -> [DynamicRow] {
    try read { try $0.fetch(DynamicQuery("Vehicle")) }
  }
}
