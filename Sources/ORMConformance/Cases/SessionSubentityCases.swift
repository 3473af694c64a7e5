internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: sessions over subentities.
  static let sessionSubentities: [ConformanceCase] = [
    ConformanceCase(
      "a subentity is edited, inserted, deleted and undone in a session", "11.9", "11.11", "11.13",
      "5.11"
    ) { context in
      let store = try context.openFleet()
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let golf = try context.unwrap(try session.find(Car.self, 2), "the car")
      let coupe = try context.unwrap(try session.find(SportsCar.self, 3), "the sports car")
      try context.expect(try session.find(SportsCar.self, 2) == nil, "a car is no sports car")
      golf.name = "polo"
      golf.doors = 3
      try context.expectEqual(golf.changedAttributes, ["name", "doors"])
      let change = try context.unwrap(session.changes[Car.self].rows.first, "a change")
      try context.expectEqual(change.row.attributes, ["name", "doors"])
      try context.expectEqual(try change.new(), Car(2, "polo", doors: 3))
      let small = session.insert(Car(5, "ka", doors: 3))
      try session.delete(coupe)
      try session.save()
      try context.expectEqual(
        try store.fetch(Car.all), [Car(2, "polo", doors: 3), Car(5, "ka", doors: 3)])
      try context.expectEqual(
        try store.fetch(Vehicle.all).map(\.name), ["bike", "polo", "truck", "ka"])
      try context.expect(coupe.isDeleted && !small.isInserted, "saved")
      try context.expectEqual(try session.find(Vehicle.self, 5)?.name, "ka")
      while session.undo() {}
      try context.expectEqual(golf.value, Car(2, "golf"))
      try context.expect(small.isDeleted && !coupe.isDeleted, "undone")
      try session.save()
      try context.expectEqual(
        try store.fetch(Vehicle.all).map(\.name), ["bike", "golf", "coupe", "truck"])
      try context.expectEqual(try store.find(SportsCar.self, 3)?.speed, 250, "as what it is")
    },
    ConformanceCase(
      "a link by key leads to an object of a subentity that the same save inserts", "5.8", "5.11",
      "11.11"
    ) { context in
      let store = try context.openBeasts()
      let session = Session(store)
      let den = try context.unwrap(try session.find(Den.self, 1), "the den")
      let tag = try context.unwrap(try session.find(BeastTag.self, 1), "the tag")
      session.insert(Cub(20, "x", lion: .key(3)))
      session.insert(Lion(21, "y"))
      tag.beast = .key(20)
      den.beasts = ToMany.keys([20, 21])
      try session.save()
      try context.expectEqual(try store.find(BeastTag.self, 1)?.beast.id, 20)
      try context.expectEqual(
        try store.fetch(Beast.all.where { $0.den.id == 1 }).map(\.id), [20, 21])
      try context.expectEqual(try store.find(Cub.self, 20)?.lion.id, 3)
      try store.save(Den(2, beasts: .keys([30]), pets: [Cub(30, "w", lion: .key(3))]))
      try context.expectEqual(try store.find(Beast.self, 30)?.den.id, 2, "in a graph as well")
      tag.beast = .key(25)
      try context.expectError(.missingTarget, entity: "BeastTag", attributes: ["beast"]) {
        try session.save()
      }
      try context.expect(try store.check().isSound, "\(try store.check())")
    },
    ConformanceCase(
      "a row of a subentity has a handle of each model, and all are saved", "11.10", "11.11",
      "5.11"
    ) { context in
      let store = try context.openFleet()
      let session = Session(store)
      let vehicle = try context.unwrap(try session.find(Vehicle.self, 3), "the vehicle")
      let car = try context.unwrap(try session.find(Car.self, 3), "the car")
      let coupe = try context.unwrap(try session.find(SportsCar.self, 3), "the sports car")
      vehicle.name = "gt"
      car.doors = 4
      coupe.speed = 280
      try context.expectEqual(car.name, "coupe", "each shows its own changes")
      try session.save()
      try context.expectEqual(
        try store.find(SportsCar.self, 3), SportsCar(3, "gt", doors: 4, speed: 280))
      try context.expectEqual(coupe.value, SportsCar(3, "gt", doors: 4, speed: 280))
      try context.expectEqual(car.value, Car(3, "gt", doors: 4))
      try context.expectEqual(vehicle.value, Vehicle(3, "gt", wheels: 4))
      try context.expect(!session.hasChanges, "all is saved")
      vehicle.name = "same"
      car.name = "same"
      coupe.doors = 2
      try session.save()
      try context.expectEqual(
        try store.find(SportsCar.self, 3), SportsCar(3, "same", doors: 2, speed: 280))
      vehicle.name = "one"
      car.name = "other"
      let error = try context.expectError(.conflictingLinks, attributes: ["name"], key: [.int(3)]) {
        try session.save()
      }
      try context.expect(["Vehicle", "Car"].contains(error.entity ?? ""), "\(error)")
      try context.expectEqual(try store.find(Vehicle.self, 3)?.name, "same", "nothing is written")
      try context.expectEqual(vehicle.changedAttributes + car.changedAttributes, ["name", "name"])
      session.rollback()
      coupe.speed = 1
      try session.delete(vehicle)
      try context.expect(!car.isDeleted, "before the save")
      try session.save()
      try context.expect(car.isDeleted && coupe.isDeleted, "the row is gone")
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [1, 2, 4])
    },
    ConformanceCase(
      "handles of a subentity and of its root follow the row", "11.10", "5.11"
    ) { context in
      let store = try context.openFleet()
      let session = Session(store)
      let vehicle = try context.unwrap(try session.find(Vehicle.self, 2), "the vehicle")
      let car = try context.unwrap(try session.find(Car.self, 2), "the car")
      let base = try context.unwrap(try session.find(Car.self, 3), "the sports car as a car")
      let truck = try context.unwrap(try session.find(Truck.self, 4), "the truck")
      try store.patch(Car.self, 2) {
        $0.name = "polo"
        $0.doors = 3
      }
      try context.expectEqual(vehicle.name, "polo", "the root's handle")
      try context.expectEqual(car.value, Car(2, "polo", doors: 3))
      try store.update(Vehicle.all) { $0.wheels = 8 }
      try store.update(SportsCar.all) { $0.doors = 1 }
      try context.expectEqual([car.wheels, base.wheels, truck.wheels], [8, 8, 8])
      try context.expectEqual(base.doors, 1, "a row of a kind below")
      try store.patch(Car.self, 2) { $0.doors = 2 }
      try session.refresh(car)
      try context.expectEqual(car.doors, 2)
      try store.patch(Vehicle.self, 2) { $0.name = "up" }
      try session.refresh(vehicle)
      try session.refresh()
      try context.expectEqual([vehicle.name, car.name], ["up", "up"])
      truck.load = 3
      try store.delete(Vehicle.self, id: 4)
      try store.delete(Vehicle.self, id: 3)
      try context.expect(base.isDeleted && !truck.isDeleted && truck.isStale, "by the root")
    },
    ConformanceCase("handles follow a row that becomes another kind", "11.10", "5.11") { context in
      let store = try context.openFleet()
      let session = Session(store)
      let vehicles = try session.fetch(Vehicle.all)
      let cars = try session.fetch(Car.all)
      let coupe = try context.unwrap(try session.find(SportsCar.self, 3), "the sports car")
      let truck = try context.unwrap(try session.find(Truck.self, 4), "the truck")
      try context.expectEqual(cars.map(\.id), [2, 3])
      // In the order of the schema, the deletes come before the inserts or after them.
      try store.write { tx in
        for id: Int64 in 1...4 { try tx.delete(Vehicle.self, id: id) }
        try tx.insert(Truck(1, "one"))
        try tx.insert(SportsCar(2, "two"))
        try tx.insert(Car(3, "three"))
        try tx.insert(Vehicle(4, "four"))
      }
      try context.expect(!session.hasChanges, "followed")
      try context.expectEqual(vehicles.map(\.isDeleted), [false, false, false, false])
      try context.expectEqual(vehicles.map(\.name), ["one", "two", "three", "four"])
      try context.expectEqual(cars.map(\.isDeleted), [false, false], "a sports car is a car")
      try context.expectEqual(cars.map(\.name), ["two", "three"])
      try context.expect(coupe.isDeleted && truck.isDeleted, "no sports car, and no truck")
      try context.expectEqual(try session.find(SportsCar.self, 2)?.name, "two")
    },
    ConformanceCase("a subentity conflicts by its own attributes and its root's", "11.12", "5.11") {
      context in
      let store = try context.openFleet()
      let session = Session(store)
      let vehicle = try context.unwrap(try session.find(Vehicle.self, 2), "the vehicle")
      let car = try context.unwrap(try session.find(Car.self, 2), "the car")
      vehicle.name = "mine"
      car.doors = 1
      try store.patch(Car.self, 2) {
        $0.name = "theirs"
        $0.doors = 9
      }
      let conflicts = try context.expectError(.conflict) { try session.save() }.conflicts
      try context.expectEqual(conflicts.map(\.entity), ["Vehicle", "Car"])
      try context.expectEqual(
        conflicts.flatMap(\.attributes),
        [
          ConflictedAttribute(
            name: "name", base: .string("golf"), mine: .string("mine"), theirs: .string("theirs")),
          ConflictedAttribute(name: "doors", base: .int(5), mine: .int(1), theirs: .int(9)),
        ])
      session.conflictPolicy = .storeWins
      try session.save()
      try context.expectEqual(car.value, Car(2, "theirs", doors: 9))
      try context.expectEqual(vehicle.name, "theirs")
      session.conflictPolicy = .throw
      vehicle.wheels = 3
      try store.patch(Car.self, 2) { $0.doors = 4 }
      try session.save()
      try context.expectEqual(
        try store.find(Car.self, 2), Car(2, "theirs", wheels: 3, doors: 4), "no conflict")
      car.doors = 2
      try store.delete(Vehicle.self, id: 2)
      let deleted = try context.expectError(.conflict) { try session.save() }.conflicts.first
      try context.expectEqual(deleted?.entity, "Car")
      try context.expectEqual(deleted?.kind, .deletedInStore)
      session.rollback()
      try session.refresh()
      try context.expect(car.isDeleted && vehicle.isDeleted, "gone")
      // The delete of one handle compares the row that it shows.
      let bike = try context.unwrap(try session.find(Vehicle.self, 1), "the bike")
      try session.delete(bike)
      try store.patch(Vehicle.self, 1) { $0.wheels = 1 }
      try context.expectError(.conflict, entity: "Vehicle") { try session.save() }
      session.conflictPolicy = .sessionWins
      try session.save()
      try context.expectEqual(try store.fetch(Vehicle.all).map(\.id), [3, 4])
    },
  ]
}

extension ConformanceContext {
  /// A bike, a car, a sports car and a truck, with the keys 1 to 4.
  fileprivate func openFleet() throws -> any Store {
    let store = try open(Vehicle.self, Car.self, SportsCar.self, Truck.self)
    try store.insert(Vehicle(1, "bike", wheels: 2))
    try store.insert(Car(2, "golf"))
    try store.insert(SportsCar(3, "coupe", speed: 250))
    try store.insert(Truck(4, "truck"))
    return store
  }
}
