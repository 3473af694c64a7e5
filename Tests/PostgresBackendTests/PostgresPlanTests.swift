import Foundation
import MemoryBackend
import ORM
import ORMConformance
import ORMCore
import PostgresBackend
import TestSupport
import Testing

/// The rows that the server reads for requests through relationships, as EXPLAIN ANALYZE counts them.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresPlanTests {
  private let namespace = PostgresNamespace()

  private static let genres = 20
  private static let tracks = 2_000
  private static let lines = 4_000

  private struct Genre: PrimaryKeyed, Codable {
    var id: Int64
    var name: String
    var rank: Int
    var tracks: ToMany<Track> = .notLoaded
    static let entity = Entity<Genre>("Genre") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("rank", \.rank)
        .relationship("tracks", \.tracks, inverse: \Track.genre)
    }
  }

  private struct Track: PrimaryKeyed, Codable {
    var id: Int64
    var price: Double
    var title: String?
    var genre: ToOne<Genre> = .notLoaded
    var lines: ToMany<Line> = .notLoaded
    static let entity = Entity<Track>("Track") {
      .key("id", \.id)
        .attribute("price", \.price)
        .attribute("title", \.title, .indexed(.caseInsensitive))
        .relationship("genre", \.genre)
        .relationship("lines", \.lines, inverse: \Line.track)
    }
  }

  private struct Line: PrimaryKeyed, Codable {
    var id: Int64
    var price: Double
    var title: String?
    var track: ToOne<Track> = .notLoaded
    static let entity = Entity<Line>("Line") {
      .key("id", \.id)
        .attribute("price", \.price)
        .attribute("title", \.title, .indexed(.caseInsensitive))
        .relationship("track", \.track)
    }
  }

  /// A store on the server and one in memory with the same rows; every tenth track has no genre.
  private func stores() throws -> (PostgresStore, MemoryStore) {
    let schema = try Schema(Genre.self, Track.self, Line.self)
    let stores: (PostgresStore, MemoryStore) = (
      try PostgresStore(namespace.location(), schema: schema), MemoryStore(schema: schema)
    )
    for store in [stores.0, stores.1] as [any Store] {
      try store.write { tx in
        try tx.insert(
          (1...Self.genres).map { Genre(id: Int64($0), name: "g\($0 % 7)", rank: $0 % 5) })
        try tx.insert(
          (1...Self.tracks).map { number in
            Track(
              id: Int64(number), price: Double(number % 9),
              title: number % 11 == 0 ? nil : "Track \(number)",
              genre: number % 10 == 0 ? ToOne() : .key(Int64(number % Self.genres + 1)))
          })
        try tx.insert(
          (1...Self.lines).map { number in
            Line(
              id: Int64(number), price: 0, track: .key(Int64(number * number % Self.tracks + 1)))
          })
      }
    }
    for table in ["Genre", "Track", "Line"] {
      _ = try PostgresServer.psql("ANALYZE \(namespace.name).\"\(table)\"")
    }
    return stores
  }

  /// The rows that the nodes of a plan read from tables, with those that they drop.
  private static func rowsRead(_ node: [String: Any]) -> Double {
    func number(_ name: String) -> Double { (node[name] as? NSNumber)?.doubleValue ?? 0 }
    let own =
      node["Relation Name"] == nil
      ? 0
      : (number("Actual Rows") + number("Rows Removed by Filter")
        + number("Rows Removed by Index Recheck")) * number("Actual Loops")
    return (node["Plans"] as? [[String: Any]] ?? []).reduce(own) { $0 + rowsRead($1) }
  }

  /// Checks how many rows the server reads for a statement, which takes these values.
  private func expect(
    _ explanation: Explanation, _ values: [String] = [], reads most: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let sql = explanation.detail.prefix { $0 != "\n" }
    let call = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
    let text = try PostgresServer.psql(
      "PREPARE asked AS \(sql); EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked\(call)")
    let plans =
      try JSONSerialization.jsonObject(with: Data(text.joined(separator: "\n").utf8))
      as? [[String: Any]]
    let plan = try #require(plans?.first?["Plan"] as? [String: Any], sourceLocation: location)
    let read = Self.rowsRead(plan)
    #expect(
      read <= Double(most), "\(read) rows for \(explanation.detail)", sourceLocation: location)
  }

  @Test("3.4: an aggregate over the rows beside a row is computed once for all of them")
  func siblings() throws {
    let (store, memory) = try stores()
    let best = Track.all.where { $0.genre.tracks.max { $0.lines.count } > 3 }
    #expect(try store.fetch(best).map(\.id) == memory.fetch(best).map(\.id))
    // Every table once, and tracks once more beside each track.
    try expect(
      store.explain(best), ["3"], reads: Self.genres + 2 * Self.tracks + Self.lines)
    // Whether there is one is asked once for all of a genre, too.
    let cheap = Track.all.where { $0.genre.tracks.count { $0.price > 7.5 } == 0 }
    #expect(try store.fetch(cheap).map(\.id) == memory.fetch(cheap).map(\.id))
    try expect(store.explain(cheap), ["7.5"], reads: Self.genres + 2 * Self.tracks)
    try store.close()
  }

  @Test("3.4: a path through to-ones reads each table once")
  func paths() throws {
    let (store, memory) = try stores()
    let ranked = Line.all.where { $0.track.genre.rank > 2 && $0.track.price < 5 }
    #expect(try store.fetch(ranked).map(\.id) == memory.fetch(ranked).map(\.id))
    let all = Self.genres + Self.tracks + Self.lines
    try expect(store.explain(ranked), ["2", "5"], reads: all)
    let sorted = Track.all.sorted(by: .ascending { $0.genre.name }, .descending(\.id))
    #expect(try store.fetch(sorted).map(\.id) == memory.fetch(sorted).map(\.id))
    try expect(store.explain(sorted), reads: Self.genres + Self.tracks)
    let groups = Line.all.grouped(by: { $0.track.genre.name }) { $0.count() }
    let (names, expected) = (try store.fetch(groups), try memory.fetch(groups))
    #expect(
      names.map { $0.0 } == expected.map { $0.0 } && names.map { $0.1 } == expected.map { $0.1 })
    try expect(store.explain(groups), reads: all)
    try store.close()
  }

  @Test("4.2: the first rows of each group are all that the server hands over")
  func firstRows() throws {
    let (store, memory) = try stores()
    let groups = Track.all.first(2, per: \.genre, sorted: .descending(\.price))
    #expect(try store.fetch(groups).map(\.id) == memory.fetch(groups).map(\.id))
    let byName = Track.all.first(
      1, per: { $0.genre.name }, sorted: .ascending { $0.genre.rank }, .ascending(\.title))
    #expect(try store.fetch(byName).map(\.id) == memory.fetch(byName).map(\.id))
    let requests = try CountingStore(store).requests { _ = try $0.fetch(groups) }
    var rows = RowCount()
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    try reader.visit(try #require(requests.first), &rows)
    // Eighteen genres have tracks, and those without a genre are a group, too.
    #expect(rows.count == 2 * 19)
  }

  private struct RowCount: RowVisitor {
    var count = 0

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      count += 1
      return .next
    }
  }

  @Test("2.6: updates and deletes by related rows are one statement")
  func changes() throws {
    let (store, memory) = try stores()
    func both<R: Equatable>(_ body: (any Store) throws -> R) throws {
      let result = try body(memory)
      let before = store.tripCount
      #expect(try body(store) == result)
      // The count of the rows, the change and its commit, and what prepares them.
      #expect(store.tripCount - before <= 8)
      #expect(try store.fetch(Line.all).map(\.price) == memory.fetch(Line.all).map(\.price))
      #expect(try store.fetch(Line.all).map(\.title) == memory.fetch(Line.all).map(\.title))
      #expect(try store.fetch(Track.all).map(\.price) == memory.fetch(Track.all).map(\.price))
    }
    let price = Operand.path(Operand.Path(["track", "price"]))
    try both { store in
      try store.write { try $0.update(DynamicQuery("Line"), ["price": price]) }
    }
    // Texts with their folded forms; a second time, no row is another.
    let title = Operand.path(Operand.Path(["track", "title"]))
    for _ in 0..<2 {
      try both { store in
        try store.write { try $0.update(DynamicQuery("Line"), ["title": title]) }
      }
    }
    let folded = Line.all.where { $0.title.equals("TRACK 5", .caseInsensitive) }
    #expect(try store.fetch(folded).map(\.id) == memory.fetch(folded).map(\.id))
    try both { store in
      try store.update(Line.all.where { $0.track.genre.rank == 1 }) { $0.price = 7 }
    }
    try both { store in try store.delete(Line.all.where { $0.track.genre.name == nil }) }
    try store.close()
  }
}
