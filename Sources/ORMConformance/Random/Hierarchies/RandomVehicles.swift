internal import ORM

extension RandomRun {
  /// Writes to a hierarchy of entities: every entity of it shows the rows that the naive model has.
  public static let hierarchies = RandomRun(
    "hierarchies", ["5.1", "4.1"], usualCount: 60
  ) { round in
    let store = try round.store(
      try Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self), durability: .full)
    var vehicles = NaiveVehicles()
    for number in 0..<round.repetitions(25, ofRows: 200) {
      var step = VehicleStep.make(&round.random)
      if number == 0, round.size != nil {
        // A large round begins with vehicles of one kind.
        let objects = round.largeKeys.map { (id: Int64($0), row: largeRow($0, step.kind)) }
        step = VehicleStep(kind: step.kind, operation: .save(objects, inserting: true))
      }
      round.steps.append("\(step)")
      let expected = RandomRound.outcome { try step.run(on: &vehicles) }
      try RandomDifference.check(
        "outcome", RandomRound.outcome { try step.run(on: store) }, expected)
      for kind in NaiveVehicles.Kind.allCases {
        let wanted = vehicles.rows(of: kind)
        try RandomDifference.check(
          lines: lines(of: kind, in: store), wanted.map { "\($0.id) \($0.row.seen(as: kind))" },
          kind.rawValue)
        try RandomDifference.check(
          "count of \(kind.rawValue)", try store.count(of: kind), wanted.count)
      }
      try RandomDifference.check(
        "what they are", try store.fetch(Vehicle.all, as: .concrete).map { "\(type(of: $0))" },
        vehicles.rows(of: .vehicle).map(\.row.kind.rawValue))
      if number == 0 { try round.measure(store) }
    }
    try round.check(store, decoding: [Vehicle.self, Car.self, SportsCar.self, Truck.self])
  }

  /// A row of a kind, with a name of its own.
  private static func largeRow(_ key: Int, _ kind: NaiveVehicles.Kind) -> NaiveVehicles.Row {
    var row = NaiveVehicles.Row(kind: kind, name: "v\(key)", wheels: 4)
    if kind.isOf(.car) { row.doors = key % 5 }
    if kind == .sportsCar { row.speed = 1 }
    if kind == .truck { row.load = 1 }
    return row
  }

  /// The rows that an entity shows, in words.
  private static func lines(
    of kind: NaiveVehicles.Kind, in store: any Store
  ) throws -> [String] {
    func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
    return switch kind {
    case .vehicle: try store.fetch(Vehicle.all).map { "\($0.id) \($0.name) \(text($0.wheels))" }
    case .car:
      try store.fetch(Car.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.doors) \(text($0.plate))"
      }
    case .sportsCar:
      try store.fetch(SportsCar.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.doors) \(text($0.plate)) \($0.speed)"
      }
    case .truck:
      try store.fetch(Truck.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.load)"
      }
    }
  }
}

extension Store {
  fileprivate func count(of kind: NaiveVehicles.Kind) throws -> Int {
    try read { try $0.count(DynamicQuery(kind.rawValue)) }
  }
}
