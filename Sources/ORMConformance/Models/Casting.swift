internal import ORM

/// One end of the linking model, with every kind of relationship to it and through it.
struct Performer: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var castings: ToMany<Casting>
  var productions: ToMany<Production>
  var biography: ToOne<Biography>
  static let entity = Entity<Performer>("Performer") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("castings", \.castings, inverse: \Casting.performer, delete: .cascade)
      .relationship(
        "productions", \.productions, inverse: \Production.performers, through: Casting.self
      )
      .relationship("biography", \.biography, inverse: \Biography.performer, delete: .cascade)
  }

  init(
    _ id: Int64 = 0, _ name: String = "", castings: ToMany<Casting> = ToMany(),
    productions: ToMany<Production> = ToMany(), biography: ToOne<Biography> = ToOne()
  ) {
    self.id = id
    self.name = name
    self.castings = castings
    self.productions = productions
    self.biography = biography
  }
}

/// The other end, with a composite key.
struct Production: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var city: String
    var year: Int

    init(_ city: String, _ year: Int) {
      self.city = city
      self.year = year
    }
  }
  var id: ID
  var performers: ToMany<Performer>
  static let entity = Entity<Production>("Production") {
    .key("city", \.id.city)
      .key("year", \.id.year)
      .relationship("performers", \.performers, through: Casting.self)
  }

  init(_ city: String, _ year: Int, performers: ToMany<Performer> = ToMany()) {
    id = ID(city, year)
    self.performers = performers
  }
}

/// A linking model, whose key is its two to-ones.
struct Casting: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var performer: Performer.ID?
    var production: Production.ID?

    init(_ performer: Performer.ID?, _ production: Production.ID?) {
      self.performer = performer
      self.production = production
    }
  }
  var fee: Int?
  var performer: ToOne<Performer>
  var production: ToOne<Production>
  var rehearsals: ToMany<Rehearsal>
  var id: ID {
    get { ID(performer.id, production.id) }
    set {
      performer.setKey(newValue.performer)
      production.setKey(newValue.production)
    }
  }
  static let entity = Entity<Casting>("Casting") {
    .key("performer", \.performer, id: \.id.performer)
      .key("production", \.production, id: \.id.production)
      .attribute("fee", \.fee)
      .relationship("rehearsals", \.rehearsals, inverse: \Rehearsal.casting, delete: .cascade)
  }

  init(
    _ performer: ToOne<Performer> = ToOne(), _ production: ToOne<Production> = ToOne(),
    fee: Int? = nil, rehearsals: ToMany<Rehearsal> = ToMany()
  ) {
    self.performer = performer
    self.production = production
    self.fee = fee
    self.rehearsals = rehearsals
  }

  /// A casting by the keys of both ends.
  init(_ performer: Int64, _ city: String, _ year: Int, fee: Int? = nil) {
    self.init(.key(performer), .key(.init(city, year)), fee: fee)
  }
}

/// A model whose key is a to-one to a linking model and a number, mapped by hand.
struct Rehearsal: PrimaryKeyed, Hashable {
  struct ID: CompositeKey {
    var casting: Casting.ID?
    var number: Int
  }
  var number: Int
  var hours: Int
  var casting: ToOne<Casting>
  var id: ID {
    get { ID(casting: casting.id, number: number) }
    set {
      casting.setKey(newValue.casting)
      number = newValue.number
    }
  }
  static let entity = Entity<Rehearsal>("Rehearsal") {
    .key("casting", \.casting)
      .key("number", \.number, id: \.id.number)
      .attribute("hours", \.hours)
  }

  init(_ number: Int, hours: Int = 1, casting: ToOne<Casting> = ToOne()) {
    self.number = number
    self.hours = hours
    self.casting = casting
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    number = try row[0]
    hours = try row[1]
    casting = try row.toOne(0, of: Rehearsal.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(number, at: 0)
    try row.write(hours, at: 1)
    try row.write(casting, toOne: 0, of: Rehearsal.self)
  }
}

/// A model that shares the key of another: a one-to-one.
struct Biography: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var performer: Performer.ID?

    init(_ performer: Performer.ID?) { self.performer = performer }
  }
  var text: String
  var performer: ToOne<Performer>
  var id: ID {
    get { ID(performer.id) }
    set { performer.setKey(newValue.performer) }
  }
  static let entity = Entity<Biography>("Biography") {
    .key("performer", \.performer, id: \.id.performer)
      .attribute("text", \.text)
  }

  init(_ text: String, performer: ToOne<Performer> = ToOne()) {
    self.text = text
    self.performer = performer
  }
}
