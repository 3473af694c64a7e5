internal import FoundationEssentials
internal import ORM

/// An owner whose targets may be hidden.
struct Rack: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var count = 0
  var pages = 0
  var thickest: Int?
  var tomes: ToMany<Tome> = .notLoaded
  static let entity = Entity<Rack>("Rack") {
    .key("id", \.id);
    .derived("count", \.count, .count(of: \.tomes));
    .derived("pages", \.pages, .sum(of: \.tomes, \.pages));
    .derived("thickest", \.thickest, .maximum(of: \.tomes, \.pages));
    .relationship("tomes", \.tomes, inverse: \Tome.rack)
  }

  init(_ id: Int64) { self.id = id }
}

/// A target with a soft delete.
struct Tome: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var pages: Int
  var hidden: Date?
  var rack: ToOne<Rack>
  static let entity = Entity<Tome>("Tome") {
    .key("id", \.id);
    .attribute("pages", \.pages);
    .attribute("hidden", \.hidden, .softDelete);
    .relationship("rack", \.rack)
  }

  init(_ id: Int64, _ pages: Int, rack: ToOne<Rack>) {
    self.id = id
    self.pages = pages
    self.rack = rack
  }
}

/// An owner of which a difference says everything.
struct Till: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var sum: Int64 = 0
  var coins: ToMany<Coin> = .notLoaded
  static let entity = Entity<Till>("Till") {
    .key("id", \.id);
    .derived("sum", \.sum, .sum(of: \.coins, \.worth));
    .relationship("coins", \.coins, inverse: \Coin.till)
  }

  init(_ id: Int64) { self.id = id }
}

/// A coin in a till.
struct Coin: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var worth: Int64
  var till: ToOne<Till>
  static let entity = Entity<Coin>("Coin") {
    .key("id", \.id, .generated);
    .attribute("worth", \.worth);
    .relationship("till", \.till)
  }

  init(_ id: Int64, _ worth: Int64, till: ToOne<Till>) {
    self.id = id
    self.worth = worth
    self.till = till
  }
}
