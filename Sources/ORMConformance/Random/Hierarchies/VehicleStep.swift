internal import ORM

/// One step of a random run over vehicles, done to a store and to the naive model alike.
struct VehicleStep: CustomStringConvertible {
  enum Operation {
    case save([(id: Int64, row: NaiveVehicles.Row)], inserting: Bool)
    case rename(String, wheels: Int)
    case plate(String, wheels: Int)
    case delete(Int64)
    case deleteAll(wheels: Int)
  }

  let kind: NaiveVehicles.Kind
  let operation: Operation

  var description: String { "\(kind.rawValue): \(operation)" }

  /// A step that does something as a rule.
  static func make(_ random: inout SeededGenerator) -> VehicleStep {
    let kind = random.pick(NaiveVehicles.Kind.allCases)
    let wheels = random.number(2...5)
    switch random.number(0...9) {
    case 0: return VehicleStep(kind: kind, operation: .rename(name(&random), wheels: wheels))
    case 1:
      return VehicleStep(
        kind: random.pick([.car, .sportsCar]), operation: .plate("p", wheels: wheels))
    case 2, 3: return VehicleStep(kind: kind, operation: .delete(Int64(random.number(1...12))))
    case 4 where random.chance(3):
      return VehicleStep(kind: kind, operation: .deleteAll(wheels: wheels))
    default:
      let objects = (0..<random.number(1...3)).map { _ in
        (id: Int64(random.number(1...12)), row: row(kind, &random))
      }
      return VehicleStep(kind: kind, operation: .save(objects, inserting: random.chance(4)))
    }
  }

  private static func name(_ random: inout SeededGenerator) -> String {
    "n\(random.number(0...60))"
  }

  private static func row(
    _ kind: NaiveVehicles.Kind, _ random: inout SeededGenerator
  ) -> NaiveVehicles.Row {
    var row = NaiveVehicles.Row(kind: kind, name: name(&random))
    row.wheels = random.chance(5) ? nil : random.number(2...5)
    if kind.isOf(.car) {
      row.doors = random.number(0...4)
      row.plate = random.chance(2) ? nil : "p\(random.number(0...20))"
    }
    if kind == .sportsCar {
      row.wheels = 4
      row.speed = Double(random.number(0...3))
    }
    if kind == .truck { row.load = Double(random.number(0...3)) }
    return row
  }

  /// Applies the step to the naive model; returns the result of the operation.
  func run(on vehicles: inout NaiveVehicles) throws -> Int {
    switch operation {
    case .save(let objects, let inserting):
      try vehicles.save(objects, inserting: inserting)
      return objects.count
    case .rename(let name, let wheels):
      return try vehicles.update(kind, name: name, plate: nil) { $0.wheels == wheels }
    case .plate(let plate, let wheels):
      return try vehicles.update(kind, name: nil, plate: plate) { $0.wheels == wheels }
    case .delete(let id): return vehicles.delete(kind) { key, _ in key == id }
    case .deleteAll(let wheels): return vehicles.delete(kind) { $1.wheels == wheels }
    }
  }

  /// Does the step to a store.
  func run(on store: any Store) throws -> Int {
    switch kind {
    case .vehicle: try run(on: store) { Vehicle($0, $1) }
    case .car: try run(on: store) { Car($0, $1) }
    case .sportsCar: try run(on: store) { SportsCar($0, $1) }
    case .truck: try run(on: store) { Truck($0, $1) }
    }
  }

  private func run<Model: VehicleModel>(
    on store: any Store, _ make: (Int64, String) -> Model
  ) throws -> Int {
    func have(_ wheels: Int) -> Condition {
      .compare(.attribute("wheels"), .equal, .value(.int(Int64(wheels))), [])
    }
    switch operation {
    case .save(let objects, let inserting):
      let models = objects.map { id, row in
        var model = make(id, row.name)
        model.take(row)
        return model
      }
      if models.count == 1 {
        _ = inserting ? try store.insert(models[0]) : try store.save(models[0])
      } else {
        _ = inserting ? try store.insert(models) : try store.save(models)
      }
      return objects.count
    case .rename(let name, let wheels):
      return try store.write {
        try $0.update(
          DynamicQuery(kind.rawValue, where: have(wheels)),
          ["name": .value(.string(name))])
      }
    case .plate(let plate, let wheels):
      return try store.write {
        try $0.update(
          DynamicQuery(kind.rawValue, where: have(wheels)),
          ["plate": .value(.string(plate))])
      }
    case .delete(let id): return try store.delete(Model.self, ids: [id])
    case .deleteAll(let wheels): return try store.delete(Model.all.where(Filter(have(wheels))))
    }
  }
}

/// A model of the hierarchy that a naive row can be poured into.
protocol VehicleModel: PrimaryKeyed where ID == Int64 {
  mutating func take(_ row: NaiveVehicles.Row)
}

extension Vehicle: VehicleModel {
  mutating func take(_ row: NaiveVehicles.Row) { wheels = row.wheels }
}

extension Car: VehicleModel {
  mutating func take(_ row: NaiveVehicles.Row) {
    wheels = row.wheels
    doors = row.doors ?? 0
    plate = row.plate
  }
}

extension SportsCar: VehicleModel {
  mutating func take(_ row: NaiveVehicles.Row) {
    wheels = row.wheels
    doors = row.doors ?? 0
    plate = row.plate
    speed = row.speed ?? 0
  }
}

extension Truck: VehicleModel {
  mutating func take(_ row: NaiveVehicles.Row) {
    wheels = row.wheels
    load = row.load ?? 0
  }
}
