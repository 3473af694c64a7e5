internal import FoundationEssentials
internal import ORM

/// A park whose visits and tags keep their links to it when it is deleted (`noAction`).
struct Park: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var visits: ToMany<Visit>
  var tags: ToMany<Tag>
  static let entity = Entity<Park>("Park") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("visits", \.visits, inverse: \Visit.park, delete: .noAction)
      .relationship("tags", \.tags, inverse: \Tag.parks, delete: .noAction)
  }

  init(_ id: Int64, _ name: String) {
    self.id = id
    self.name = name
    visits = []
    tags = []
  }
}

/// A visit to a park that may be deleted.
struct Visit: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var cost: Double?
  var park: ToOne<Park>
  static let entity = Entity<Visit>("Visit") {
    .key("id", \.id)
      .attribute("cost", \.cost)
      .relationship("park", \.park)
  }

  init(_ id: Int64, _ cost: Double? = nil, park: ToOne<Park> = ToOne()) {
    self.id = id
    self.cost = cost
    self.park = park
  }
}

/// The other end of a many-to-many whose links stay when it is deleted.
struct Tag: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var parks: ToMany<Park>
  static let entity = Entity<Tag>("Tag") {
    .key("id", \.id)
      .relationship("parks", \.parks, delete: .noAction)
  }

  init(_ id: String) {
    self.id = id
    parks = []
  }
}
