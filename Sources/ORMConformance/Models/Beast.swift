internal import Foundation
internal import ORM

/// The root of a hierarchy with relationships: a den (many-to-one), which keeps it; and tags of its
/// own, which go with it.
struct Beast: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var den: ToOne<Den>
  var tags: ToMany<BeastTag>

  init(
    _ id: Int64, _ name: String = "", den: ToOne<Den> = ToOne(), tags: ToMany<BeastTag> = ToMany()
  ) {
    self.id = id
    self.name = name
    self.den = den
    self.tags = tags
  }

  static let entity = Entity<Beast>("Beast") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("den", \.den, inverse: \Den.beasts)
      .relationship("tags", \.tags, inverse: \BeastTag.beast, delete: .cascade)
  }
}

/// A tag of a beast of any kind, deleted with it.
struct BeastTag: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var beast: ToOne<Beast>

  init(_ id: Int64, beast: ToOne<Beast> = ToOne()) {
    self.id = id
    self.beast = beast
  }

  static let entity = Entity<BeastTag>("BeastTag") {
    .key("id", \.id).relationship("beast", \.beast)
  }
}

/// A subentity with relationships of its own: its cubs, which go with it, and the cub it prefers.
struct Lion: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var mane: Int
  var cubs: ToMany<Cub>
  var rival: ToOne<Lion>

  init(
    _ id: Int64, _ name: String = "", mane: Int = 1, cubs: ToMany<Cub> = ToMany(),
    rival: ToOne<Lion> = ToOne()
  ) {
    self.id = id
    self.name = name
    self.mane = mane
    self.cubs = cubs
    self.rival = rival
  }

  static let entity = Entity<Lion>("Lion", parent: Beast.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("mane", \.mane)
      .relationship("cubs", \.cubs, inverse: \Cub.lion, delete: .cascade, count: 0...3)
      .relationship("rival", \.rival)
  }
}

/// A subentity beside ``Lion``, each of which may belong to one.
struct Cub: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var weight: Double
  var lion: ToOne<Lion>

  init(_ id: Int64, _ name: String = "", weight: Double = 1, lion: ToOne<Lion> = ToOne()) {
    self.id = id
    self.name = name
    self.weight = weight
    self.lion = lion
  }

  static let entity = Entity<Cub>("Cub", parent: Beast.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("weight", \.weight)
      .relationship("lion", \.lion)
  }
}

/// A den of beasts of every kind; its guardian is a lion, whose delete it denies.
struct Den: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var beasts: ToMany<Beast>
  var guardian: ToOne<Lion>
  var pets: ToMany<Cub>

  init(
    _ id: Int64, beasts: ToMany<Beast> = ToMany(), guardian: ToOne<Lion> = ToOne(),
    pets: ToMany<Cub> = ToMany()
  ) {
    self.id = id
    self.beasts = beasts
    self.guardian = guardian
    self.pets = pets
  }

  static let entity = Entity<Den>("Den") {
    .key("id", \.id)
      .relationship("beasts", \.beasts, inverse: \Beast.den)
      .relationship("guardian", \.guardian, targetDeleted: .deny)
      .relationship("pets", \.pets, shared: true)
  }
}
