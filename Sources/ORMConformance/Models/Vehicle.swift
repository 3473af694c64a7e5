internal import Foundation
internal import ORM

/// The root of a hierarchy.
struct Vehicle: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name: String
  var wheels: Int?

  init(_ id: Int64, _ name: String, wheels: Int? = nil) {
    self.id = id
    self.name = name
    self.wheels = wheels
  }

  static let entity = Entity<Vehicle>("Vehicle") {
    .key("id", \.id)
      .attribute("name", \.name, .unique)
      .attribute("wheels", \.wheels, .indexed)
  }
}

/// A subentity with subentities of its own.
struct Car: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name: String
  var wheels: Int?
  var doors: Int
  var plate: String?

  init(_ id: Int64, _ name: String, wheels: Int? = 4, doors: Int = 5, plate: String? = nil) {
    self.id = id
    self.name = name
    self.wheels = wheels
    self.doors = doors
    self.plate = plate
  }

  static let entity = Entity<Car>("Car", parent: Vehicle.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("doors", \.doors, .indexed)
      .attribute("plate", \.plate, .unique)
  }
}

/// A subentity two levels below the root, with a row initialiser by hand.
struct SportsCar: PrimaryKeyed, Equatable {
  var id: Int64
  var name: String
  var wheels: Int?
  var doors: Int
  var plate: String?
  var speed: Double

  init(
    _ id: Int64, _ name: String, doors: Int = 2, plate: String? = nil, speed: Double = 300
  ) {
    self.id = id
    self.name = name
    wheels = 4
    self.doors = doors
    self.plate = plate
    self.speed = speed
  }

  static let entity = Entity<SportsCar>("SportsCar", parent: Car.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("doors", \.doors)
      .attribute("plate", \.plate)
      .attribute("speed", \.speed)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    wheels = try row[2]
    doors = try row[3]
    plate = try row[4]
    speed = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(wheels, at: 2)
    try row.write(doors, at: 3)
    try row.write(plate, at: 4)
    try row.write(speed, at: 5)
  }
}

/// A subentity beside ``Car``, with an attribute of the same name and another type.
struct Truck: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name: String
  var wheels: Int?
  var load: Double
  var doors: String?

  init(
    _ id: Int64, _ name: String, wheels: Int? = 6, load: Double = 7.5, doors: String? = nil
  ) {
    self.id = id
    self.name = name
    self.wheels = wheels
    self.load = load
    self.doors = doors
  }

  static let entity = Entity<Truck>("Truck", parent: Vehicle.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("wheels", \.wheels)
      .attribute("load", \.load, .default(1))
      .attribute("doors", \.doors)
  }
}
