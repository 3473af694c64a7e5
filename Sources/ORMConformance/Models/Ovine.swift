internal import ORM

/// The root of a hierarchy without hooks.
struct Ovine: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String

  static let entity = Entity<Ovine>("Ovine") { .key("id", \.id).attribute("name", \.name) }
}

/// A subentity whose hooks write lines; it goes with its byre, may lead to a paddock, and takes its
/// bells along.
struct Lamb: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var name: String
  var byre: ToOne<Byre>
  var paddock: ToOne<Paddock>
  var bells: ToMany<Bell>

  init(_ id: Int64, _ name: String, byre: ToOne<Byre> = ToOne(), paddock: ToOne<Paddock> = ToOne())
  {
    self.id = id
    self.name = name
    self.byre = byre
    self.paddock = paddock
    bells = .notLoaded
  }

  static let entity = Entity<Lamb>("Lamb", parent: Ovine.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("byre", \.byre)
      .relationship("paddock", \.paddock)
      .relationship("bells", \.bells, inverse: \Bell.lamb, delete: .cascade)
  }

  mutating func willUpdate(from old: Lamb, in transaction: WriteTransaction) throws {
    try transaction.save(Line("\(name) leaves \(old.paddock.id ?? 0)"))
  }

  func willDelete(in transaction: WriteTransaction) throws {
    try transaction.save(Line("-\(name)"))
  }

  func didDelete(in transaction: WriteTransaction) throws {
    let isDeleted = try transaction.find(Lamb.self, id) == nil
    try transaction.save(Line("\(name) is gone \(isDeleted)"))
  }
}

/// A byre, whose delete cascades to its lambs.
struct Byre: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var lambs: ToMany<Lamb> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Byre>("Byre") {
    .key("id", \.id).relationship("lambs", \.lambs, inverse: \Lamb.byre, delete: .cascade)
  }
}

/// A paddock, whose delete leaves its lambs without one.
struct Paddock: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var lambs: ToMany<Lamb> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Paddock>("Paddock") {
    .key("id", \.id).relationship("lambs", \.lambs, inverse: \Lamb.paddock)
  }
}

/// The root of a hierarchy whose rows' delete concerns nothing but them.
struct Chime: PrimaryKeyed, Codable, Hashable {
  var id: Int64

  static let entity = Entity<Chime>("Chime") { .key("id", \.id) }
}

/// A subentity with hooks at the end of a cascade.
struct Bell: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var lamb: ToOne<Lamb>

  init(_ id: Int64, lamb: ToOne<Lamb>) {
    self.id = id
    self.lamb = lamb
  }

  static let entity = Entity<Bell>("Bell", parent: Chime.self) {
    .key("id", \.id).relationship("lamb", \.lamb)
  }

  func willDelete(in transaction: WriteTransaction) throws {
    try transaction.save(Line("-bell \(id)"))
  }
}
