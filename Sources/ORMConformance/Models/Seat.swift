internal import FoundationEssentials
internal import ORM

/// A seat, with to-ones whose targets always exist, may be hidden, or may be deleted.
struct Seat: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var row: Int
  var hall: ToOne<Hall>
  var zone: ToOne<Zone>
  var usher: ToOne<Usher>
  var donor: ToOne<Donor>

  static let entity = Entity<Seat>("Seat") {
    .key("id", \.id)
      .attribute("row", \.row)
      .relationship("hall", \.hall)
      .relationship("zone", \.zone)
      .relationship("usher", \.usher)
      .relationship("donor", \.donor, targetDeleted: .noAction)
      .unique("hall.id", "row")
      .index("row", .descending("zone"))
  }

  init(
    _ id: Int64, row: Int = 0, hall: ToOne<Hall> = nil, zone: ToOne<Zone> = nil,
    usher: ToOne<Usher> = nil, donor: ToOne<Donor> = nil
  ) {
    self.id = id
    self.row = row
    self.hall = hall
    self.zone = zone
    self.usher = usher
    self.donor = donor
  }
}

/// A target that is never hidden, and that no rule leaves a key of.
struct Hall: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String = ""
  static let entity = Entity<Hall>("Hall") {
    .key("id", \.id).attribute("name", \.name)
  }
}

/// A target with a composite key.
struct Zone: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var land: String
    var number: Int
  }
  var id: ID
  static let entity = Entity<Zone>("Zone") {
    .key("land", \.id.land).key("number", \.id.number)
  }
}

/// A target that may be hidden.
struct Usher: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var left: Date?
  static let entity = Entity<Usher>("Usher") {
    .key("id", \.id).attribute("left", \.left, .softDelete)
  }
}

/// A target whose key is left behind when it is deleted.
struct Donor: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  static let entity = Entity<Donor>("Donor") { .key("id", \.id) }
}
