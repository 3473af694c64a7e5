#if Macros
  internal import Foundation
  internal import ORM

  /// The models of a small program, as `SampleTests` uses them.
  enum Sample {
    @Persistable(indexes: [["taste", .descending("price")]])
    struct Snack {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
      var taste: String?
      var price: Double = 0
      @Transient var isSelected = false
    }

    struct Enrolment: Persistable, PrimaryKeyed, Codable {
      struct ID: CompositeKey { var classNumber: Int; var studentNumber: Int }
      var id: ID
      var seat: String?
      static let entity = Entity<Enrolment>("Enrolment") {
        .key("classNumber", \.id.classNumber)
          .key("studentNumber", \.id.studentNumber)
          .attribute("seat", \.seat, .indexed)
      }
    }

    @Persistable
    struct Stall {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Attribute(.length(1...80), .matches("\\w+")) var name: String
      @Attribute(.range(0...10_000)) var rent: Double = 0
      var opens = 8, closes = 18
      @Attribute(.createdAt) var created: Date = .now
      @Attribute(.updatedAt) var changed: Date?
      @Attribute(.version) var version: Int = 0

      static let rules: EntityPart<Stall> =
        .rule("hours", "must close after it opens") { $0.closes > $0.opens }
    }

    @Persistable
    struct Team {
      @PrimaryKey(.generated) var id: Int64 = 0
      var name: String
      @Relationship(inverse: \Coach.team) var coach: ToOne<Coach> = ToOne()
      @Relationship(inverse: \Player.team, delete: .cascade, count: 0...25)
      var players: ToMany<Player> = ToMany()
      @Relationship(inverse: \League.teams) var leagues: ToMany<League> = ToMany()
      @Derived(.count(of: \Team.players), .indexed) var playerCount = 0
    }

    // The targets of the relationships.
    @Persistable
    struct Coach {
      @PrimaryKey var id: Int64
      var team: ToOne<Team> = ToOne()
    }

    @Persistable
    struct Player {
      @PrimaryKey(.generated) var id: Int64 = 0
      var name: String
      var age = 20
      var team: ToOne<Team> = ToOne()
    }

    @Persistable
    struct League {
      @PrimaryKey var id: Int64
      var teams: ToMany<Team> = ToMany()
    }
  }

  /// The same model by hand.
  enum SampleByHand {
    struct Snack: Persistable, PrimaryKeyed {
      var id: Int64 = 0
      var name: String
      var taste: String?
      var price: Double = 0
      var isSelected = false

      static let entity = Entity<Snack>("Snack") {
        .key("id", \.id, .generated)
          .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
          .attribute("taste", \.taste)
          .attribute("price", \.price, .default(0))
          .index("taste", .descending("price"))
      }
      init<R: RowReader & ~Copyable>(row: borrowing R) throws {
        id = try row[0]; name = try row[1]; taste = try row[2]; price = try row[3]
      }
      func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
        try row.write(id, at: 0); try row.write(name, at: 1)
        try row.write(taste, at: 2); try row.write(price, at: 3)
      }
    }
  }
#endif
