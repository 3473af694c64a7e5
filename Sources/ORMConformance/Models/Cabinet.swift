internal import FoundationEssentials
internal import ORM

/// An owner with a rule and a count, whose keys the store gives.
struct Cabinet: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var trinkets: ToMany<Trinket>

  static let entity = Entity<Cabinet>("Cabinet") {
    .key("id", \.id, .generated)
      .attribute("name", \.name, .length(1...4))
      .relationship("trinkets", \.trinkets, inverse: \Trinket.cabinet, count: 1...2)
  }

  init(_ id: Int64 = 0, _ name: String, trinkets: ToMany<Trinket> = .notLoaded) {
    self.id = id
    self.name = name
    self.trinkets = trinkets
  }
}

/// A target that is counted, and may be hidden.
struct Trinket: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var hidden: Date?
  var cabinet: ToOne<Cabinet>

  static let entity = Entity<Trinket>("Trinket") {
    .key("id", \.id)
      .attribute("hidden", \.hidden, .softDelete)
      .relationship("cabinet", \.cabinet)
  }

  init(_ id: Int64, cabinet: ToOne<Cabinet> = .notLoaded) {
    self.id = id
    self.cabinet = cabinet
  }
}

/// An owner of structs that are checked by code, one of which may be nil.
struct Consignment: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var weight: Int
  var to: Postal
  var back: Postal?

  static let entity = Entity<Consignment>("Consignment") {
    .key("id", \.id)
      .attribute("weight", \.weight, .range(1...))
      .embedded("to", \.to)
      .embedded("back", \.back)
  }

  init(_ id: Int64, weight: Int = 1, to: Postal, back: Postal? = nil) {
    self.id = id
    self.weight = weight
    self.to = to
    self.back = back
  }
}

/// A struct that is checked by code, with another inside.
struct Postal: Persistable, Codable, Hashable, ValidatedModel {
  var zip: String
  var town: String
  var spot: GridSpot?

  static let entity = Entity<Postal>("Postal") {
    .attribute("zip", \.zip)
      .attribute("town", \.town)
      .embedded("spot", \.spot)
  }

  init(_ zip: String, _ town: String = "Here", spot: GridSpot? = nil) {
    self.zip = zip
    self.town = town
    self.spot = spot
  }

  func validate(_ check: inout Validation<Postal>) throws {
    if check.event == .delete {
      if town == "Forever" { check.fail("forever", "it stays") }
      return
    }
    if zip.utf8.count != 5 { check.fail("zip", "must have five digits", on: \.zip) }
    if let old = check.old, old.town == "Forever", old.town != town {
      check.fail("forever", "its town stays")
    }
  }
}

/// A struct that is checked by code inside another.
struct GridSpot: Persistable, Codable, Hashable, ValidatedModel {
  var x: Int
  var y: Int

  static let entity = Entity<GridSpot>("GridSpot") {
    .attribute("x", \.x).attribute("y", \.y)
  }

  func validate(_ check: inout Validation<GridSpot>) throws {
    if check.event != .delete, x == y { check.fail("spot", "must not be even", on: \.x, \.y) }
  }
}

/// A model of managed attributes alone, with values of which `==` is not the whole truth.
struct Dial: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String?
  var level: Double
  var count: Int
  var version = 0
  var changed: Date?

  static let entity = Entity<Dial>("Dial") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("level", \.level)
      .attribute("count", \.count, .range(...9))
      .attribute("version", \.version, .version)
      .attribute("changed", \.changed, .updatedAt)
  }

  init(_ id: Int64, _ name: String?, level: Double = 0, count: Int = 0) {
    self.id = id
    self.name = name
    self.level = level
    self.count = count
  }
}
