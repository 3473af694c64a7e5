#if Macros
  import Testing

  /// What the macro makes of rules, managed attributes, data beside the rows, derived attributes and
  /// parts of the entity.
  @Suite struct OptionExpansionTests {
    @Test func `M7, M8: rules and what the operations keep stand at their attributes`() {
      expectExpansion(
        """
        @Persistable("Paper", parent: Document.self)
        struct Paper {
          @PrimaryKey var id: Int
          @Attribute(.length(1...80), .matches("a+")) var title: String = ""
          @Attribute(.check("must be even") { (n: Int) in n % 2 == 0 }) let pages: Int
          @Attribute(.external(threshold: 4096)) var scan: Data?
          @Attribute(.createdAt) var created: Date = .now
          @Attribute(.updatedAt) var changed: Date?
          @Attribute(.version) var version = 0
          @Attribute(.softDelete) var deleted: Date? { didSet { } }
        }
        """,
        #"""
        struct Paper {
          var id: Int
          var title: String = ""
          let pages: Int
          var scan: Data?
          var created: Date = .now
          var changed: Date?
          var version = 0
          var deleted: Date? { didSet { } }
        }

        extension Paper: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Paper>("Paper", parent: Document.self) {
            .key("id", \.id)
              .attribute("title", \.title, .length(1 ... 80), .matches("a+"), .default(""))
              .attribute("pages", \.pages, .check("must be even") { (n: Int) in
                n % 2 == 0
              })
              .attribute("scan", \.scan, .external(threshold: 4096))
              .attribute("created", \.created, .createdAt)
              .attribute("changed", \.changed, .updatedAt)
              .attribute("version", \.version, .version)
              .attribute("deleted", \.deleted, .softDelete)
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            self.init(
              id: try row[0],
              title: try row[1],
              pages: try row[2],
              scan: try row[3],
              created: try row[4],
              changed: try row[5],
              version: try row[6],
              deleted: try row[7])
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id, at: 0)
            try row.write(title, at: 1)
            try row.write(pages, at: 2)
            try row.write(scan, at: 3)
            try row.write(created, at: 4)
            try row.write(changed, at: 5)
            try row.write(version, at: 6)
            try row.write(deleted, at: 7)
          }
        }
        """#)
    }

    @Test func `M10: what is derived is a column, and what it starts with no default`() {
      expectExpansion(
        """
        @Persistable(indexes: [["count", "best"]])
        struct Team {
          @PrimaryKey var id: Int
          @Derived(.count(of: \\Team.players), .indexed, .named("n"), name: "count")
          var playerCount = 0
          @Derived(.maximum("members", "score")) var best: Int?
          @Relationship(inverse: \\Player.team, name: "members", storedName: "people")
          var players: ToMany<Player> = ToMany()
        }
        """,
        #"""
        struct Team {
          var id: Int
          var playerCount = 0
          var best: Int?
          var players: ToMany<Player> = ToMany()
        }

        extension Team: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Team>("Team") {
            .key("id", \.id)
              .derived("count", \.playerCount, .count(of: \Team.players), .indexed, .named("n"))
              .derived("best", \.best, .maximum("members", "score"))
              .index("count", "best")
              .relationship("members", \.players, inverse: \Player.team, storedName: "people")
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            id = try row[0]
            playerCount = try row[1]
            best = try row[2]
            players = .notLoaded
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id, at: 0)
            try row.write(playerCount, at: 1)
            try row.write(best, at: 2)
          }
        }
        """#)
    }

    @Test func `M7: static parts of the entity stand after what properties declare`() {
      expectExpansion(
        """
        @Persistable
        struct Room {
          var opens: Int
          var closes: Int
          static let hours: EntityPart<Self> =
            .rule("hours", "must close after it opens") { $0.closes > $0.opens }
          private static let early = ORM.EntityPart<Room>.template("early", "opens < 8")
          static var more: EntityPart<Shop.Room> { .index("opens", "closes") }
          static let other: EntityPart<Hall> = .index("seats")
          static var sharedAttributes: EntityPart<Room> { stamps }
          static let parts = 3
        }
        """,
        #"""
        struct Room {
          var opens: Int
          var closes: Int
          static let hours: EntityPart<Self> =
            .rule("hours", "must close after it opens") { $0.closes > $0.opens }
          private static let early = ORM.EntityPart<Room>.template("early", "opens < 8")
          static var more: EntityPart<Shop.Room> { .index("opens", "closes") }
          static let other: EntityPart<Hall> = .index("seats")
          static var sharedAttributes: EntityPart<Room> { stamps }
          static let parts = 3
        }

        extension Room: ORM.Persistable {
          static let entity = ORM.Entity<Room>("Room") {
            .attribute("opens", \.opens)
              .attribute("closes", \.closes)
            Room.hours
            Room.early
            Room.more
          }

          static var columnCount: Int {
            2
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            opens = try row[0]
            closes = try row[1]
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(opens, at: 0)
            try row.write(closes, at: 1)
          }
        }
        """#)
    }
  }
#endif
