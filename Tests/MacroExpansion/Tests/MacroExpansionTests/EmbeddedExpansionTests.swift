#if Macros
  import Testing

  /// Expansions of structs inside structs and of fallbacks.
  @Suite struct EmbeddedExpansionTests {
    @Test func `M5: structs are read from the columns behind those before them`() {
      expectExpansion(
        """
        @Persistable(indexes: [["home.street", "name"]])
        struct Customer {
          @Embedded var home: Address
          @PrimaryKey var id: Int
          @Embedded(name: "office", storedName: "o") var work: Shop.Address? = nil
          @Attribute(.fallback(Size.other)) var size: Size
          var name: String
        }
        """,
        #"""
        struct Customer {
          var home: Address
          var id: Int
          var work: Shop.Address? = nil
          var size: Size
          var name: String
        }

        extension Customer: ORM.Persistable, ORM.PrimaryKeyed {
          static let entity = ORM.Entity<Customer>("Customer") {
            #sourceLocation(file: "test.swift", line: 3)
                         .embedded("home", \.home)
            #sourceLocation()
              .key("id", \.id)
              #sourceLocation(file: "test.swift", line: 5)
                                                          .embedded("office", \.work, storedName: "o")
            #sourceLocation()
              #sourceLocation(file: "test.swift", line: 6)
                                                 .attribute("size", \.size, .fallback(Size.other))
            #sourceLocation()
              .attribute("name", \.name)
              .index("home.street", "name")
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            home = try row.embedded(at: 0)
            id = try row[Address.columnCount]
            work = try row.embedded(at: 1 + Address.columnCount)
            size = try row.value(at: 1 + Address.columnCount + Optional<Shop.Address>.columnCount, fallback: .other)
            name = try row[2 + Address.columnCount + Optional<Shop.Address>.columnCount]
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(embedded: home, at: 0)
            try row.write(id, at: Address.columnCount)
            try row.write(embedded: work, at: 1 + Address.columnCount)
            try row.write(value: size, at: 1 + Address.columnCount + Optional<Shop.Address>.columnCount)
            try row.write(name, at: 2 + Address.columnCount + Optional<Shop.Address>.columnCount)
          }
        }
        """#)
    }

    @Test func `M5: a struct without a key says how many columns it has`() {
      expectExpansion(
        """
        @Persistable
        struct Address {
          var street: String
          @Embedded var spot: Optional<Spot>
        }
        """,
        #"""
        struct Address {
          var street: String
          var spot: Optional<Spot>
        }

        extension Address: ORM.Persistable {
          static let entity = ORM.Entity<Address>("Address") {
            .attribute("street", \.street)
              #sourceLocation(file: "test.swift", line: 4)
                                  .embedded("spot", \.spot)
            #sourceLocation()
          }

          static var columnCount: Int {
            1 + Optional<Spot>.columnCount
          }

          init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
            street = try row[0]
            spot = try row.embedded(at: 1)
          }

          func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
            try row.write(street, at: 0)
            try row.write(embedded: spot, at: 1)
          }
        }
        """#)
    }

    @Test func `M5: what is no struct of attributes is refused`() {
      expectFinding(
        about: "@Embedded var a: String?",
        "@Embedded var a: String? ← 'a' cannot be embedded: its type must be a '@Persistable' "
          + "struct")
      expectFinding(
        about: "@Embedded var a: [Cup]",
        "@Embedded var a: [Cup] ← 'a' cannot be embedded: its type must be a '@Persistable' struct")
      expectFinding(
        about: "@Embedded var a = Cup()",
        "a = Cup() ← a macro cannot see the type of 'a': declare it",
        ["add a type": "@Embedded var a: <#Type#> = Cup()"])
      expectFinding(
        about: "@Embedded var a: ToOne<Cup>",
        "@Embedded var a: ToOne<Cup> ← '@Embedded' is for attributes, and this is a relationship",
        ["replace it with '@Relationship'": "@Relationship var a: ToOne<Cup>"])
      expectFinding(
        about: "@Embedded @Attribute(.indexed) var a: Cup",
        "@Attribute(.indexed) var a: Cup ← '@Embedded' and '@Attribute' cannot be combined")
    }
  }
#endif
