#if Macros
  import Foundation
  import ORM

  /// The entities of the made models, written by hand.
  enum ByHand {
    struct Snack: PrimaryKeyed, Codable {
      typealias Size = ORMMacrosTests.Snack.Size
      var id: Int64
      var name: String
      var taste: String?
      var price: Double
      var stock: Int
      var code: Int
      var secret: String
      var size: Size
      var bought: Date
      var tags: [String]
      var batch: Int
      var places: [String: Int]
      var box: Size
      var `default`: Bool
      var row: UInt64
      static let entity = Entity<Snack>("Snack") {
        .key("id", \.id, .generated)
          .attribute("name", \.name, .indexed, .indexed(.caseInsensitive), .normalized)
          .attribute("flavour", \.taste, .named("kind"))
          .attribute("price", \.price, .default(0))
          .attribute("stock", \.stock, .default(3))
          .attribute("code", \.code, .default(-1))
          .attribute("secret", \.secret, .default("s"))
          .attribute("size", \.size)
          .attribute("bought", \.bought)
          .attribute("tags", \.tags, .indexed(.elements), .default([]))
          .attribute("batch", \.batch)
          .json("places", \.places)
          .attribute("box", \.box, .default(.large))
          .attribute("default", \.default, .default(false))
          .attribute("row", \.row, .default(1))
          .index("flavour", .descending("price"))
          .unique("name", "code")
      }
    }

    struct Team: PrimaryKeyed, Codable {
      var id: UUID
      var name: String
      var coach: ToOne<Coach>
      var players: ToMany<Player>
      var leagues: ToMany<League>
      static let entity = Entity<Team>("Team") {
        .key("id", \.id, .uuidV7)
          .attribute("name", \.name)
          .relationship("coach", \.coach, inverse: \Coach.team)
          .relationship(
            "players", \.players, inverse: \Player.team, delete: .cascade, count: 0...25
          )
          .relationship("leagues", \.leagues, inverse: \League.teams)
      }
    }

    struct Coach: PrimaryKeyed, Codable {
      var id: String
      var team: ToOne<Team>
      var years: Int?
      static let entity = Entity<Coach>("Coach") {
        .key("id", \.id)
          .attribute("years", \.years)
          .relationship("team", \.team)
      }
    }

    struct Player: PrimaryKeyed, Codable {
      var id: Int
      var team: ToOne<Team>
      var name: String
      static let entity = Entity<Player>("Player") {
        .key("id", \.id)
          .attribute("name", \.name)
          .relationship("team", \.team, required: true)
      }
    }

    struct League: PrimaryKeyed, Codable {
      struct ID: CompositeKey {
        var country: String
        var number: Int
      }
      var id: ID
      var teams: ToMany<Team>
      var prizeMoney: Decimal
      var firstWinner: ToOne<Coach>
      static let entity = Entity<League>("League", naming: .snakeCase) {
        .key("country", \.id.country)
          .key("number", \.id.number)
          .attribute("prizeMoney", \.prizeMoney, .default(0))
          .relationship("teams", \.teams, ordered: true)
          .relationship("firstWinner", \.firstWinner)
      }
    }
  }
#endif
