internal import ORM

/// The root of a hierarchy, whose rows take their eggs along.
struct Fowl: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var eggs: ToMany<Egg> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Fowl>("Fowl") {
    .key("id", \.id).relationship("eggs", \.eggs, inverse: \Egg.fowl, delete: .cascade)
  }
}

/// A subentity with hooks, whose delete leaves the keys in nests as they are.
struct Duck: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var nests: ToMany<Nest> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Duck>("Duck", parent: Fowl.self) {
    .key("id", \.id).relationship("nests", \.nests, inverse: \Nest.duck, delete: .noAction)
  }

  func willDelete(in transaction: WriteTransaction) throws {
    try transaction.save(Line("-duck \(id)"))
  }
}

/// A nest, whose delete cascades to its duck.
struct Nest: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var duck: ToOne<Duck>

  init(_ id: Int64, duck: ToOne<Duck>) {
    self.id = id
    self.duck = duck
  }

  static let entity = Entity<Nest>("Nest") {
    .key("id", \.id).relationship("duck", \.duck, delete: .cascade)
  }
}

/// An egg, deleted with its fowl.
struct Egg: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var fowl: ToOne<Fowl>

  init(_ id: Int64, fowl: ToOne<Fowl>) {
    self.id = id
    self.fowl = fowl
  }

  static let entity = Entity<Egg>("Egg") {
    .key("id", \.id).relationship("fowl", \.fowl)
  }
}
