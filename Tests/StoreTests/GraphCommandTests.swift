import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import TestSupport
import Testing

/// Questions through relationships, asked of three stores and, in SQL, of the file by the `sqlite3`
/// command: clause 2.7 to 2.9.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct GraphCommandTests {
  struct Airport: PrimaryKeyed, Codable {
    var id: Int64
    var country: String?
    var departures: ToMany<Route> = .notLoaded
    var owners: ToMany<Owner> = .notLoaded

    static let entity = Entity<Airport>("Airport") {
      .key("id", \.id)
        .attribute("country", \.country)
        .relationship("departures", \.departures, inverse: \Route.source)
        .relationship("owners", \.owners, inverse: \Owner.airports)
    }
  }

  struct Route: PrimaryKeyed, Codable {
    var id: Int64
    var stops: Int
    var price: Double?
    var source: ToOne<Airport> = ToOne()
    var destination: ToOne<Airport> = ToOne()

    static let entity = Entity<Route>("Route") {
      .key("id", \.id)
        .attribute("stops", \.stops)
        .attribute("price", \.price)
        .relationship("source", \.source)
        .relationship("destination", \.destination)
    }
  }

  struct Owner: PrimaryKeyed, Codable {
    var id: Int64
    var airports: ToMany<Airport> = .notLoaded

    static let entity = Entity<Owner>("Owner") {
      .key("id", \.id)
        .relationship("airports", \.airports)
    }
  }

  private let folder: TestFolder
  private let path: String
  private let stores: [any Store]

  init() throws {
    folder = TestFolder()
    path = folder.file("graph.sqlite")
    let schema = try Schema(Airport.self, Route.self, Owner.self)
    stores = [
      MemoryStore(schema: schema), try SQLiteStore(path: path, schema: schema),
      try LMDBStore(path: folder.file("graph.lmdb"), schema: schema),
    ]
    let countries = ["Iceland", "Chad", nil, "Peru"]
    for store in stores {
      try store.write { tx in
        try tx.insert((1...40).map { Airport(id: $0, country: countries[Int($0 % 4)]) })
        try tx.insert(
          (1...400).map { id in
            // Every eleventh route leads nowhere, every thirteenth comes from nowhere.
            Route(
              id: id, stops: Int(id % 3), price: id % 7 == 0 ? nil : Double(id % 50),
              source: id % 13 == 0 ? nil : .key(id * id % 37 + 1),
              destination: id % 11 == 0 ? nil : .key(id * 7 % 40 + 1))
          })
        for id in Int64(1)...9 {
          var owner = Owner(id: id)
          owner.airports = .keys((1...40).filter { $0 % id == 1 })
          try tx.save(owner)
        }
      }
    }
  }

  /// The keys that each store finds, which must be those that `sqlite3` prints, in order.
  private func expect<Model: PrimaryKeyed>(
    _ query: Query<Model>, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Model.ID == Int64 {
    let printed = try SQLiteCommand.run(sql, path).split(separator: "\n").compactMap { Int64($0) }
    #expect(!printed.isEmpty, "the question tells nothing", sourceLocation: sourceLocation)
    for store in stores {
      #expect(try store.fetch(query).map(\.id) == printed, sourceLocation: sourceLocation)
    }
  }

  @Test("2.8: through a to-one, and through nil")
  func toOne() throws {
    try expect(
      Route.all.where { $0.source.country == "Chad" },
      """
      SELECT r.id FROM Route r JOIN Airport a ON a.id = r.source_id WHERE a.country = 'Chad'
      ORDER BY r.id
      """)
    try expect(
      Route.all.where { $0.source.country == nil },
      """
      SELECT r.id FROM Route r LEFT JOIN Airport a ON a.id = r.source_id WHERE a.country IS NULL
      ORDER BY r.id
      """)
  }

  @Test("2.7: any, all and none, with the outer row named inside")
  func quantifiers() throws {
    try expect(
      Airport.all.where { airport in
        airport.departures.any { $0.destination.country == airport.country && $0.stops > 0 }
      },
      """
      SELECT a.id FROM Airport a WHERE EXISTS (SELECT 1 FROM Route r
        LEFT JOIN Airport d ON d.id = r.destination_id
        WHERE r.source_id = a.id AND d.country IS a.country AND r.stops > 0) ORDER BY a.id
      """)
    try expect(
      Airport.all.where { $0.departures.all { $0.stops < 2 } },
      """
      SELECT a.id FROM Airport a WHERE NOT EXISTS (SELECT 1 FROM Route r
        WHERE r.source_id = a.id AND NOT r.stops < 2) ORDER BY a.id
      """)
    try expect(
      Airport.all.where { $0.departures.none { $0.price > 45 } },
      """
      SELECT a.id FROM Airport a WHERE NOT EXISTS (SELECT 1 FROM Route r
        WHERE r.source_id = a.id AND r.price > 45) ORDER BY a.id
      """)
  }

  @Test("2.7, 4.1: counts, sums and greatest over a to-many, in conditions and orders")
  func aggregates() throws {
    try expect(
      Airport.all.where { $0.departures.count > 10 && $0.departures.max(\.price) == 49 },
      """
      SELECT a.id FROM Airport a WHERE (SELECT count(*) FROM Route r WHERE r.source_id = a.id) > 10
        AND (SELECT max(price) FROM Route r WHERE r.source_id = a.id) = 49 ORDER BY a.id
      """)
    try expect(
      Airport.all.sorted(by: .descending { $0.departures.count }).limit(15),
      """
      SELECT a.id FROM Airport a ORDER BY
        (SELECT count(*) FROM Route r WHERE r.source_id = a.id) DESC, a.id DESC LIMIT 15
      """)
    try expect(
      Airport.all.where { $0.departures.sum(\.stops) > 14 },
      """
      SELECT a.id FROM Airport a WHERE
        (SELECT coalesce(sum(stops), 0) FROM Route r WHERE r.source_id = a.id) > 14 ORDER BY a.id
      """)
  }

  @Test("2.7: several hops over a many-to-many flatten")
  func hops() throws {
    try expect(
      Owner.all.where { $0.airports.departures.any { $0.price == 41 } },
      """
      SELECT o.id FROM Owner o WHERE EXISTS (SELECT 1 FROM Airport_owners j
        JOIN Airport a ON a.id = j.Airport_id JOIN Route r ON r.source_id = a.id
        WHERE j.owners_id = o.id AND r.price = 41) ORDER BY o.id
      """)
    try expect(
      Owner.all.where { $0.airports.departures.count > 150 },
      """
      SELECT o.id FROM Owner o WHERE (SELECT count(*) FROM Airport_owners j
        JOIN Airport a ON a.id = j.Airport_id JOIN Route r ON r.source_id = a.id
        WHERE j.owners_id = o.id) > 150 ORDER BY o.id
      """)
  }
}
