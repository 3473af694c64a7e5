import ORM

/// A club as Strata keeps it, mapped by hand.
struct Club: Persistable, PrimaryKeyed {
  var id: Int64
  var name: String
  var members: ToMany<Member> = .notLoaded
  var tags: ToMany<Tag> = .notLoaded

  static let entity = Entity<Club>("Club") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("members", \.members, inverse: \Member.club, delete: .cascade)
      .relationship("tags", \.tags, inverse: \Tag.clubs)
  }

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
  }
}

/// A member of a club, mapped by hand.
struct Member: Persistable, PrimaryKeyed {
  var id: Int64
  var name: String
  var age: Int64
  var club: ToOne<Club>

  static let entity = Entity<Member>("Member") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("age", \.age)
      .relationship("club", \.club)
  }

  init(id: Int64, name: String, age: Int64, club: ToOne<Club> = nil) {
    self.id = id
    self.name = name
    self.age = age
    self.club = club
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    age = try row[2]
    club = try row.toOne(0, of: Member.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(age, at: 2)
    try row.write(club, toOne: 0, of: Member.self)
  }
}

/// A tag of many clubs.
struct Tag: Persistable, PrimaryKeyed {
  var id: Int64
  var name: String
  var clubs: ToMany<Club> = .notLoaded

  static let entity = Entity<Tag>("Tag") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("clubs", \.clubs)
  }

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
  }
}
