import ORMExchange

/// The root of a hierarchy, with relationships that all kinds of its rows have.
struct Vehicle: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var wheels: Int?
  var maker: ToOne<Maker> = ToOne()
  var follows: ToOne<Vehicle> = ToOne()
  var partners: ToMany<Maker> = ToMany()

  static let entity = Entity<Vehicle>("Vehicle") {
    .key("id", \.id)
      .attribute("name", \.name, .unique)
      .attribute("wheels", \.wheels)
      .relationship("maker", \.maker)
      .relationship("follows", \.follows)
      .relationship("partners", \.partners, shared: true)
  }
}

/// A kind with a link of its own, and a kind below it.
struct Car: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var wheels: Int?
  var doors: Int
  var spare: ToOne<Car> = ToOne()

  static let entity = Entity<Car>("Car", parent: Vehicle.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("doors", \.doors)
      .relationship("spare", \.spare)
  }
}

/// A kind two levels below the root.
struct SportsCar: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var wheels: Int?
  var doors: Int
  var topSpeed: Double = 100

  static let entity = Entity<SportsCar>("SportsCar", parent: Car.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("doors", \.doors)
      .attribute("topSpeed", \.topSpeed, .default(100))
  }
}

/// A kind with a mapping of its own, and an attribute that is another one's in a car.
struct Van: PrimaryKeyed, Codable, Hashable, JSONMapped {
  var id: Int64
  var name: String
  var wheels: Int?
  var load: Double = 1
  var doors: String?

  static let entity = Entity<Van>("Van", parent: Vehicle.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("load", \.load, .default(1))
      .attribute("doors", \.doors)
  }

  static let json = JSONMapping(Van.self).field(\.name, from: "label")
}

extension Schema {
  /// The models of imports of several kinds.
  static var vehicles: Schema {
    get throws {
      try Schema(
        Vehicle.self, Car.self, SportsCar.self, Van.self, Maker.self, ImportCheckpoint.self)
    }
  }
}

extension JSONMapping<Vehicle> {
  /// A mapping of all kinds.
  static var vehicles: JSONMapping<Vehicle> { vehicles(otherwise: .refuse) }

  static func vehicles(otherwise: JSONUnknownKind) -> JSONMapping<Vehicle> {
    plainVehicles(otherwise: otherwise).keys(\.partners)
  }

  /// A mapping of all kinds that is of use by names.
  static var plainVehicles: JSONMapping<Vehicle> { plainVehicles(otherwise: .refuse) }

  static func plainVehicles(otherwise: JSONUnknownKind) -> JSONMapping<Vehicle> {
    JSONMapping(Vehicle.self, names: .snakeCase).kind(
      in: "type",
      [
        "car": Car.self, "coupe": Car.self, "sports": SportsCar.self, "van": Van.self,
        "vehicle": Vehicle.self,
      ], otherwise: otherwise)
  }
}

extension Store {
  /// Every vehicle as a text, such as `Car 1 ant wheels 4 doors 3 maker 7`.
  func vehicles() throws -> [String] {
    try zip(fetch(Vehicle.all, as: .concrete), fetch(Vehicle.all.prefetch(\.partners))).map {
      object, vehicle in
      var text = "\(type(of: object)) \(vehicle.id) \(vehicle.name)"
      if let wheels = vehicle.wheels { text += " wheels \(wheels)" }
      switch object {
      case let car as Car: text += " doors \(car.doors)"
      case let car as SportsCar: text += " doors \(car.doors) speed \(car.topSpeed)"
      case let van as Van: text += " load \(van.load)" + (van.doors.map { " doors '\($0)'" } ?? "")
      default: break
      }
      if let id = vehicle.maker.id { text += " maker \(id)" }
      if let id = vehicle.follows.id { text += " follows \(id)" }
      if let spare = try find(Car.self, vehicle.id)?.spare.id { text += " spare \(spare)" }
      let partners = vehicle.partners.ids ?? []
      if !partners.isEmpty { text += " partners \(partners.sorted())" }
      return text
    }
  }
}
