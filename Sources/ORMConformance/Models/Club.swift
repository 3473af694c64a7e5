internal import ORM

/// A club of a ward, with members and an index on its name, for queries through relationships.
struct Club: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String?
  var ward: ToOne<Ward>
  var members: ToMany<Member>
  static let entity = Entity<Club>("Club") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .relationship("ward", \.ward, inverse: \Ward.clubs)
      .relationship("members", \.members, inverse: \Member.club)
  }

  init(_ id: Int64, _ name: String?, ward: ToOne<Ward> = ToOne()) {
    self.id = id
    self.name = name
    self.ward = ward
    members = .notLoaded
  }
}

/// The ward of clubs, with a composite key.
struct Ward: Persistable, PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var land: String
    var number: Int
  }
  var id: ID
  var title: String
  var clubs: ToMany<Club>
  static let entity = Entity<Ward>("Ward") {
    .key("land", \.id.land)
      .key("number", \.id.number)
      .attribute("title", \.title, .indexed)
      .relationship("clubs", \.clubs)
  }

  init(_ land: String, _ number: Int, _ title: String) {
    id = ID(land: land, number: number)
    self.title = title
    clubs = .notLoaded
  }
}

/// A member of a club, with hobbies that others share.
struct Member: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var age: Int
  var club: ToOne<Club>
  var hobbies: ToMany<Hobby>
  static let entity = Entity<Member>("Member") {
    .key("id", \.id)
      .attribute("age", \.age, .indexed)
      .relationship("club", \.club)
      .relationship("hobbies", \.hobbies, inverse: \Hobby.members)
  }

  init(_ id: Int64, age: Int, club: ToOne<Club> = ToOne(), hobbies: ToMany<Hobby> = ToMany()) {
    self.id = id
    self.age = age
    self.club = club
    self.hobbies = hobbies
  }
}

/// A hobby, by its name.
struct Hobby: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var members: ToMany<Member>
  static let entity = Entity<Hobby>("Hobby") {
    .key("id", \.id)
      .relationship("members", \.members)
  }

  init(_ id: String) {
    self.id = id
    members = .notLoaded
  }
}
