internal import ORM

/// A point on earth: a struct inside a struct.
struct Spot: Persistable, Hashable, Codable {
  var latitude: Double
  var longitude: Double
  var label: String?

  init(_ latitude: Double, _ longitude: Double, label: String? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.label = label
  }

  static let entity = Entity<Spot>("Spot") {
    .attribute("latitude", \.latitude)
      .attribute("longitude", \.longitude)
      .attribute("label", \.label, .named("caption"))
  }
}

/// An embedded struct with options, an index and a struct inside, written by hand.
struct PostalAddress: Persistable, Hashable, Codable {
  var street: String
  var city: String
  var number: Int?
  var spot: Spot?

  init(_ street: String, _ city: String, number: Int? = nil, spot: Spot? = nil) {
    self.street = street
    self.city = city
    self.number = number
    self.spot = spot
  }

  static let columnCount = 3 + Spot?.columnCount

  static let entity = Entity<PostalAddress>("PostalAddress") {
    .attribute("street", \.street)
      .attribute("city", \.city, .indexed, .normalized)
      .attribute("number", \.number, .range(0...))
      .embedded("spot", \.spot)
      .index("city", .descending("street"))
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    street = try row[0]
    city = try row[1]
    number = try row[2]
    spot = try row.embedded(at: 3)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(street, at: 0)
    try row.write(city, at: 1)
    try row.write(number, at: 2)
    try row.write(embedded: spot, at: 3)
  }
}

/// An owner of two addresses, one of which may be nil, written by hand.
struct Customer: PrimaryKeyed, Hashable {
  var id: Int64
  var home: PostalAddress
  var work: PostalAddress?
  var name: String

  init(
    _ id: Int64, _ name: String = "", home: PostalAddress = PostalAddress("", ""),
    work: PostalAddress? = nil
  ) {
    self.id = id
    self.name = name
    self.home = home
    self.work = work
  }

  static let entity = Entity<Customer>("Customer") {
    .key("id", \.id)
      .embedded("home", \.home)
      .embedded("work", \.work)
      .attribute("name", \.name)
      .index("work.street")
      .unique("name", "home.street")
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    home = try row.embedded(at: 1)
    work = try row.embedded(at: 1 + PostalAddress.columnCount)
    name = try row[1 + PostalAddress.columnCount + PostalAddress?.columnCount]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(embedded: home, at: 1)
    try row.write(embedded: work, at: 1 + PostalAddress.columnCount)
    try row.write(name, at: 1 + PostalAddress.columnCount + PostalAddress?.columnCount)
  }
}

/// The same model by Codable alone.
struct Client: PrimaryKeyed, Hashable, Codable {
  var id: Int64
  var home: PostalAddress
  var work: PostalAddress?
  var name: String

  static let entity = Entity<Client>("Client") {
    .key("id", \.id)
      .embedded("home", \.home)
      .embedded("work", \.work)
      .attribute("name", \.name)
  }
}

/// A row that refers to a customer.
struct Parcel: PrimaryKeyed, Hashable, Codable {
  var id: Int64
  var weight: Double
  var receiver: ToOne<Customer>

  init(_ id: Int64, weight: Double = 1, receiver: ToOne<Customer> = ToOne()) {
    self.id = id
    self.weight = weight
    self.receiver = receiver
  }

  static let entity = Entity<Parcel>("Parcel") {
    .key("id", \.id)
      .attribute("weight", \.weight)
      .relationship("receiver", \.receiver)
  }
}
