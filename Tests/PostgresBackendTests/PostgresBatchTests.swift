import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Statements that travel together, and rows that come by batches.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresBatchTests {
  private let namespace = PostgresNamespace()

  private func words(_ ids: some Sequence<Int>) -> [Word] {
    ids.map { Word(id: $0, text: "w\($0)", weight: Double($0)) }
  }

  @Test(
    "A save in one trip runs seven statements, all of them prepared",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func prepared() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let location = server.location + "&namespace=words&options=-c%20log_statement%3Dall"
    let store = try PostgresStore(location, schema: Schema(Word.self))
    for id in 1...3 { try store.save(Word(id: id, text: "a", weight: 1)) }
    let known = try server.log().count
    let trips = store.tripCount
    try store.save(Word(id: 4, text: "a", weight: 1))
    #expect(store.tripCount == trips + 1)
    let lines = try server.log().dropFirst(known).filter { $0.contains(" execute ") }
    let words = [
      "BEGIN", "SET LOCAL", "LOCK TABLE", "SELECT 1 /", "WITH given", "INSERT", "COMMIT",
    ]
    #expect(lines.count == words.count)
    for (line, word) in zip(lines, words) {
      #expect(line.contains(": \(word)"), "\(line)")
      #expect(!line.contains("<unnamed>"), "\(line)")
    }
    // A find begins its read with statements that are prepared, too.
    for _ in 1...3 { #expect(try store.find(Word.self, 1)?.text == "a") }
    let before = try server.log().count
    #expect(try store.find(Word.self, 2)?.text == "a")
    #expect(try store.find(Word.self, 3)?.text == "a")
    let finds = try server.log().dropFirst(before).filter { $0.contains(" execute ") }
    #expect(finds.contains { $0.contains("BEGIN") })
    #expect(!finds.contains { $0.contains("<unnamed>") && !$0.contains("ROLLBACK") })
    try store.close()
  }

  /// The rows that the transaction's statements have read of the table of words, by scans of it.
  private func rowsRead(_ transaction: borrowing ReadTransaction) throws -> Int {
    let table = "\(namespace.name).\"Word\""
    let rows = try transaction.query(
      sql: SQLRequest(
        words: "SELECT pg_stat_get_xact_tuples_returned('\(table)'::regclass) AS r"))
    guard case .int(let count)? = rows.first?["r"] else { return -1 }
    return Int(count)
  }

  @Test("A cursor asks for what is read of it and one batch more, also beside other requests")
  func pauses() throws {
    // The planner may not sort all rows first.
    let settings = "&options=-c%20enable_sort%3Doff%20-c%20enable_seqscan%3Doff"
    let store = try PostgresStore(
      namespace.location() + settings, schema: Schema(Word.self))
    try store.save(words(1...20_000))
    struct Enough: Error {}
    for _ in 1...2 {
      try store.read { transaction throws in
        var found: [Int] = []
        var read: [Int] = []
        do {
          try transaction.chunks(Word.all.where { $0.weight >= 0 }, size: 10) { chunk throws in
            found += chunk.map(\.id)
            #expect(try transaction.find(Word.self, 7)?.text == "w7")
            read.append(try rowsRead(transaction))
            if found.count == 30 { throw Enough() }
          }
        } catch is Enough {}
        #expect(found == Array(1...30))
        #expect(try transaction.count(Word.self) == 20_000)
        #expect(read.allSatisfy { 0 <= $0 && $0 < 2_000 }, "\(read)")
      }
    }
    // To the end, beside another cursor and finds.
    try store.read { transaction throws in
      var sums = [0, 0]
      try transaction.chunks(Word.all, size: 3_000) { chunk throws in
        sums[0] += chunk.reduce(0) { $0 + $1.id }
        if chunk[0].id == 1 {
          try transaction.chunks(Word.all.where { $0.id > 10_000 }, size: 700) { inner throws in
            sums[1] += inner.reduce(0) { $0 + $1.id }
            #expect(try transaction.find(Word.self, inner[0].id) == inner[0])
          }
        }
      }
      #expect(sums == [200_010_000, 150_005_000])
    }
    try store.close()
  }

  /// Replaces the table of words by a view that runs a condition for each row from a key on.
  private func watch(_ key: Int, _ condition: String) throws {
    let name = namespace.name
    try PostgresServer.psql(
      """
      ALTER TABLE \(name)."Word" RENAME TO words; CREATE VIEW \(name)."Word" AS
      SELECT * FROM \(name).words WHERE CASE WHEN id >= \(key) THEN \(condition) ELSE true END
      """)
  }

  @Test("9.8: A read that ends early cancels the search for further rows")
  func unread() throws {
    let settings = "&options=-c%20enable_sort%3Doff%20-c%20enable_seqscan%3Doff"
    var options = StoreOptions()
    options.readers = 1
    options.readerWait = .seconds(5)
    let store = try PostgresStore(
      namespace.location() + settings, schema: Schema(Word.self), options: options)
    try store.save(words(1...300))
    try watch(81, "pg_sleep(0.2)::text = ''")
    func process() throws -> [DynamicRow] {
      try store.query(sql: "SELECT pg_backend_pid() AS pid")
    }
    let before = try process()
    struct Enough: Error {}
    for _ in 1...2 {
      var found: [Int] = []
      do {
        try store.chunks(Word.all, size: 10) { chunk throws in
          found += chunk.map(\.id)
          if found.count == 30 { throw Enough() }
        }
      } catch is Enough {}
      #expect(found == Array(1...30))
      // The rows on their way would come after a minute.
      #expect(try store.find(Word.self, 7)?.text == "w7")
    }
    #expect(try process() == before)
    // The same in a write that is undone.
    do {
      try store.write { transaction throws in
        try transaction.scan(Word.all, size: 10) { _ throws in throw Enough() }
      }
    } catch is Enough {}
    try PostgresServer.psql("DROP VIEW \(namespace.name).\"Word\"")
    try PostgresServer.psql("ALTER TABLE \(namespace.name).words RENAME TO \"Word\"")
    #expect(try store.count(Word.self) == 300)
    try store.close()
  }

  @Test("9.1: A statement that fails while rows come undoes its savepoint, and nothing else")
  func failing() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self, Tally.self))
    try store.save(words(1...2_000))
    try PostgresServer.psql(
      """
      CREATE FUNCTION \(namespace.name).fail() RETURNS boolean LANGUAGE plpgsql AS
      'BEGIN RAISE division_by_zero; END'
      """)
    try watch(1_500, "\(namespace.name).fail()")
    try store.write { transaction throws in
      try transaction.save(Tally(id: 1, value: 1))
      for _ in 1...2 {
        var chunks = 0
        let error = #expect(throws: StoreError.self) {
          try transaction.savepoint { inner throws in
            try inner.save(Tally(id: 2, value: 2))
            try inner.scan(Word.all.where { $0.id < 1_000 }, size: 10) { _ throws in
              chunks += 1
              _ = try inner.fetch(Word.all.where { $0.id >= 1_600 })
            }
          }
        }
        #expect(chunks == 1)
        #expect(error?.engineCode == Int("22012", radix: 36))
        // The cursor around a savepoint outlives it.
        var found: [Int] = []
        try transaction.scan(Word.all.where { $0.id <= 1_000 }, size: 500) { chunk throws in
          found += chunk.map(\.id)
          #expect(throws: StoreError.self) {
            try transaction.savepoint { inner throws in
              _ = try inner.fetch(Word.all.where { $0.id >= 1_600 })
            }
          }
        }
        #expect(found == Array(1...1_000))
      }
      try transaction.save(Tally(id: 3, value: 3))
    }
    #expect(try store.fetch(Tally.all).map(\.id) == [1, 3])
    try store.close()
  }

  @Test("Fetches of many rows give the same rows by batches as one by one")
  func many() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    let all = words(1...5_000)
    try store.save(all)
    // The first run takes rows one by one, and finds out that there are many.
    for _ in 1...3 { #expect(try store.fetch(Word.all) == all) }
    try store.write { transaction throws in
      for _ in 1...2 { #expect(try transaction.fetch(Word.all) == all) }
      try transaction.delete(Word.all.where { $0.id > 10 })
      #expect(try transaction.fetch(Word.all) == Array(all.prefix(10)))
      struct Back: Error {}
      do {
        try transaction.savepoint { inner throws in
          try inner.save(all)
          #expect(try inner.fetch(Word.all) == all)
          throw Back()
        }
      } catch is Back {}
      #expect(try transaction.fetch(Word.all) == Array(all.prefix(10)))
    }
    for _ in 1...3 { #expect(try store.fetch(Word.all) == Array(all.prefix(10))) }
    try store.save(all)
    for _ in 1...3 { #expect(try store.fetch(Word.all) == all) }
    try store.close()
  }
}
