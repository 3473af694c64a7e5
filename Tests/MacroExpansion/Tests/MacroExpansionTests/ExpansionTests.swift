#if Macros
  import Testing

  /// Expansions, beside the code that one writes by hand.
  @Suite struct ExpansionTests {
    @Test func `M2: attributes by position, with their options`() {
      expectExpansion(
        """
        @Persistable
        struct Snack {
          @PrimaryKey(.generated) var id: Int64 = 0
          @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
          var taste: String?
          @Attribute(.named("cost"), name: "amount") var price: Double = 0
          var tags: [String] = []
          @Transient var isSelected = false
        }
        """,
        #"""
        struct Snack {
          var id: Int64 = 0
          var name: String
          var taste: String?
          var price: Double = 0
          var tags: [String] = []
          var isSelected = false
        }

        extension Snack: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Snack>("Snack") {
            .key("id", \.id, .generated)
              .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
              .attribute("taste", \.taste)
              .attribute("amount", \.price, .named("cost"), .default(0))
              .attribute("tags", \.tags, .default([]))
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            id = try row[0]
            name = try row[1]
            taste = try row[2]
            price = try row[3]
            tags = try row[4]
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id, at: 0)
            try row.write(name, at: 1)
            try row.write(taste, at: 2)
            try row.write(price, at: 3)
            try row.write(tags, at: 4)
          }
        }
        """#)
    }

    @Test func `R1: to-ones come after the attributes, by their number among the relationships`() {
      expectExpansion(
        """
        @Persistable
        public struct Player {
          @Relationship(inverse: \\League.players, delete: .deny, count: 0...3)
          public var leagues: ToMany<League> = ToMany()
          @PrimaryKey(.uuidV7) public var id: UUID = .unassigned
          @Relationship(inverse: \\Team.players, required: true, name: "side")
          public var team: ToOne<Team>
          public var coach: ORM.ToOne<Coach> = ToOne()
          public var name: String
        }
        """,
        #"""
        public struct Player {
          public var leagues: ToMany<League> = ToMany()
          public var id: UUID = .unassigned
          public var team: ToOne<Team>
          public var coach: ORM.ToOne<Coach> = ToOne()
          public var name: String
        }

        extension Player: ORM.Persistable, ORM.PrimaryKeyed {
          public static let entity = ORM.Entity<Player>("Player") {
            .key("id", \.id, .uuidV7)
              .attribute("name", \.name)
              .relationship("leagues", \.leagues, inverse: \League.players, delete: .deny, count: 0 ... 3)
              .relationship("side", \.team, inverse: \Team.players, required: true)
              .relationship("coach", \.coach)
          }

          public init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            id = try row[0]
            name = try row[1]
            leagues = .notLoaded
            team = try row.toOne(1, of: Player.self)
            coach = try row.toOne(2, of: Player.self)
          }

          public func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id, at: 0)
            try row.write(name, at: 1)
            try row.write(team, toOne: 1, of: Player.self)
            try row.write(coach, toOne: 2, of: Player.self)
          }
        }
        """#)
    }

    @Test func `M2: a struct of more than six properties is made by its memberwise initializer`() {
      let properties = (1...4).map { "var n\($0): Int" }.joined(separator: "\n  ")
      expectExpansion(
        """
        @Persistable
        struct Wide {
          var owner: ToOne<Owner>
          @PrimaryKey var id: Int64
          @Transient var cache: [Int] = []
          \(properties)
          var row: String?
        }
        """,
        """
        struct Wide {
          var owner: ToOne<Owner>
          var id: Int64
          var cache: [Int] = []
          \(properties)
          var row: String?
        }

        extension Wide: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Wide>("Wide") {
            .key("id", \\.id)
              .attribute("n1", \\.n1)
              .attribute("n2", \\.n2)
              .attribute("n3", \\.n3)
              .attribute("n4", \\.n4)
              .attribute("row", \\.row)
              .relationship("owner", \\.owner)
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            self.init(
              owner: try row.toOne(0, of: Wide.self),
              id: try row[0],
              n1: try row[1],
              n2: try row[2],
              n3: try row[3],
              n4: try row[4],
              row: try row[5])
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id, at: 0)
            try row.write(n1, at: 1)
            try row.write(n2, at: 2)
            try row.write(n3, at: 3)
            try row.write(n4, at: 4)
            try row.write(self.row, at: 5)
            try row.write(owner, toOne: 0, of: Wide.self)
          }
        }
        """)
    }

    @Test(arguments: [
      "init() { (id, n1, n2, n3, n4, n5, n6) = (0, 1, 2, 3, 4, 5, 6) }",
      "#if DEBUG\n  init(_ id: Int) { self.init(id: id) }\n  #endif",
      "@Clamped @Transient var n7 = 0",
    ])
    func `M2: it is not where the struct may have another memberwise initializer`(_ member: String)
    {
      let properties = (1...6).map { "var n\($0) = \($0)" }.joined(separator: "\n  ")
      let expansion = expansionText(
        "@Persistable struct Wide {\n  @PrimaryKey var id = 0\n  \(properties)\n  \(member)\n}")
      #expect(expansion.contains("n6 = try row[6]"))
      #expect(!expansion.contains("self.init(\n"))
    }

    @Test func `M3: a key inside the model is spread over its properties`() {
      expectExpansion(
        """
        @Persistable("Enrolment", indexes: [["seat", .descending("student")]], unique: [["seat"]])
        struct Enrolment {
          struct ID: CompositeKey {
            var course: Int
            var student: String
          }
          @PrimaryKey var id: ID
          var seat: String?
        }
        """,
        #"""
        struct Enrolment {
          struct ID: CompositeKey {
            var course: Int
            var student: String
          }
          var id: ID
          var seat: String?
        }

        extension Enrolment: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Enrolment>("Enrolment") {
            .key("course", \.id.course)
              .key("student", \.id.student)
              .attribute("seat", \.seat)
              .index("seat", .descending("student"))
              .unique("seat")
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            id = try ID(course: row[0], student: row[1])
            seat = try row[2]
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(id.course, at: 0)
            try row.write(id.student, at: 1)
            try row.write(seat, at: 2)
          }
        }
        """#)
    }

    @Test func `M3: a key with an initialiser of its own is read as a whole`() {
      expectExpansion(
        """
        @Persistable(storedName: "seats", naming: .snakeCase)
        struct Seat {
          var row: Int
          @PrimaryKey(parts: "room", "number") var id: Place
        }
        """,
        #"""
        struct Seat {
          var row: Int
          var id: Place
        }

        extension Seat: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Seat>("Seat", storedName: "seats", naming: .snakeCase) {
            .attribute("row", \.row)
              .key("room", \.id.room)
              .key("number", \.id.number)
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            self.row = try row[0]
            id = try .read(from: row, at: [1, 2])
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(self.row, at: 0)
            try row.write(id.room, at: 1)
            try row.write(id.number, at: 2)
          }
        }
        """#)
    }

    @Test func `M2: what an extension or an availability says of a type goes for its members`() {
      expectExpansion(
        """
        public extension Shop {
          @available(macOS 15, *)
          @Persistable
          nonisolated struct Note {
            var text: String
          }
        }
        """,
        #"""
        public extension Shop {
          @available(macOS 15, *)
          nonisolated struct Note {
            var text: String

            public static let entity = ORM.Entity<Note>("Note") {
              .attribute("text", \.text)
            }

            public static var columnCount: Int {
              1
            }

            public func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
              try row.write(text, at: 0)
            }
          }
        }

        @available(macOS 15, *)
        nonisolated extension Shop.Note: ORM.Persistable {
          public init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            text = try row[0]
          }
        }
        """#)
    }

    @Test func `M1: a class has its row initialiser inside`() {
      expectExpansion(
        """
        @Persistable
        package final class Note: Sendable {
          package let text: String
          let place: Place
          @Attribute(.json, storedName: "p") var parts: [String: Int] = [:]
        }
        """,
        #"""
        package final class Note: Sendable {
          package let text: String
          let place: Place
          var parts: [String: Int] = [:]

          package init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            text = try row[0]
            place = try row.value(at: 1)
            parts = try row.decodeJSON(at: 2)
          }
        }

        extension Note: ORM.Persistable {
          package static let entity = ORM.Entity<Note>("Note") {
            .attribute("text", \.text)
              #sourceLocation(file: "test.swift", line: 4)
                .attribute("place", \.place)
            #sourceLocation()
              .json("parts", \.parts, storedName: "p")
          }

          package static var columnCount: Int {
            3
          }

          package func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(text, at: 0)
            try row.write(value: place, at: 1)
            try row.encodeJSON(parts, at: 2)
          }
        }
        """#)
    }

    @Test
    func `M2: what is not stored in an instance is no attribute, and literals alone are defaults`()
    {
      expectExpansion(
        """
        @Persistable
        struct Thing {
          static let shared = 1
          static var count: Int { 2 }
          var a, b: Int
          var `case` = -1.5 { didSet { } }
          var text = "x\\(1)"
          var made = Date()
          @Attribute(.default(Level.low)) var level: Level = .high
          @Attribute(.defaultNow) var at: Date
          var both: Int { a + b }
          var half: Int { get { a } set { a = newValue } }
          private(set) var size = Size.small
          @Transient lazy var cached = 3
          @Transient var last: Int?
          func run() {}
        }
        """,
        #"""
        struct Thing {
          static let shared = 1
          static var count: Int { 2 }
          var a, b: Int
          var `case` = -1.5 { didSet { } }
          var text = "x\(1)"
          var made = Date()
          var level: Level = .high
          var at: Date
          var both: Int { a + b }
          var half: Int { get { a } set { a = newValue } }
          private(set) var size = Size.small
          lazy var cached = 3
          var last: Int?
          func run() {}
        }

        extension Thing: ORM.Persistable {
          static let entity = ORM.Entity<Thing>("Thing") {
            .attribute("a", \.a)
              .attribute("b", \.b)
              .attribute("case", \.`case`, .default(-1.5))
              .attribute("text", \.text)
              .attribute("made", \.made)
              #sourceLocation(file: "test.swift", line: 9)
                                                .attribute("level", \.level, .default(Level.low))
            #sourceLocation()
              .attribute("at", \.at, .defaultNow)
              #sourceLocation(file: "test.swift", line: 13)
                      .attribute("size", \.size)
            #sourceLocation()
          }

          static var columnCount: Int {
            8
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            self.init(
              a: try row[0],
              b: try row[1],
              case: try row[2],
              text: try row[3],
              made: try row[4],
              level: try row.value(at: 5),
              at: try row[6],
              size: try row.value(at: 7))
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(a, at: 0)
            try row.write(b, at: 1)
            try row.write(`case`, at: 2)
            try row.write(text, at: 3)
            try row.write(made, at: 4)
            try row.write(value: level, at: 5)
            try row.write(at, at: 6)
            try row.write(value: size, at: 7)
          }
        }
        """#)
    }
  }
#endif
