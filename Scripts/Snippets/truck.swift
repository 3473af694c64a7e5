struct Truck: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var load: Double
  static let entity = Entity<Truck>("Truck", parent: Vehicle.self) {
    .key("id", \.id).attribute("name", \.name).attribute("load", \.load)
  }
}

// SNIPPET
