#if Macros
  import Testing

  /// Expansions of types inside others, which may name types beside them.
  @Suite struct NestedExpansionTests {
    @Test func `M2: an extension sees nothing beside a nested type: its entity stands inside`() {
      expectExpansion(
        """
        enum Shop {
          @Persistable(parent: Person.self)
          struct Customer {
            @PrimaryKey var id: Int
            @Embedded var home: Address
            @Embedded var work: Address?
            @Attribute(.fallback(Size.other)) var size: Size
            @Relationship(inverse: \\Order.customer) var orders: ToMany<Order> = ToMany()
            var best: ToOne<Order> = ToOne()
          }
        }
        """,
        #"""
        enum Shop {
          struct Customer {
            var id: Int
            var home: Address
            var work: Address?
            var size: Size
            var orders: ToMany<Order> = ToMany()
            var best: ToOne<Order> = ToOne()

            static let entity = ORM.Entity<Customer>("Customer", parent: Person.self) {
              .key("id", \.id)
                #sourceLocation(file: "test.swift", line: 5)
                             .embedded("home", \.home)
              #sourceLocation()
                #sourceLocation(file: "test.swift", line: 6)
                             .embedded("work", \.work)
              #sourceLocation()
                #sourceLocation(file: "test.swift", line: 7)
                                                     .attribute("size", \.size, .fallback(Size.other))
              #sourceLocation()
                .relationship("orders", \.orders, inverse: \Order.customer)
                .relationship("best", \.best)
            }

            func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
              try row.write(id, at: 0)
              try row.write(embedded: home, at: 1)
              try row.write(embedded: work, at: 1 + Address.columnCount)
              try row.write(value: size, at: 1 + Address.columnCount + Optional<Address>.columnCount)
              try row.write(best, toOne: 1, of: Customer.self)
            }
          }
        }

        extension Shop.Customer: ORM.Persistable, ORM.PrimaryKeyed {
          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            id = try row[0]
            home = try row.embedded(at: 1)
            work = try row.embedded(at: 1 + type(of: home).columnCount)
            size = try row.value(at: 1 + type(of: home).columnCount + type(of: work).columnCount, fallback: .other)
            orders = .notLoaded
            best = try row.toOne(1, of: Shop.Customer.self)
          }
        }
        """#)
    }

    @Test func `M1: a nested class has everything inside`() {
      expectExpansion(
        """
        extension Shop {
          @Persistable
          public final class Note: Sendable {
            public let text: String
            @Embedded let place: Place
            let rank: Int
          }
        }
        """,
        #"""
        extension Shop {
          public final class Note: Sendable {
            public let text: String
            let place: Place
            let rank: Int

            public static let entity = ORM.Entity<Note>("Note") {
              .attribute("text", \.text)
                #sourceLocation(file: "test.swift", line: 5)
                              .embedded("place", \.place)
              #sourceLocation()
                .attribute("rank", \.rank)
            }

            public static var columnCount: Int {
              2 + Place.columnCount
            }

            public init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
              text = try row[0]
              place = try row.embedded(at: 1)
              rank = try row[1 + Place.columnCount]
            }

            public func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
              try row.write(text, at: 0)
              try row.write(embedded: place, at: 1)
              try row.write(rank, at: 1 + Place.columnCount)
            }
          }
        }

        extension Shop.Note: ORM.Persistable {
        }
        """#)
    }
  }
#endif
