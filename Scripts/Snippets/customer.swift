struct Address: Persistable, Codable {
  var street: String
  var city: String
  static let entity = Entity<Address>("Address") {
    .attribute("street", \.street).attribute("city", \.city)
  }
}

struct Customer: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var name: String
  var home: Address
  var work: Address?

  static let entity = Entity<Customer>("Customer") {
    .key("id", \.id, .generated).attribute("name", \.name)
      .embedded("home", \.home).embedded("work", \.work)
  }

  // SNIPPET
}
