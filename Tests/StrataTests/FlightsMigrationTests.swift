#if Command
  import Foundation
  import LMDBBackend
  import MemoryBackend
  import ORM
  import ORMMigrations
  import ORMExchange
  import SQLiteBackend
  import TestSupport
  import Testing

  /// The OpenFlights data through five versions of a schema, from rows of texts to typed rows with
  /// links, on every store, against what the `sqlite3` command computes from the first version.
  struct FlightsMigrationTests {
    private static let folder = URL(fileURLWithPath: "../shared/data/openflights").path
    private static let isThere = FileManager.default.fileExists(atPath: folder + "/routes.csv")
    /// One route of `step` is taken; the airports, airlines and countries are whole.
    private static let step =
      ProcessInfo.processInfo.environment["STRATA_FLIGHTS_STEP"].flatMap { Int($0) } ?? 16

    @Test(
      "10.1: from texts to links in five versions, alike on every store",
      .enabled(if: isThere, "../shared/data/openflights is not here"),
      .enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
    func fiveVersions() throws {
      let folder = TestFolder(inMemory: true)
      let locations = [
        StoreLocation(kind: .sqlite, path: folder.file("flights.sqlite")),
        StoreLocation(kind: .lmdb, path: folder.file("flights.lmdb")),
        StoreLocation(kind: .memory, path: folder.file("flights.image")),
      ]
      let rows = try Self.rows()
      for location in locations { try Self.fill(location, rows) }
      let file = folder.file("flights.sqlite")
      let expected = try Self.answers(Self.questions.map(\.before), file)
      var digests: [[EntityDigest]] = []
      for location in locations {
        let start = ContinuousClock.now
        let store = try location.open(schema: Flights.schema(version: 5), options: Self.options())
        print("\(location.kind.scheme): five versions in \(ContinuousClock.now - start)")
        #expect(try store.check().isSound)
        let copy = MemoryStore(schema: try Flights.schema(version: 5))
        digests.append(try StoreCopy(from: store, to: copy).run())
        try store.close()
      }
      #expect(digests[1] == digests[0], "LMDB")
      #expect(digests[2] == digests[0], "memory")
      let found = try Self.answers(Self.questions.map(\.after), file)
      for (question, (before, after)) in zip(Self.questions, zip(expected, found)) {
        #expect(before == after, "\(question.before)")
      }
      // One version after the other leads to the same.
      let slow = StoreLocation(kind: .sqlite, path: folder.file("slow.sqlite"))
      try Self.fill(slow, rows)
      for version in 2...5 {
        let store = try slow.open(schema: Flights.schema(version: version), options: Self.options())
        if version == 5 {
          let copy = MemoryStore(schema: try Flights.schema(version: 5))
          #expect(try StoreCopy(from: store, to: copy).run() == digests[0], "step by step")
        }
        try store.close()
      }
    }

    private static func options() -> StoreOptions {
      var options = StoreOptions()
      options.schemaPolicy = .migrate(Flights.plan)
      return options
    }

    // MARK: Questions

    /// A statement on a file of version 1, and one on version 5 with the same answer.
    ///
    /// Of airports with one code, version 5 has the one whose key is the least text.
    private static let questions: [(before: String, after: String)] = [
      (
        "SELECT count(DISTINCT \(code)) FROM Airport a", "SELECT count(*) FROM Airport"
      ),
      (
        """
        SELECT sum(CAST(altitude_ft AS INTEGER)), count(altitude_ft),
          sum(CAST(latitude AS REAL) > 0), count(nullif(utc_offset_h, '')) FROM \(kept)
        """,
        """
        SELECT sum(altitude), count(altitude), sum(latitude > 0), count(utcOffset) FROM Location
        """
      ),
      (
        "SELECT count(*), count(DISTINCT country) FROM \(kept) WHERE country IN \(countries)",
        "SELECT count(nation_name), count(DISTINCT nation_name) FROM Airport"
      ),
      (
        """
        SELECT count(*), sum(stops = '1'), sum(codeshare = 'Y'),
          sum(length(equipment)) FROM Route
        """,
        "SELECT count(*), sum(stops = 1), sum(isShared), sum(length(equipment)) FROM Route"
      ),
      (
        """
        SELECT count(*) FROM Route r JOIN \(kept) a ON r.source_id = a.id
          WHERE a.country = 'Iceland'
        """,
        """
        SELECT count(*) FROM Route r JOIN Airport a ON r.source_code = a.code
          WHERE a.nation_name = 'Iceland'
        """
      ),
      (
        """
        SELECT count(*), count(DISTINCT r.destination_id) FROM Route r
          JOIN \(kept) a ON r.destination_id = a.id
        """,
        "SELECT count(destination_code), count(DISTINCT destination_code) FROM Route"
      ),
      (
        """
        SELECT group_concat(name || n, '|') FROM (SELECT a.name, count(*) AS n FROM Route r
          JOIN Airline a ON r.airline_id = a.id GROUP BY a.id ORDER BY n DESC, a.id LIMIT 20)
        """,
        """
        SELECT group_concat(name || n, '|') FROM (SELECT a.name, count(*) AS n FROM Route_carriers r
          JOIN Airline a ON r.Airline_id = a.id GROUP BY a.id ORDER BY n DESC, a.id LIMIT 20)
        """
      ),
      (
        "SELECT count(*), sum(active = 'Y') FROM Airline",
        "SELECT count(*), sum(isActive) FROM Airline"
      ),
    ]

    private static let code = "coalesce(a.iata, a.icao, 'OF' || a.id)"
    private static let kept = """
      (SELECT * FROM Airport WHERE id IN (SELECT min(a.id) FROM Airport a GROUP BY \(code)))
      """
    private static let countries = "(SELECT name FROM Country)"

    private static func answers(_ statements: [String], _ file: String) throws -> [String] {
      try statements.map { try SQLiteCommand.run($0, file) }
    }

    // MARK: Rows

    /// The rows of version 1; empty fields are nil, as are ids that lead nowhere.
    private static func rows() throws -> [(String, [DynamicRow])] {
      let airports = try read("airports")
      let airlines = try read("airlines")
      var countries: [[String: String]] = []
      // Two names stand there twice.
      for country in try read("countries")
      where !countries.contains(where: { $0["name"] == country["name"] }) {
        countries.append(country)
      }
      let names = Set(airports.map { $0["id"] })
      let carriers = Set(airlines.map { $0["id"] })
      let routes = try read("routes").enumerated().filter { $0.offset.isMultiple(of: step) }
      return [
        ("Country", countries), ("Airport", airports), ("Airline", airlines),
        (
          "Route",
          routes.map { number, route in
            var route = route
            route["id"] = String(number)
            for end in ["source_id", "destination_id"] where !names.contains(route[end]) {
              route[end] = nil
            }
            if !carriers.contains(route["airline_id"]) { route["airline_id"] = nil }
            return route
          }
        ),
      ].map { entity, records in
        let names = Set(Flights.texts[entity] ?? [])
        return (
          entity,
          records.map { record in
            DynamicRow(entity, record.filter { names.contains($0.key) }.mapValues { .string($0) })
          }
        )
      }
    }

    private static func read(_ name: String) throws -> [[String: String]] {
      var records: [[String: String]] = []
      try ImportFrom.csv(.file("\(folder)/\(name).csv")).forEachRecord { fields in
        records.append(
          fields.reduce(into: [:]) { record, field in
            if case .text(let text) = field.field { record[field.name] = text }
          })
      }
      return records
    }

    private static func fill(_ location: StoreLocation, _ rows: [(String, [DynamicRow])]) throws {
      let schema = try Flights.schema(version: 1)
      let image =
        location.kind.scheme == StoreKind.memory.scheme ? MemoryStore(schema: schema) : nil
      let store = try image ?? location.open(schema: schema)
      try store.write { tx in for (_, rows) in rows { try tx.insert(rows) } }
      if let image, let path = location.path { try image.write(to: path) }
      try store.close()
    }
  }

  /// The schemas of the flights at each version, and the plan between.
  private enum Flights {
    /// The attributes of version 1, texts all of them; the first is the key.
    static let texts = [
      "Airport": [
        "id", "name", "city", "country", "iata", "icao", "latitude", "longitude", "altitude_ft",
        "utc_offset_h",
      ],
      "Airline": ["id", "name", "country", "active"],
      "Route": [
        "id", "airline_id", "source_id", "destination_id", "codeshare", "stops", "equipment",
      ],
      "Country": ["name", "iso_code"],
    ]

    static let plan = MigrationPlan([
      .version(
        2,
        [
          .renameAttribute("altitude_ft", to: "altitude", in: "Airport"),
          .renameAttribute("utc_offset_h", to: "utcOffset", in: "Airport"),
          .renameAttribute("codeshare", to: "isShared", in: "Route"),
          .renameAttribute("active", to: "isActive", in: "Airline"),
        ]),
      .version(
        3,
        [
          .changeType(of: "altitude", to: .int64, in: "Airport", onFailure: .null),
          .changeType(of: "latitude", to: .double, in: "Airport", onFailure: .null),
          .changeType(of: "longitude", to: .double, in: "Airport", onFailure: .null),
          .changeType(of: "utcOffset", to: .double, in: "Airport", onFailure: .null),
          .changeType(of: "stops", to: .int64, in: "Route", onFailure: .null),
          .changeType(
            of: "isShared", to: .bool, in: "Route", by: .cases(["Y": .bool(true)]),
            onFailure: .value(.bool(false))),
          .changeType(
            of: "isActive", to: .bool, in: "Airline",
            by: .cases(["Y": .bool(true), "N": .bool(false)]), onFailure: .null),
        ]),
      .version(
        4,
        [
          .addAttribute("code", .string, in: "Airport"),
          .rows(of: "Airport", named: "codes", revision: 1) { row in
            for name in ["iata", "icao"] where row["code"].isNull { row["code"] = row[name] }
            if row["code"].isNull, case .string(let id) = row["id"] {
              row["code"] = .string("OF" + id)
            }
          },
          .removeDuplicates(of: ["code"], in: "Airport", keeping: .first),
          .makeRequired("code", in: "Airport"), .changeKey(of: "Airport", to: ["code"]),
          .addAttribute("nation_name", .string, in: "Airport"),
          .run(named: "nations", revision: 1) { tx in
            for country in try tx.fetch(DynamicQuery("Country")) {
              _ = try tx.update(
                DynamicQuery(
                  "Airport",
                  where: .compare(.attribute("country"), .equal, .value(country["name"]), [])),
                ["nation_name": .value(country["name"])])
            }
          },
          .dropAttributes(["country"], in: "Airport"),
        ]),
      .version(
        5,
        [
          .split(
            "Airport", into: "Location",
            moving: ["latitude", "longitude", "altitude", "utcOffset"], link: "location"),
          .renameRelationship("carrier", to: "carriers", in: "Route"),
          .moveLinks(of: "carriers", in: "Route"),
        ]),
    ])

    static func schema(version: Int) throws -> Schema {
      func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
        AttributeDescription(name, type, isOptional: true)
      }
      func link(_ name: String, _ target: String, _ column: String) -> RelationshipDescription {
        RelationshipDescription(
          name, target: target, isToMany: false, storage: .own([column], position: nil))
      }
      let isTyped = version >= 3
      let altitude = version == 1 ? "altitude_ft" : "altitude"
      let offset = version == 1 ? "utc_offset_h" : "utcOffset"
      let place = [
        attribute("latitude", isTyped ? .double : .string),
        attribute("longitude", isTyped ? .double : .string),
        attribute(altitude, isTyped ? .int64 : .string),
        attribute(offset, isTyped ? .double : .string),
      ]
      let key = version >= 4 ? "code" : "id"
      var airport = EntityDescription(
        name: "Airport",
        attributes: [
          AttributeDescription("id", .string), attribute("name"), attribute("city"),
          attribute("iata"), attribute("icao"),
        ], key: [key])
      if version < 4 { airport.attributes.append(attribute("country")) }
      if version < 5 { airport.attributes += place }
      if version >= 4 {
        airport.attributes += [AttributeDescription("code", .string), attribute("nation_name")]
        airport.relationships.append(link("nation", "Country", "nation_name"))
      }
      if version >= 5 {
        airport.attributes.append(attribute("location_id", .int64))
        airport.relationships.append(link("location", "Location", "location_id"))
      }
      let airline = EntityDescription(
        name: "Airline",
        attributes: [
          AttributeDescription("id", .string), attribute("name"), attribute("country"),
          attribute(version == 1 ? "active" : "isActive", isTyped ? .bool : .string),
        ], key: ["id"])
      let ends = ["source", "destination"]
      var route = EntityDescription(
        name: "Route",
        attributes: [
          AttributeDescription("id", .string), attribute("equipment"),
          attribute(version == 1 ? "codeshare" : "isShared", isTyped ? .bool : .string),
          attribute("stops", isTyped ? .int64 : .string),
        ] + ends.map { attribute("\($0)_\(key)") }, key: ["id"],
        relationships: ends.map { link($0, "Airport", "\($0)_\(key)") })
      if version < 5 {
        route.attributes.append(attribute("airline_id"))
        route.relationships.append(link("carrier", "Airline", "airline_id"))
      } else {
        route.relationships.append(
          RelationshipDescription(
            "carriers", target: "Airline", isToMany: true, isShared: true,
            storage: .join(
              entity: "Route_carriers", own: ["Route_id"], target: ["Airline_id"], position: nil)))
      }
      let country = EntityDescription(
        name: "Country",
        attributes: [AttributeDescription("name", .string), attribute("iso_code")], key: ["name"])
      var entities = [airport, airline, route, country]
      if version >= 5 {
        entities.append(
          EntityDescription(
            name: "Location", attributes: [AttributeDescription("id", .int64)] + place,
            key: ["id"], keySource: .generated))
      }
      return try Schema(entities: entities, version: version)
    }
  }
#endif
