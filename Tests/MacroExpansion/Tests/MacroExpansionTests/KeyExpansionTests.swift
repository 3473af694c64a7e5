#if Macros
  import Testing

  /// Expansions of keys whose properties have another name than `id`.
  @Suite struct KeyExpansionTests {
    @Test func `M3: a key of any name has an id that stands for it`() {
      expectExpansion(
        """
        @Persistable
        public struct Snack {
          @PrimaryKey(.generated, .named("nr")) public var snackID: Int64 = 0
          public var name: String
        }
        """,
        #"""
        public struct Snack {
          public var snackID: Int64 = 0
          public var name: String
        }

        extension Snack: ORM.Persistable, ORM.PrimaryKeyed {
          public static let entity = ORM.Entity<Snack>("Snack") {
            .key("snackID", \.snackID, .generated, .named("nr"), id: \.id)
              .attribute("name", \.name)
          }

          public var id: Int64 {
            get {
              snackID
            }
            set {
              snackID = newValue
            }
          }

          public init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            snackID = try row[0]
            name = try row[1]
          }

          public func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(snackID, at: 0)
            try row.write(name, at: 1)
          }
        }
        """#)
    }

    @Test func `M3: so has a key of several attributes, inside a nested type`() {
      expectExpansion(
        """
        enum Fair {
          @Persistable
          struct Booth {
            struct Spot: CompositeKey {
              var hall: String
              var number: Int
            }
            @PrimaryKey var spot: Spot
          }
        }
        """,
        #"""
        enum Fair {
          struct Booth {
            struct Spot: CompositeKey {
              var hall: String
              var number: Int
            }
            var spot: Spot

            static let entity = ORM.Entity<Booth>("Booth") {
              .key("hall", \.spot.hall, id: \.id.hall)
                .key("number", \.spot.number, id: \.id.number)
            }

            var id: Spot {
              get {
                spot
              }
              set {
                spot = newValue
              }
            }

            func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
              try row.write(spot.hall, at: 0)
              try row.write(spot.number, at: 1)
            }
          }
        }

        extension Fair.Booth: ORM.Persistable, ORM.PrimaryKeyed {
          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            spot = try Spot(hall: row[0], number: row[1])
          }
        }
        """#)
    }

    @Test func `M3: an id that the model computes stays`() {
      expectExpansion(
        """
        @Persistable
        struct Snack {
          @PrimaryKey var code: String
          var id: String { get { code } set { code = newValue.uppercased() } }
        }
        """,
        #"""
        struct Snack {
          var code: String
          var id: String { get { code } set { code = newValue.uppercased() } }
        }

        extension Snack: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Snack>("Snack") {
            .key("code", \.code, id: \.id)
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            code = try row[0]
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(code, at: 0)
          }
        }
        """#)
    }

    @Test func `M3: to-ones that are marked are parts of the key, in their order`() {
      expectExpansion(
        """
        @Persistable
        public struct Item {
          public var gift: ToOne<Gift> = ToOne()
          @PrimaryKey(.named("nr")) public var line: Int
          @PrimaryKey @Relationship(inverse: \\Order.items) public var order: ToOne<Order> = ToOne()
          public var count = 1
        }
        """,
        #"""
        public struct Item {
          public var gift: ToOne<Gift> = ToOne()
          public var line: Int
          public var order: ToOne<Order> = ToOne()
          public var count = 1
        }

        extension Item: ORM.Persistable, ORM.PrimaryKeyed {
          public static let entity = ORM.Entity<Item>("Item") {
            .key("line", \.line, .named("nr"), id: \.id.line)
              .key("order", \.order, inverse: \Order.items, id: \.id.order)
              .attribute("count", \.count, .default(1))
              .relationship("gift", \.gift)
          }

          public struct ID: ORM.CompositeKey {
            public var line: Int
            public var order: Order.ID?

            public init(line: Int, order: Order.ID?) {
              self.line = line
              self.order = order
            }
          }

          public var id: ID {
            get {
              ID(line: line, order: order.id)
            }
            set {
              line = newValue.line
              order.setKey(newValue.order)
            }
          }

          public init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            line = try row[0]
            count = try row[1]
            gift = try row.toOne(1, of: Item.self)
            order = try row.toOne(0, of: Item.self)
          }

          public func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(line, at: 0)
            try row.write(count, at: 1)
            try row.write(gift, toOne: 1, of: Item.self)
            try row.write(order, toOne: 0, of: Item.self)
          }
        }
        """#)
    }

    @Test func `a key of to-ones needs their types, and no other key beside it`() {
      expectFinding(
        "@Persistable struct Item { @PrimaryKey var order = ToOne<Order>() }",
        "order = ToOne<Order>() } ← a to-one of the primary key needs its type: write 'ToOne<…>'",
        [
          "add a type":
            "@Persistable struct Item { @PrimaryKey var order: <#Type#> = ToOne<Order>() }"
        ])
      expectFinding(
        "@Persistable struct Item { @PrimaryKey var order: ToOne<Order>; var id: Int }",
        "id: Int } ← 'id' stands for the primary key, which is 'order': give this property another "
          + "name")
      expectFinding(
        "@Persistable struct Item { @PrimaryKey var id: ToOne<Order> }",
        "id: ToOne<Order> } ← 'id' stands for the whole key: give this part of it another name")
      expectFinding(
        "@Persistable struct Item { @PrimaryKey var order: ToOne<Order>; "
          + "@PrimaryKey(.generated) var line: Int }",
        ".generated) var line: Int } ← a key of several attributes takes no options: the program "
          + "sets its values")
      expectFinding(
        "@Persistable struct Item { @PrimaryKey @Relationship var id: Int }",
        "@Relationship var id: Int } ← '@PrimaryKey' and '@Relationship' cannot be combined")
    }
  }
#endif
