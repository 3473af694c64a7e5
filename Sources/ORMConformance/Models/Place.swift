internal import FoundationEssentials
internal import ORM

/// A place whose visits and tags keep their links to it when it goes (`noAction`).
struct Place: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var visits: ToMany<Visit>
  var tags: ToMany<Tag>
  static let entity = Entity<Place>("Place") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("visits", \.visits, inverse: \Visit.place, delete: .noAction)
      .relationship("tags", \.tags, inverse: \Tag.places, delete: .noAction)
  }

  init(_ id: Int64, _ name: String) {
    self.id = id
    self.name = name
    visits = []
    tags = []
  }
}

/// A visit to a place that may be deleted.
struct Visit: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var cost: Double?
  var place: ToOne<Place>
  static let entity = Entity<Visit>("Visit") {
    .key("id", \.id)
      .attribute("cost", \.cost)
      .relationship("place", \.place)
  }

  init(_ id: Int64, _ cost: Double? = nil, place: ToOne<Place> = ToOne()) {
    self.id = id
    self.cost = cost
    self.place = place
  }
}

/// The other end of a many-to-many whose links stay when it goes.
struct Tag: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var places: ToMany<Place>
  static let entity = Entity<Tag>("Tag") {
    .key("id", \.id)
      .relationship("places", \.places, delete: .noAction)
  }

  init(_ id: String) {
    self.id = id
    places = []
  }
}
