internal import FoundationEssentials
internal import ORM

/// An owner with attributes that are derived of its to-manys of every kind.
struct Guild: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var memberCount = 0
  var points = 0
  var least: Int?
  var most: Int?
  var mean: Double?
  var weight = 0.0
  var fees: Decimal = 0
  var badgeCount: Int64 = 0
  var worth = 0
  var firstBadge: String?
  var sponsorCount = 0
  var lockerCount = 0
  var largest: UInt64?
  var room: UInt64 = 0
  var region: ToOne<Region> = .notLoaded
  var members: ToMany<Fellow> = .notLoaded
  var badges: ToMany<Medal> = .notLoaded
  var sponsors: ToMany<Sponsor> = .notLoaded
  var lockers: ToMany<Locker> = .notLoaded
  static let entity = Entity<Guild>("Guild") {
    .key("id", \.id);
    .attribute("title", \.title);
    .derived("memberCount", \.memberCount, .count(of: \.members), .indexed);
    .derived("points", \.points, .sum(of: \.members, \.points));
    .derived("least", \.least, .minimum(of: \.members, \.points));
    .derived("most", \.most, .maximum("members", "points"), .indexed(.descending));
    .derived("mean", \.mean, .average(of: \.members, \.points));
    .derived("weight", \.weight, .sum(of: \.members, \.weight));
    .derived("fees", \.fees, .sum("members", "fee"));
    .derived("badgeCount", \.badgeCount, .count("badges"));
    .derived("worth", \.worth, .sum(of: \.badges, \.worth));
    .derived("firstBadge", \.firstBadge, .minimum(of: \.badges, \.name));
    .derived("sponsorCount", \.sponsorCount, .count(of: \.sponsors));
    .derived("lockerCount", \.lockerCount, .count(of: \.lockers));
    .derived("largest", \.largest, .maximum(of: \.lockers, \.size));
    .derived("room", \.room, .sum(of: \.lockers, \.size));
    .relationship("region", \.region, inverse: \Region.guilds);
    .relationship("members", \.members, inverse: \Fellow.guild);
    .relationship("badges", \.badges, inverse: \Medal.guilds);
    .relationship("sponsors", \.sponsors, through: Contract.self);
    .relationship("lockers", \.lockers, delete: .cascade)
  }

  init(_ id: Int64, _ title: String = "", memberCount: Int = 0) {
    self.id = id
    self.title = title
    self.memberCount = memberCount
  }
}

/// A region of guilds, whose attributes are derived of derived ones.
struct Region: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var people = 0
  var fullest: Int?
  var guilds: ToMany<Guild> = .notLoaded
  static let entity = Entity<Region>("Region") {
    .key("id", \.id)
      .derived("people", \.people, .sum(of: \.guilds, \.memberCount))
      .derived("fullest", \.fullest, .maximum(of: \.guilds, \.memberCount))
      .relationship("guilds", \.guilds)
  }

  init(_ id: Int64) { self.id = id }
}

/// A target whose row holds the owner's key.
struct Fellow: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var hidden: Date?
  var points: Int?
  var weight: Double?
  var fee: Decimal?
  var guild: ToOne<Guild>
  static let entity = Entity<Fellow>("Fellow") {
    .key("id", \.id, .generated)
      .attribute("points", \.points)
      .attribute("weight", \.weight)
      .attribute("fee", \.fee)
      .attribute("hidden", \.hidden, .softDelete)
      .relationship("guild", \.guild)
  }

  init(
    _ id: Int64 = 0, _ points: Int? = nil, weight: Double? = nil, fee: Decimal? = nil,
    guild: ToOne<Guild> = .notLoaded
  ) {
    self.id = id
    self.points = points
    self.weight = weight
    self.fee = fee
    self.guild = guild
  }
}

/// A target that several owners share, by links that core keeps.
struct Medal: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var hidden: Date?
  var name: String
  var worth: Int
  var guilds: ToMany<Guild> = .notLoaded
  static let entity = Entity<Medal>("Medal") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("worth", \.worth)
      .attribute("hidden", \.hidden, .softDelete)
      .relationship("guilds", \.guilds)
  }

  init(_ id: Int64, _ name: String = "", _ worth: Int = 0) {
    self.id = id
    self.name = name
    self.worth = worth
  }
}

/// A target by links that are objects.
struct Sponsor: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  static let entity = Entity<Sponsor>("Sponsor") {
    .key("id", \.id)
  }

  init(_ id: Int64) { self.id = id }
}

/// The links between guilds and sponsors.
struct Contract: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var hidden: Date?
  var guild: ToOne<Guild>
  var sponsor: ToOne<Sponsor>
  static let entity = Entity<Contract>("Contract") {
    .key("id", \.id, .generated)
      .attribute("hidden", \.hidden, .softDelete)
      .relationship("guild", \.guild)
      .relationship("sponsor", \.sponsor)
  }

  init(_ id: Int64 = 0, guild: ToOne<Guild>, sponsor: ToOne<Sponsor>) {
    self.id = id
    self.guild = guild
    self.sponsor = sponsor
  }
}

/// A target of a one-way to-many, whose row holds the owner's key unseen.
struct Locker: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var size: UInt64
  static let entity = Entity<Locker>("Locker") {
    .key("id", \.id)
      .attribute("size", \.size)
  }

  init(_ id: Int64, _ size: UInt64 = 0) {
    self.id = id
    self.size = size
  }
}

extension Schema {
  /// Guilds and all that they lead to.
  static var guilds: Schema {
    get throws {
      try Schema(
        Guild.self, Region.self, Fellow.self, Medal.self, Sponsor.self, Contract.self, Locker.self)
    }
  }
}
