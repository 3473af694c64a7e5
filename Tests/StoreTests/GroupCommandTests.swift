import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import TestSupport
import Testing

/// Groups and projections, asked of three stores and, in SQL, of the file by the `sqlite3` command:
/// clauses 4.1 and 4.2.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct GroupCommandTests {
  struct Airport: PrimaryKeyed, Codable {
    var id: Int64
    var country: String?
    var departures: ToMany<Route> = .notLoaded

    static let entity = Entity<Airport>("Airport") {
      .key("id", \.id)
        .attribute("country", \.country, .indexed)
        .relationship("departures", \.departures, inverse: \Route.source)
    }
  }

  struct Route: PrimaryKeyed, Codable {
    var id: Int64
    var airline: String
    var stops: Int
    var price: Double?
    var source: ToOne<Airport> = ToOne()

    static let entity = Entity<Route>("Route") {
      .key("id", \.id)
        .attribute("airline", \.airline, .indexed)
        .attribute("stops", \.stops)
        .attribute("price", \.price)
        .relationship("source", \.source)
    }
  }

  private let folder: TestFolder
  private let path: String
  private let stores: [any Store]

  init() throws {
    folder = TestFolder()
    path = folder.file("groups.sqlite")
    let schema = try Schema(Airport.self, Route.self)
    stores = [
      MemoryStore(schema: schema), try SQLiteStore(path: path, schema: schema),
      try LMDBStore(path: folder.file("groups.lmdb"), schema: schema),
    ]
    let countries = ["Iceland", "Chad", nil, "Peru", "Öland"]
    let airlines = ["LH", "lh", "BA", "", "Ä"]
    for store in stores {
      try store.write { tx in
        try tx.insert((1...60).map { Airport(id: $0, country: countries[Int($0 % 5)]) })
        try tx.insert(
          (1...900).map { id in
            // Prices are eighths, whose sums are exact in any order.
            Route(
              id: id, airline: airlines[Int(id * id % 7 % 5)], stops: Int(id % 4),
              price: id % 9 == 0 ? nil : Double(id % 100) / 8,
              source: id % 13 == 0 ? nil : .key(id * 11 % 60 + 1))
          })
      }
    }
  }

  /// The rows that each store gives as text, which must be those that `sqlite3` prints.
  private func expect<Question: ResultQuery>(
    _ question: Question, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Question.Row == String {
    let printed = try SQLiteCommand.run(sql, path).split(separator: "\n").map(String.init)
    #expect(printed.count > 1, "the question tells nothing", sourceLocation: sourceLocation)
    for store in stores {
      #expect(try store.fetch(question) == printed, sourceLocation: sourceLocation)
      #expect(try store.count(question) == printed.count, sourceLocation: sourceLocation)
    }
  }

  @Test("4.2: by one attribute, indexed and not, with all aggregates")
  func aggregates() throws {
    try expect(
      Route.all.grouped(by: \.airline) {
        ($0.count(), $0.count(\.price), $0.sum(\.stops), $0.sum(\.price), $0.max(\.price))
      }.map { text($0, $1, $2, $3, $4, $5) },
      """
      SELECT airline, count(*), count(price), sum(stops), sum(price), max(price)
      FROM Route GROUP BY airline ORDER BY airline
      """)
    try expect(
      Route.all.where { $0.price > 3 }.grouped(by: \.stops) {
        ($0.min(\.airline), $0.countDistinct(\.airline), $0.average(\.stops))
      }.map { text($0, $1, $2, $3) },
      """
      SELECT stops, min(airline), count(DISTINCT airline), avg(stops)
      FROM Route WHERE price > 3 GROUP BY stops ORDER BY stops
      """)
    try expect(
      Airport.all.grouped(by: \.country) { $0.count() }.map { text($0, $1) },
      "SELECT country, count(*) FROM Airport GROUP BY country ORDER BY country")
  }

  @Test("4.2: several keys, a condition on groups, an order by an aggregate, a part")
  func having() throws {
    try expect(
      Route.all.grouped(by: \.airline, \.stops) { ($0.count(), $0.sum(\.price)) }
        .having { $0.count() > 40 && $0.stops != 2 }
        .sorted(by: .descending { $0.sum(\.price) }, .ascending(\.airline)).map {
          text($0, $1, $2, $3)
        },
      """
      SELECT airline, stops, count(*), sum(price) FROM Route GROUP BY airline, stops
      HAVING count(*) > 40 AND stops <> 2 ORDER BY sum(price) DESC, airline, stops
      """)
    try expect(
      Route.all.grouped(by: \.price) { $0.count() }
        .sorted(by: .descending { $0.count() }, .descending(\.price)).limit(7).offset(3).map {
          text($0, $1)
        },
      """
      SELECT price, count(*) FROM Route GROUP BY price ORDER BY count(*) DESC, price DESC
      LIMIT 7 OFFSET 3
      """)
  }

  @Test("4.2, 2.8: by what to-ones lead to, and by counts of to-manys")
  func relationships() throws {
    try expect(
      Route.all.grouped(by: { $0.source.country }) { ($0.count(), $0.max(\.price)) }.map {
        text($0, $1, $2)
      },
      """
      SELECT a.country, count(*), max(r.price) FROM Route r
      LEFT JOIN Airport a ON a.id = r.source_id GROUP BY a.country ORDER BY a.country
      """)
    try expect(
      Airport.all.grouped(by: { $0.departures.count }) { ($0.count(), $0.min(\.country)) }.map {
        text($0, $1, $2)
      },
      """
      SELECT n, count(*), min(country) FROM (SELECT country,
        (SELECT count(*) FROM Route r WHERE r.source_id = a.id) AS n FROM Airport a)
      GROUP BY n ORDER BY n
      """)
    try expect(
      Airport.all.grouped(by: \.country) { $0.sum { $0.departures.sum(\.stops) } }.map {
        text($0, $1)
      },
      """
      SELECT country, sum((SELECT coalesce(sum(stops), 0) FROM Route r WHERE r.source_id = a.id))
      FROM Airport a GROUP BY country ORDER BY country
      """)
  }

  @Test("4.2, 2.8: projections, distinct ones too")
  func projections() throws {
    try expect(
      Route.all.where { $0.stops == 3 }.select {
        ($0.id, $0.source.country, $0.source.departures.count)
      }.map { text($0, $1, $2) },
      """
      SELECT r.id, a.country, (SELECT count(*) FROM Route o WHERE o.source_id = a.id)
      FROM Route r LEFT JOIN Airport a ON a.id = r.source_id WHERE r.stops = 3 ORDER BY r.id
      """)
    try expect(
      Route.all.select { ($0.airline, $0.source.country) }.distinct().map { text($0, $1) },
      """
      SELECT DISTINCT r.airline, a.country FROM Route r
      LEFT JOIN Airport a ON a.id = r.source_id ORDER BY r.airline, a.country
      """)
  }
}

/// A row as the command prints it; nil is nothing.
private func text(_ cells: (any CustomStringConvertible)?...) -> String {
  cells.map { $0.map { "\($0)" } ?? "" }.joined(separator: "|")
}
