import Foundation
import ORM

/// An enum with a raw value.
enum Taste: String, Codable, CaseIterable, AttributeValue { case sweet, salty, sour }

/// A model with a rule of every kind.
struct Snack: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var name: String
  var code: String
  var stock: Int
  var price: Decimal
  var taste: Taste?
  var opens: Int
  var closes: Int
  var tags: [String]
  var added: Date
  var changed: Date
  var version: Int

  static let entity = Entity<Snack>("Snack") {
    .key("id", \.id, .generated)
      .attribute("name", \.name, .length(3...12), .unique)
      .attribute("code", \.code, .matches("[A-Z]{2}-\\d{3}"))
      .attribute("stock", \.stock, .range(5...20), .check("must be even") { $0.isMultiple(of: 2) })
      .attribute("price", \.price, .range(0...))
      .attribute("taste", \.taste)
      .attribute("opens", \.opens, .range(0..<24))
      .attribute("closes", \.closes, .range(0..<24))
      .attribute("tags", \.tags, .length(1...2))
      .attribute("added", \.added, .createdAt)
      .attribute("changed", \.changed, .updatedAt)
      .attribute("version", \.version, .version)
      .rule("hours", "must close after it opens") { $0.closes > $0.opens }
  }
}

/// A team with links of every kind.
struct Team: PrimaryKeyed, Codable, Hashable {
  var id: UUID
  var name: String
  var playerCount = 0
  var coach: ToOne<Coach> = .notLoaded
  var players: ToMany<Player> = .notLoaded
  var leagues: ToMany<League> = .notLoaded

  static let entity = Entity<Team>("Team") {
    .key("id", \.id, .uuidV4)
      .attribute("name", \.name)
      .derived("playerCount", \.playerCount, .count(of: \.players))
      .relationship("coach", \.coach, inverse: \Coach.team, delete: .cascade)
      .relationship(
        "players", \.players, inverse: \Player.team, delete: .cascade, count: 2...4, ordered: true
      )
      .relationship("leagues", \.leagues, inverse: \League.teams, count: 1...3)
  }
}

/// The required end of a one-to-one.
struct Coach: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var lastName: String
  var team: ToOne<Team> = .notLoaded

  static let entity = Entity<Coach>("Coach") {
    .key("id", \.id, .generated)
      .attribute("lastName", \.lastName)
      .relationship("team", \.team, required: true)
  }
}

/// The many end of a one-to-many.
struct Player: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var email: String
  var team: ToOne<Team> = .notLoaded
  var friend: ToOne<Player> = .notLoaded

  static let entity = Entity<Player>("Player") {
    .key("id", \.id, .generated)
      .attribute("email", \.email, .unique)
      .relationship("team", \.team, required: true)
      .relationship("friend", \.friend)
  }
}

/// An end of a many-to-many.
struct League: PrimaryKeyed, Codable, Hashable {
  var id: String
  var teams: ToMany<Team> = .notLoaded

  static let entity = Entity<League>("League") {
    .key("id", \.id)
      .relationship("teams", \.teams)
  }
}

/// One of two models that require each other.
struct Hen: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var egg: ToOne<Egg> = .notLoaded

  static let entity = Entity<Hen>("Hen") {
    .key("id", \.id, .generated).relationship("egg", \.egg, targetDeleted: .cascade, required: true)
  }
}

struct Egg: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var hen: ToOne<Hen> = .notLoaded

  static let entity = Entity<Egg>("Egg") {
    .key("id", \.id, .generated).relationship("hen", \.hen, targetDeleted: .cascade, required: true)
  }
}

extension Schema {
  static var teams: Schema {
    get throws { try Schema(Team.self, Coach.self, Player.self, League.self) }
  }
  static var snacks: Schema { get throws { try Schema(Snack.self) } }
}
