import ORM

/// A club as Strata keeps it, mapped by hand.
package struct Club: Persistable, PrimaryKeyed {
  package var id: Int64
  package var name: String
  package var members: ToMany<Member> = .notLoaded
  package var tags: ToMany<Tag> = .notLoaded

  package static let entity = Entity<Club>("Club") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("members", \.members, inverse: \Member.club, delete: .cascade)
      .relationship("tags", \.tags, inverse: \Tag.clubs)
  }

  package init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
  }
}

/// A member of a club, mapped by hand.
package struct Member: Persistable, PrimaryKeyed {
  package var id: Int64
  package var name: String
  package var age: Int64
  package var club: ToOne<Club>

  package static let entity = Entity<Member>("Member") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("age", \.age)
      .relationship("club", \.club)
  }

  package init(id: Int64, name: String, age: Int64, club: ToOne<Club> = ToOne()) {
    self.id = id
    self.name = name
    self.age = age
    self.club = club
  }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    age = try row[2]
    club = try row.toOne(0, of: Member.self)
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(age, at: 2)
    try row.write(club, toOne: 0, of: Member.self)
  }
}

/// A tag of many clubs.
package struct Tag: Persistable, PrimaryKeyed {
  package var id: Int64
  package var name: String
  package var clubs: ToMany<Club> = .notLoaded

  package static let entity = Entity<Tag>("Tag") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("clubs", \.clubs)
  }

  package init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
  }
}
