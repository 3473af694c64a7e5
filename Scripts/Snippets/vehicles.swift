struct Vehicle: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  static let entity = Entity<Vehicle>("Vehicle") {
    .key("id", \.id).attribute("name", \.name)
  }
}

struct Car: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var doors: Int
  static let entity = Entity<Car>("Car", parent: Vehicle.self) {
    .key("id", \.id).attribute("name", \.name).attribute("doors", \.doors)
  }
}

struct Truck: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var load: Double
  static let entity = Entity<Truck>("Truck", parent: Vehicle.self) {
    .key("id", \.id).attribute("name", \.name).attribute("load", \.load)
  }
}

func use(_ store: any Store) throws {
  // SNIPPET
}
