internal import FoundationEssentials
internal import ORM

/// The root of a hierarchy whose rows are hidden when they are deleted, and are targets and owners of derived
/// attributes.
struct Vessel: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tons: Int
  var hidden: Date?
  var handCount = 0
  var harbour: ToOne<Harbour> = .notLoaded
  var hands: ToMany<Hand> = .notLoaded

  init(_ id: Int64, _ name: String = "", tons: Int = 1, harbour: ToOne<Harbour> = .notLoaded) {
    self.id = id
    self.name = name
    self.tons = tons
    self.harbour = harbour
  }

  static let entity = Entity<Vessel>("Vessel") {
    .key("id", \.id);
    .attribute("name", \.name, .unique);
    .attribute("tons", \.tons);
    .attribute("hidden", \.hidden, .softDelete);
    .derived("handCount", \.handCount, .count(of: \.hands), .indexed);
    .relationship("harbour", \.harbour, inverse: \Harbour.vessels);
    .relationship("hands", \.hands, inverse: \Hand.vessel, delete: .cascade)
  }
}

/// A subentity that is the target of a sibling, and the owner of trips that go with it.
struct Ferry: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tons: Int
  var hidden: Date?
  var handCount = 0
  var seats: Int
  var fares = 0
  var trips: ToMany<Trip> = .notLoaded
  var tug: ToOne<Tug> = .notLoaded

  init(
    _ id: Int64, _ name: String = "", tons: Int = 1, seats: Int = 0, tug: ToOne<Tug> = .notLoaded
  ) {
    self.id = id
    self.name = name
    self.tons = tons
    self.seats = seats
    self.tug = tug
  }

  static let entity = Entity<Ferry>("Ferry", parent: Vessel.self) {
    .key("id", \.id);
    .attribute("name", \.name);
    .attribute("tons", \.tons);
    .attribute("hidden", \.hidden);
    .attribute("handCount", \.handCount);
    .attribute("seats", \.seats);
    .derived("fares", \.fares, .sum(of: \.trips, \.price));
    .relationship("trips", \.trips, inverse: \Trip.ferry, delete: .cascade);
    .relationship("tug", \.tug, inverse: \Tug.pulled)
  }
}

/// A subentity two levels below the root.
struct Catamaran: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tons: Int
  var hidden: Date?
  var handCount = 0
  var seats: Int
  var fares = 0
  var knots: Double
  var slipway: ToOne<Slipway> = .notLoaded

  init(
    _ id: Int64, _ name: String = "", tons: Int = 1, seats: Int = 0, knots: Double = 30,
    slipway: ToOne<Slipway>
  ) {
    self.id = id
    self.name = name
    self.tons = tons
    self.seats = seats
    self.knots = knots
    self.slipway = slipway
  }

  static let entity = Entity<Catamaran>("Catamaran", parent: Ferry.self) {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("tons", \.tons)
      .attribute("hidden", \.hidden)
      .attribute("handCount", \.handCount)
      .attribute("seats", \.seats)
      .attribute("fares", \.fares)
      .attribute("knots", \.knots)
      .relationship("slipway", \.slipway, required: true)
  }
}

/// A slipway, which its catamarans require; its own rows are not hidden.
struct Slipway: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var built: ToMany<Catamaran> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Slipway>("Slipway") {
    .key("id", \.id)
      .relationship("built", \.built, inverse: \Catamaran.slipway, delete: .cascade)
  }
}

/// A subentity whose attributes are derived of a sibling's rows: of their own attributes, of those that
/// they inherit, and of derived ones.
struct Tug: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tons: Int
  var hidden: Date?
  var handCount = 0
  var seats = 0
  var heaviest: Int?
  var people = 0
  var pulled: ToMany<Ferry> = .notLoaded

  init(_ id: Int64, _ name: String = "", tons: Int = 1) {
    self.id = id
    self.name = name
    self.tons = tons
  }

  static let entity = Entity<Tug>("Tug", parent: Vessel.self) {
    .key("id", \.id);
    .attribute("name", \.name);
    .attribute("tons", \.tons);
    .attribute("hidden", \.hidden);
    .attribute("handCount", \.handCount);
    .derived("seats", \.seats, .sum(of: \.pulled, \.seats));
    .derived("heaviest", \.heaviest, .maximum(of: \.pulled, \.tons));
    .derived("people", \.people, .sum(of: \.pulled, \.handCount));
    .relationship("pulled", \.pulled)
  }
}

/// A harbour outside of the hierarchy.
///
/// Its attributes are derived of the hierarchy's rows: of those of every kind, and of those of one.
struct Harbour: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var vesselCount = 0
  var tons = 0
  var crew = 0
  var guestCount = 0
  var guestSeats = 0
  var vessels: ToMany<Vessel> = .notLoaded
  var guests: ToMany<Ferry> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Harbour>("Harbour") {
    .key("id", \.id);
    .derived("vesselCount", \.vesselCount, .count(of: \.vessels));
    .derived("tons", \.tons, .sum(of: \.vessels, \.tons));
    .derived("crew", \.crew, .sum(of: \.vessels, \.handCount));
    .derived("guestCount", \.guestCount, .count(of: \.guests));
    .derived("guestSeats", \.guestSeats, .sum(of: \.guests, \.seats));
    .relationship("vessels", \.vessels);
    .relationship("guests", \.guests, shared: true)
  }
}

/// A hand on a vessel of any kind, deleted with it.
struct Hand: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var vessel: ToOne<Vessel> = .notLoaded

  init(_ id: Int64, vessel: ToOne<Vessel>) {
    self.id = id
    self.vessel = vessel
  }

  static let entity = Entity<Hand>("Hand") {
    .key("id", \.id).relationship("vessel", \.vessel)
  }
}

/// A trip of a ferry, which it requires; it is hidden with the ferry.
struct Trip: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var price: Int
  var gone: Date?
  var ferry: ToOne<Ferry> = .notLoaded

  init(_ id: Int64, _ price: Int, ferry: ToOne<Ferry>) {
    self.id = id
    self.price = price
    self.ferry = ferry
  }

  static let entity = Entity<Trip>("Trip") {
    .key("id", \.id);
    .attribute("price", \.price);
    .attribute("gone", \.gone, .softDelete);
    .relationship("ferry", \.ferry, required: true)
  }
}

extension Schema {
  /// Vessels of every kind and all that they lead to.
  static var vessels: Schema {
    get throws {
      try Schema(
        Vessel.self, Ferry.self, Catamaran.self, Tug.self, Slipway.self, Harbour.self, Hand.self,
        Trip.self)
    }
  }
}
