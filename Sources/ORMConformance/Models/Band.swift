internal import FoundationEssentials
internal import ORM

/// A class model with every kind of relationship, mapped by its coding keys.
// No lock: the cases change an object on one thread alone, before others see it.
final class Band: Persistable, PrimaryKeyed, Codable, @unchecked Sendable {
  var id: Int64 = 0
  var name: String
  var manager: ToOne<Manager>
  var musicians: ToMany<Musician>
  var festivals: ToMany<Festival>
  static let entity = Entity<Band>("Band") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("manager", \.manager, inverse: \Manager.band)
      .relationship("musicians", \.musicians, inverse: \Musician.band)
      .relationship("festivals", \.festivals, inverse: \Festival.bands)
  }

  init(
    _ name: String, manager: ToOne<Manager> = ToOne(), musicians: ToMany<Musician> = ToMany(),
    festivals: ToMany<Festival> = ToMany()
  ) {
    self.name = name
    self.manager = manager
    self.musicians = musicians
    self.festivals = festivals
  }
}

/// A class model that holds the key of its band, mapped by hand; no two have one name.
// No lock: the cases change an object on one thread alone, before others see it.
final class Musician: Persistable, PrimaryKeyed, @unchecked Sendable {
  var id: Int64 = 0
  var name: String
  var band: ToOne<Band>
  static let entity = Entity<Musician>("Musician") {
    .key("id", \.id, .generated)
      .attribute("name", \.name, .unique)
      .relationship("band", \.band)
  }

  init(_ name: String, band: ToOne<Band> = ToOne()) {
    self.name = name
    self.band = band
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    band = try row.toOne(0, of: Musician.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(band, toOne: 0, of: Musician.self)
  }
}

/// A class model with a UUID, which counts how often it took notice of being read.
// No lock: the cases change an object on one thread alone, before others see it.
final class Manager: Persistable, PrimaryKeyed, LoadHook, @unchecked Sendable {
  var id: UUID = .unassigned
  var name: String
  var band: ToOne<Band> = .notLoaded
  var loads = 0
  static let entity = Entity<Manager>("Manager") {
    .key("id", \.id, .uuidV7)
      .attribute("name", \.name)
      .relationship("band", \.band)
  }

  init(_ name: String) { self.name = name }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    band = try row.toOne(0, of: Manager.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(band, toOne: 0, of: Manager.self)
  }

  func didLoad() { loads += 1 }
}

/// A struct among class models.
struct Festival: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var bands: ToMany<Band> = .notLoaded
  static let entity = Entity<Festival>("Festival") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("bands", \.bands, ordered: true)
  }

  init(_ name: String) { self.name = name }
}
