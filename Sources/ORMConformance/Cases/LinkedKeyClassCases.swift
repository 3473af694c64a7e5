internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 5.15: keys of to-ones of class models, to subentities, under soft deletes and imports.
  static let linkedKeyClasses: [ConformanceCase] = [
    ConformanceCase(
      "a class model whose key is a class model and a subentity", "5.5", "5.11", "5.14", "5.15"
    ) { context in
      let store = try context.openGarage()
      let ann = Chauffeur("Ann")
      let stint = Stint(.to(ann), .key(3), hours: 3)
      try context.expectEqual(try store.save(stint).id, Stint.ID(2, 3))
      try context.expectEqual([ann.id, stint.id.chauffeur, stint.id.car], [2, 2, 3])
      let found = try context.unwrap(
        try store.find(Stint.self, .init(2, 3), prefetch: \.chauffeur, \.car), "by key")
      try context.expectEqual(found.chauffeur.loaded?.name, "Ann")
      try context.expectEqual(found.car.loaded, Car(3, "coupe", doors: 2), "a row of a kind below")
      try context.expectEqual(
        try store.fetch(Stint.all.where { $0.car.name == "coupe" }).map(\.hours), [3])
      // The owner of a to-many is the part that is left out.
      let bo = Chauffeur("Bo", stints: [Stint(ToOne(), .key(2)), Stint(ToOne(), .key(9))])
      try context.expectError(.missingTarget, entity: "Stint") { try store.save(bo) }
      try context.expectEqual(bo.id, 0, "taken back")
      bo.stints = [Stint(ToOne(), .key(2), hours: 5), Stint(ToOne(), .key(3))]
      try store.save(bo)
      try context.expectEqual(bo.stints.loaded?.map(\.id), [.init(3, 2), .init(3, 3)])
      let fetched = try context.unwrap(
        try store.find(Chauffeur.self, 3, prefetch: \.stints), "the owner")
      try context.expect(
        fetched.stints.loaded?.allSatisfy { $0.chauffeur.loaded === fetched } == true,
        "one instance")
      try context.expectError(.missingTarget, entity: "Stint", attributes: ["car"]) {
        try store.save(Stint(.key(1), .key(1)))
      }
      try context.expectError(.missingTarget, entity: "Stint", attributes: ["car"]) {
        try store.save(Stint(.key(1), .key(99)))
      }
      // Both ends delete their rows too, through any entity by which they are deleted.
      try store.delete(Vehicle.self, id: 3)
      try context.expectEqual(try store.fetch(Stint.all).map(\.id), [.init(1, 2), .init(3, 2)])
      try store.delete(Chauffeur.self, id: 3)
      try context.expectEqual(try store.fetch(Stint.all).map(\.id), [.init(1, 2)])
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("rows whose key is to-ones are hidden and restored", "5.9", "5.15") { context in
      let store = try context.openGarage()
      try store.save([Stint(.key(1), .key(3), hours: 2)])
      let key = Stint.ID(1, 2)
      try context.expect(try store.delete(Stint.self, id: key), "hidden")
      try context.expect(try store.find(Stint.self, key) == nil, "not found")
      try context.expectEqual(try store.fetch(Stint.all).map(\.hours), [2])
      try context.expectEqual(try store.fetch(Stint.all.onlyDeleted()).map(\.id), [key])
      try context.expectEqual(
        try store.find(Chauffeur.self, 1, prefetch: \.stints)?.stints.ids, [.init(1, 3)])
      let error = try context.expectError(.duplicate, entity: "Stint") {
        try store.insert(Stint(.key(1), .key(2)))
      }
      try context.expect(error.message.contains("soft-deleted"), error.message)
      try context.expectEqual(try Stint.where(id: key).restore(in: store), 1, "restored")
      try context.expectEqual(try store.fetch(Stint.all).map(\.hours), [1, 2])
      try store.delete(Stint.all)
      try context.expectEqual(try store.purge(Stint.all.where { $0.hours == 2 }), 1)
      // A hidden row is purged with the row that its key leads to.
      try store.delete(Chauffeur.self, id: 1)
      try context.expectEqual(try store.count(Stint.all.includingDeleted()), 0)
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("a save by match of rows whose key is to-ones", "5.2", "5.4", "5.15") {
      context in
      let store = try context.openGarage()
      let counts = try store.save(
        Stint(.key(1), .key(3), hours: 8, note: "x"), matching: \.hours == 1)
      try context.expectEqual(counts.updated, 1)
      try context.expectEqual(try store.fetch(Stint.all).map(\.id), [.init(1, 2)], "its own key")
      try context.expectEqual(try store.fetch(Stint.all).map(\.hours), [8])
      try context.expectEqual(
        try store.save(Stint(.key(1), .key(3), hours: 4), matching: \.hours == 4).inserted, 1)
      try context.expectEqual(try store.find(Stint.self, .init(1, 3))?.hours, 4)
      try context.expectEqual(
        try store.save(Stint(.key(1), .key(2), hours: 9), matchingOn: \.note).updated, 1,
        "without a note")
      try context.expectEqual(try store.find(Stint.self, .init(1, 3))?.hours, 9)
      let match = BatchMatch<Casting>(equal: [], contain: [\.fee])
      let theatre = try context.openTheatre()
      _ = try theatre.save(
        [Casting(3, "Bonn", 2023, fee: 12), Casting(3, "Ulm", 2023, fee: 50)], matching: match)
      try context.expectEqual(
        try theatre.fetch(Casting.all.where { $0.fee.isIn([12, 50]) }).map(\.id),
        [.init(1, .init("Bonn", 2024)), .init(3, .init("Ulm", 2023))])
    },
    ConformanceCase("JSON of rows whose key is to-ones is imported", "5.3", "5.4", "5.15") {
      context in
      let store = try context.openTheatre()
      let json = """
        [
          {"performer": 1, "production": {"city": "Bonn", "year": 2023}, "fee": 99},
          {"performer": 3, "production": {"city": "Ulm", "year": 2023}},
          {"performer": 2, "production": {"city": "Bonn", "year": 2023}, "fee": 23}
        ]
        """
      let castings = try JSONDecoder().decode([Casting].self, from: Data(json.utf8))
      try context.expectEqual(castings.map(\.id.performer), [1, 3, 2])
      let result = try store.save(castings, merge: .skippingNil)
      try context.expectEqual([result.counts.updated, result.counts.inserted], [1, 2])
      try context.expectEqual(result.keys.map(\.performer), [1, 3, 2])
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.production == Production.ID("Bonn", 2023) })
          .map(\.fee), [99, 23])
      // The rows of an owner are named by their keys.
      func owner(_ cities: [String]) throws -> Performer {
        let keys = cities.map {
          #"{"performer_id": 2, "production_city": "\#($0)", "production_year": 2023}"#
        }
        let text = #"{"id": 2, "name": "Bob", "castings": [\#(keys.joined(separator: ","))]}"#
        return try JSONDecoder().decode(Performer.self, from: Data(text.utf8))
      }
      try context.expectError(.missingValue, entity: "Casting") {
        try store.save(try owner(["Bonn"]))
      }
      try store.delete(Casting.self, id: .init(2, .init("Bonn", 2024)))
      try store.save(try owner(["Ulm", "Bonn"]))
      try context.expectEqual(try store.find(Performer.self, 2)?.name, "Bob")
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.performer.id == 2 }).map(\.fee), [23, 22])
      try context.expect(try store.check().isSound, "sound")
    },
  ]
}

extension ConformanceContext {
  /// A chauffeur, a car, a sports car, and a stint of an hour on the car.
  func openGarage() throws -> any Store {
    let store = try open(
      Vehicle.self, Car.self, SportsCar.self, Truck.self, Chauffeur.self, Stint.self)
    try store.insert(Vehicle(1, "bike", wheels: 2))
    try store.insert(Car(2, "golf"))
    try store.insert(SportsCar(3, "coupe"))
    try store.save(Chauffeur("Al"))
    try store.save(Stint(.key(1), .key(2)))
    return store
  }
}
