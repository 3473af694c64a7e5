internal import FoundationEssentials
internal import ORM

/// A key that the store gives.
struct Ticket: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var title: String

  init(_ title: String, id: Int64 = 0) {
    self.id = id
    self.title = title
  }

  static let entity = Entity<Ticket>("Ticket") {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
  }
}

/// Random UUIDs as keys.
struct Token: PrimaryKeyed, Codable, Hashable {
  var id: UUID = .unassigned
  var title: String

  static let entity = Entity<Token>("Token") {
    .key("id", \.id, .uuidV4)
      .attribute("title", \.title)
  }
}

/// Time-ordered UUIDs as keys.
struct Event: PrimaryKeyed, Codable, Hashable {
  var id: UUID = .unassigned
  var title: String

  static let entity = Entity<Event>("Event") {
    .key("id", \.id, .uuidV7)
      .attribute("title", \.title)
  }
}

/// Unique rules: of one attribute, of an optional one, of two together.
struct Account: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var number: Int
  var email: String?
  var region: String?
  var local: Int?
  var rate: Double?

  init(
    _ id: Int64, _ number: Int, email: String? = nil, region: String? = nil, local: Int? = nil,
    rate: Double? = nil
  ) {
    self.id = id
    self.number = number
    self.email = email
    self.region = region
    self.local = local
    self.rate = rate
  }

  static let entity = Entity<Account>("Account") {
    .key("id", \.id)
      .attribute("number", \.number, .unique)
      .attribute("email", \.email, .unique)
      .attribute("region", \.region)
      .attribute("local", \.local)
      .attribute("rate", \.rate, .unique)
      .unique("region", "local")
  }
}

/// Attributes with defaults, and one required without.
struct Draft: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var state: String?
  var weight: Double = 1.5
  var score: Int?

  init(_ id: Int64, _ title: String, state: String? = nil, score: Int? = nil) {
    self.id = id
    self.title = title
    self.state = state
    self.score = score
  }

  static let entity = Entity<Draft>("Draft") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("state", \.state, .default("new"))
      .attribute("weight", \.weight, .default(1.5))
      .attribute("score", \.score)
  }
}
