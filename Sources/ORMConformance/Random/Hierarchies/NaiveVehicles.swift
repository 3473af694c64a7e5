internal import ORM

/// Vehicles of every kind in a dictionary, with the operations that a store of them must match.
struct NaiveVehicles {
  /// The kinds, each after the one above it.
  enum Kind: String, CaseIterable {
    case vehicle = "Vehicle"
    case car = "Car"
    case sportsCar = "SportsCar"
    case truck = "Truck"

    /// Returns whether rows of this kind are rows of another too.
    func isOf(_ other: Kind) -> Bool {
      switch (self, other) {
      case (_, .vehicle), (.sportsCar, .car): true
      default: self == other
      }
    }
  }

  /// The attributes of every kind; those that the row's kind lacks are nil.
  struct Row: Equatable {
    var kind: Kind
    var name: String
    var wheels: Int?
    var doors: Int?
    var plate: String?
    var speed: Double?
    var load: Double?

    /// The row as objects of a kind above or at its own show it.
    func seen(as kind: Kind) -> String {
      let wheels = wheels.map { "\($0)" } ?? "nil"
      let shared = "\(name) \(wheels)"
      let car = "\(shared) \(doors ?? 0) \(plate ?? "nil")"
      return switch kind {
      case .vehicle: shared
      case .car: car
      case .sportsCar: "\(car) \(speed ?? 0)"
      case .truck: "\(shared) \(load ?? 0)"
      }
    }
  }

  /// The reason why an operation is refused.
  struct Refusal: RandomRefusal {
    var code: StoreError.Code
    var codes: Set<StoreError.Code> { [code] }
  }

  private(set) var rows: [Int64: Row] = [:]

  /// The rows of a kind, in the order of the key.
  func rows(of kind: Kind) -> [(id: Int64, row: Row)] {
    rows.filter { $0.value.kind.isOf(kind) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Saves objects of one kind, as one operation.
  mutating func save(_ objects: [(id: Int64, row: Row)], inserting: Bool) throws {
    var after = rows
    for (id, given) in objects {
      guard var row = after[id] else {
        after[id] = given
        continue
      }
      guard !inserting, row.kind.isOf(given.kind) else { throw Refusal(code: .duplicate) }
      row.name = given.name
      row.wheels = given.wheels
      if given.kind != .vehicle && given.kind != .truck {
        row.doors = given.doors
        row.plate = given.plate
      }
      if given.kind == .sportsCar { row.speed = given.speed }
      if given.kind == .truck { row.load = given.load }
      after[id] = row
    }
    try replace(after)
  }

  /// Gives rows of a kind another name, number of wheels or plate.
  mutating func update(_ kind: Kind, name: String?, plate: String?, where fits: (Row) -> Bool)
    throws
    -> Int
  {
    var after = rows
    var count = 0
    for (id, row) in rows where row.kind.isOf(kind) && fits(row) {
      count += 1
      if let name { after[id]?.name = name }
      if let plate { after[id]?.plate = plate }
    }
    try replace(after)
    return count
  }

  /// Deletes rows of a kind.
  mutating func delete(_ kind: Kind, where fits: (Int64, Row) -> Bool) -> Int {
    let going = rows.filter { $0.value.kind.isOf(kind) && fits($0.key, $0.value) }.keys
    for id in going { rows[id] = nil }
    return going.count
  }

  /// Unique rules hold at the end of an operation: names among all, plates among cars.
  private mutating func replace(_ after: [Int64: Row]) throws {
    let names = after.values.map(\.name)
    let plates = after.values.compactMap(\.plate)
    guard Set(names).count == names.count, Set(plates).count == plates.count else {
      throw Refusal(code: .duplicate)
    }
    rows = after
  }
}
