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
  }
#endif
