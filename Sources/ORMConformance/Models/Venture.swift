internal import FoundationEssentials
internal import ORM

/// Rows that are hidden by a delete, with links of every kind to others that are, and that are not.
struct Venture: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var deletedAt: Date?
  var client: ToOne<Patron>
  var chores: ToMany<Chore>
  var memos: ToMany<Jotting>
  var stickers: ToMany<Sticker>
  var leader: ToOne<Leader>
  static let entity = Entity<Venture>("Venture") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("client", \.client, inverse: \Patron.ventures)
      .relationship("chores", \.chores, inverse: \Chore.venture, delete: .cascade)
      .relationship("memos", \.memos, inverse: \Jotting.venture, delete: .cascade)
      .relationship("stickers", \.stickers, inverse: \Sticker.ventures)
      .relationship("leader", \.leader, inverse: \Leader.venture)
  }

  init(
    _ id: Int64, _ name: String = "", client: ToOne<Patron> = ToOne(),
    chores: ToMany<Chore> = .notLoaded, stickers: ToMany<Sticker> = .notLoaded,
    leader: ToOne<Leader> = .notLoaded
  ) {
    self.id = id
    self.name = name
    self.client = client
    self.chores = chores
    self.memos = .notLoaded
    self.stickers = stickers
    self.leader = leader
  }
}

/// A chore, deleted with its venture, which it requires.
struct Chore: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var effort: Int
  var deletedAt: Date?
  var venture: ToOne<Venture>
  var stages: ToMany<Stage>
  static let entity = Entity<Chore>("Chore") {
    .key("id", \.id)
      .attribute("title", \.title, .unique)
      .attribute("effort", \.effort)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("venture", \.venture, required: true)
      .relationship("stages", \.stages, inverse: \Stage.chore, delete: .cascade)
  }

  init(_ id: Int64, _ title: String? = nil, effort: Int = 1, venture: ToOne<Venture>) {
    self.id = id
    self.title = title ?? "chore \(id)"
    self.effort = effort
    self.venture = venture
    self.stages = .notLoaded
  }
}

/// A stage, deleted with its chore, which it does not require.
struct Stage: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var deletedAt: Date?
  var chore: ToOne<Chore>
  static let entity = Entity<Stage>("Stage") {
    .key("id", \.id)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("chore", \.chore)
  }

  init(_ id: Int64, chore: ToOne<Chore> = ToOne()) {
    self.id = id
    self.chore = chore
  }
}

/// A jotting, to which the delete of its venture cascades; it has no soft delete.
struct Jotting: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var venture: ToOne<Venture>
  static let entity = Entity<Jotting>("Jotting") {
    .key("id", \.id).relationship("venture", \.venture)
  }

  init(_ id: Int64, venture: ToOne<Venture> = ToOne()) {
    self.id = id
    self.venture = venture
  }
}

/// The other end of a many-to-many.
struct Sticker: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var deletedAt: Date?
  var ventures: ToMany<Venture>
  static let entity = Entity<Sticker>("Sticker") {
    .key("id", \.id)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("ventures", \.ventures)
  }

  init(_ id: String, ventures: ToMany<Venture> = .notLoaded) {
    self.id = id
    self.ventures = ventures
  }
}

/// The owner of a one-to-one.
struct Leader: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var deletedAt: Date?
  var venture: ToOne<Venture>
  static let entity = Entity<Leader>("Leader") {
    .key("id", \.id)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("venture", \.venture)
  }

  init(_ id: Int64, venture: ToOne<Venture> = ToOne()) {
    self.id = id
    self.venture = venture
  }
}

/// An owner without a soft delete, of ventures that can be without one, and deeds that cannot.
struct Patron: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var ventures: ToMany<Venture>
  var deeds: ToMany<Deed>
  static let entity = Entity<Patron>("Patron") {
    .key("id", \.id)
      .relationship("ventures", \.ventures, delete: .cascade)
      .relationship("deeds", \.deeds, inverse: \Deed.client, delete: .cascade)
  }

  init(_ id: Int64, ventures: ToMany<Venture> = .notLoaded) {
    self.id = id
    self.ventures = ventures
    self.deeds = .notLoaded
  }
}

/// A deed, which requires a client.
struct Deed: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var deletedAt: Date?
  var client: ToOne<Patron>
  static let entity = Entity<Deed>("Deed") {
    .key("id", \.id)
      .attribute("deletedAt", \.deletedAt, .softDelete)
      .relationship("client", \.client, required: true)
  }

  init(_ id: Int64, client: Int64) {
    self.id = id
    self.client = .key(client)
  }
}

/// A row without links that is hidden by a delete; the store gives its keys.
struct Sketch: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var size: Int
  var deletedAt: Date?
  static let entity = Entity<Sketch>("Sketch") {
    .key("id", \.id, .generated)
      .attribute("title", \.title, .unique)
      .attribute("size", \.size, .indexed)
      .attribute("deletedAt", \.deletedAt, .softDelete)
  }

  init(_ id: Int64 = 0, _ title: String, size: Int = 0) {
    self.id = id
    self.title = title
    self.size = size
  }
}
