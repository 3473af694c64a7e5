import Foundation
import MemoryBackend
import ORM
import PostgresBackend
import Synchronization
import TestSupport
import Testing

/// The trips to the server that operations take, and puts of many rows in one of them.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresTripTests {
  private let namespace = PostgresNamespace()

  /// The trips of a body that runs for the second time, when every statement is prepared.
  private func trips(_ store: PostgresStore, _ body: (Int) throws -> Void) rethrows -> Int {
    try body(0)
    let before = store.tripCount
    try body(1)
    return store.tripCount - before
  }

  private func words(_ ids: some Sequence<Int>, _ text: String = "w") -> [Word] {
    ids.map { Word(id: $0, text: "\(text)\($0)", weight: Double($0)) }
  }

  @Test("A find is one trip, a save too, and a block two and one for each operation")
  func few() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    let saving = try trips(store) { try store.save(Word(id: $0 + 1, text: "a", weight: 1)) }
    #expect(saving == 1)
    let finding = try trips(store) { _ throws in #expect(try store.find(Word.self, 1)?.text == "a")
    }
    #expect(finding == 1)
    let counting = try trips(store) { _ throws in #expect(try store.count(Word.self) == 2) }
    #expect(counting == 1)
    let fetching = try trips(store) { _ throws in #expect(try store.fetch(Word.all).count == 2) }
    #expect(fetching == 1)
    let writing = try trips(store) { run in
      try store.write { transaction in
        try transaction.save(Word(id: 3, text: "b\(run)", weight: 1))
        try transaction.savepoint { _ = try $0.save(Word(id: 4, text: "c\(run)", weight: 1)) }
        #expect(try transaction.find(Word.self, 3)?.text == "b\(run)")
      }
    }
    #expect(writing == 5)
    let reading = try trips(store) { _ in
      try store.read { transaction throws in
        #expect(try transaction.find(Word.self, 3)?.text == "b1")
        #expect(try transaction.count(Word.self) == 4)
      }
    }
    #expect(reading == 3)
    try store.close()
  }

  @Test("An operation that is one write of the store takes one trip, and counts its commit")
  func single() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self, Place.self))
    func word(_ id: Int, _ text: String) -> Word { Word(id: id, text: text, weight: 1) }
    func commits() throws -> Int {
      try PostgresServer.psql(
        "SELECT value FROM \(namespace.name).strata_meta WHERE name = 'commits'"
      ).first.flatMap { Int($0) } ?? 0
    }
    let before = try commits()
    let saving = try trips(store) { try store.save(word($0 + 1, "a")) }
    #expect(saving == 1)
    let inserting = try trips(store) { try store.insert(word($0 + 3, "b")) }
    #expect(inserting == 1)
    let updating = try trips(store) { try store.update(word(1, "c\($0)")) }
    #expect(updating == 1)
    let deleting = try trips(store) { run throws in
      #expect(try store.delete(Word.self, id: run + 3))
    }
    #expect(deleting == 1)
    let adding = try trips(store) { _ throws in
      #expect(try store.patch(Word.self, 2) { $0[\.weight] += 1 } == 1)
    }
    #expect(adding <= 3)
    let many = try trips(store) { try store.save(words(100 * $0 + 100..<100 * $0 + 200)) }
    #expect(many == 1)
    #expect(try commits() == before + 12)
    // A save that leaves the row as it is changes nothing, the count of commits included.
    let leaving = try trips(store) { _ throws in
      #expect(try store.save(word(1, "c1"), as: ReportedSave.self).outcome == .unchanged)
    }
    #expect(leaving == 1)
    let missing = try trips(store) { _ throws in
      #expect(try !store.delete(Word.self, id: 1_000))
    }
    #expect(missing == 1)
    #expect(try commits() == before + 12)
    // Two models of a unique rule pass a value to each other, which one statement cannot do.
    try store.save([Place(id: 1, rank: 1), Place(id: 2, rank: 2)])
    try store.save([Place(id: 1, rank: 2), Place(id: 2, rank: 1)])
    #expect(try store.fetch(Place.all).map(\.rank) == [2, 1])
    let ranking = try trips(store) { try store.save(Place(id: 3, rank: 3 + $0)) }
    #expect(ranking == 1)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "What one trip refuses is not committed, and reported as in a block",
    arguments: [PostgresOptions.Writers.oneWriter, .manyWriters(maximum: 2)])
  func refused(_ writers: PostgresOptions.Writers) throws {
    var postgres = PostgresOptions()
    postgres.writers = writers
    let store = try PostgresStore(
      namespace.location(), schema: Schema(Word.self, Place.self), postgres: postgres)
    func expect(
      _ code: StoreError.Code, _ key: Int, _ body: () throws -> Void
    ) throws {
      do {
        try body()
        Issue.record("nothing was thrown")
      } catch let error as StoreError {
        #expect(error.code == code, "\(error)")
        #expect(error.key == [.int(Int64(key))])
      }
    }
    for id in 1...2 { try store.insert(Word(id: id, text: "a", weight: 1)) }
    for id in 1...2 { try store.insert(Place(id: id, rank: id)) }
    for _ in 1...2 {
      try expect(.duplicate, 1) { try store.insert(Word(id: 1, text: "b", weight: 1)) }
      try expect(.notFound, 9) { try store.update(Word(id: 9, text: "b", weight: 1)) }
      try expect(.notFound, 9) {
        try store.update([
          Word(id: 1, text: "b", weight: 1), Word(id: 9, text: "b", weight: 1),
        ])
      }
      try expect(.notFound, 9) { try store.patch(Word.self, 9) { $0[\.weight] += 1 } }
      try expect(.duplicate, 3) { try store.save(Place(id: 3, rank: 2)) }
      try expect(.duplicate, 1) { try store.save(Place(id: 1, rank: 2)) }
    }
    #expect(try store.fetch(Word.all).map(\.text) == ["a", "a"])
    #expect(try store.fetch(Place.all).map(\.rank) == [1, 2])
    // The store goes on, and each of its commits is its own.
    let others = Mutex(0)
    let observation = store.runtime.transactions.observeCommits { notice in
      if notice.isFromOtherProcess { others.withLock { $0 += 1 } }
    }
    for id in 1...3 { try store.save(Word(id: id, text: "c", weight: 1)) }
    observation.cancel()
    #expect(others.withLock { $0 } == 0)
    #expect(try store.count(Word.self) == 3)
    try store.close()
  }

  @Test("With many writers, and where every outcome is learnt, a save takes one trip or two")
  func modes() throws {
    func trips(_ change: (inout PostgresOptions) -> Void) throws -> Int {
      var postgres = PostgresOptions()
      change(&postgres)
      let store = try PostgresStore(
        namespace.location(), schema: Schema(Word.self), postgres: postgres)
      defer { try? store.close() }
      return try self.trips(store) { try store.save(Word(id: $0, text: "a\($0)", weight: 1)) }
    }
    let many = try trips { $0.writers = .manyWriters(maximum: 2) }
    #expect(many == 1)
    let certain = try trips { $0.outcome = .certain }
    #expect(certain == 2)
  }

  /// Inserts a word, and returns 1 if it is refused.
  private static func insert(_ id: Int, into store: PostgresStore) async throws -> Int {
    do {
      try await store.insert(Word(id: id, text: "t", weight: 1))
      return 0
    } catch let error as StoreError where error.code == .duplicate {
      return 1
    }
  }

  @Test("Operations that wait together share commits, and one that is refused fails alone")
  func together() async throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask { try await Self.insert(number % 180, into: store) }
      }
      return try await group.reduce(0, +)
    }
    #expect(refused == 20)
    #expect(try await store.fetch(Word.all).map(\.id) == Array(0..<180))
    try await store.close()
  }

  @Test("An operation that meets tables which another program has changed is run for the new ones")
  func layout() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    for id in 1...2 { try store.save(Word(id: id, text: "a", weight: 1)) }
    func change(_ name: String) throws {
      // The column of the texts gets another position, and the number of the layout is raised.
      let word = "\(namespace.name).\"Word\""
      _ = try PostgresServer.psql(
        """
        BEGIN; ALTER TABLE \(word) RENAME COLUMN text TO old;
        ALTER TABLE \(word) ADD COLUMN text text COLLATE "C" NOT NULL DEFAULT '';
        UPDATE \(word) SET text = '\(name)'; ALTER TABLE \(word) DROP COLUMN old;
        UPDATE \(namespace.name).strata_meta SET value = (value::bigint + 1)::text
        WHERE name = 'layout'; COMMIT;
        """)
    }
    for _ in 1...2 { #expect(try store.find(Word.self, 1)?.text == "a") }
    try change("b")
    #expect(try store.find(Word.self, 1)?.text == "b")
    try change("c")
    #expect(try store.fetch(Word.all).map(\.text) == ["c", "c"])
    try change("d")
    try store.save([Word(id: 1, text: "e", weight: 1), Word(id: 3, text: "f", weight: 1)])
    #expect(try store.fetch(Word.all).map(\.text) == ["e", "d", "f"])
    try change("g")
    #expect(try store.update(Word.all.where { $0.text == "g" }) { $0.weight = 2 } == 3)
    try change("h")
    #expect(try store.delete(Word.all.where { $0.text == "h" }) == 3)
    try store.close()
  }

  @Test("An object whose key the store makes is inserted by one trip, with the next key")
  func generated() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Ticket.self))
    let memory = try MemoryStore(schema: Schema(Ticket.self))
    func keys(_ body: (any Store) throws -> [Int]) throws -> Int {
      let before = store.tripCount
      let found = try body(store)
      let trips = store.tripCount - before
      #expect(try found == body(memory))
      return trips
    }
    func insert(_ text: String) throws -> Int {
      try keys { [try $0.insert(Ticket(id: 0, text: text)).id] }
    }
    _ = try insert("a")
    #expect(try insert("b") == 1)
    _ = try keys { [try $0.save(Ticket(id: 0, text: "c")).id] }
    #expect(try keys { [try $0.save(Ticket(id: 0, text: "d")).id] } == 1)
    // What was deleted, what came with a key, and what others insert count.
    _ = try keys { try $0.delete(Ticket.self, id: 4) ? [4] : [] }
    #expect(try insert("e") == 1)
    _ = try keys { [try $0.insert(Ticket(id: 20, text: "f")).id] }
    #expect(try insert("g") == 1)
    _ = try PostgresServer.psql("INSERT INTO \(namespace.name).\"Ticket\" VALUES (30, 'h')")
    try memory.insert(Ticket(id: 30, text: "h"))
    #expect(try insert("i") == 1)
    // Several, with keys and without, and within a block.
    for round in 0...1 {
      let texts = (0..<3).map { "\(round) \($0)" }
      let plain = texts.map { Ticket(id: 0, text: $0) }
      let mixed = [
        Ticket(id: 0, text: "x\(round)"), Ticket(id: 100 + 50 * round, text: "y\(round)"),
      ]
      for tickets in [plain, mixed] {
        _ = try keys {
          try $0.insert(tickets)
          return try $0.fetch(Ticket.all).map(\.id)
        }
      }
      _ = try keys { store in
        try store.write { tx in
          try texts.map { try tx.insert(Ticket(id: 0, text: "z" + $0)).id }
        }
      }
    }
    // What is refused takes no key.
    for store in [store, memory] as [any Store] {
      let error = #expect(throws: StoreError.self) { try store.insert(Ticket(id: 0, text: "a")) }
      #expect(error?.code == .duplicate)
    }
    #expect(try insert("j") == 1)
    // After the last key there is none.
    _ = try keys { [try $0.insert(Ticket(id: .max, text: "k")).id] }
    for store in [store, memory] as [any Store] {
      let error = #expect(throws: StoreError.self) { try store.insert(Ticket(id: 0, text: "l")) }
      #expect(error?.code == .keysExhausted)
    }
    #expect(try store.fetch(Ticket.all) == memory.fetch(Ticket.all))
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("10,000 rows are saved by ten statements, with the outcome of each")
  func many() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    try store.save(words(1...10))
    let before = store.tripCount
    let counts = try store.save(words(1...10_000)).counts
    #expect(counts == SaveCounts(inserted: 9_990, updated: 0, unchanged: 10))
    // Ten batches, the first of them with the beginning and the savepoint, and the commit. The statements are
    // prepared for more rows than one, too.
    #expect(store.tripCount - before <= 12)
    let changed = try store.save(words(9_000...10_500, "x")).counts
    #expect(changed == SaveCounts(inserted: 500, updated: 1_001, unchanged: 0))
    #expect(try store.count(Word.self) == 10_500)
    #expect(try store.find(Word.self, 9_000)?.text == "x9000")
    #expect(
      try PostgresServer.psql("SELECT sum(id), min(text) FROM \(namespace.name).\"Word\"")
        == ["55130250|w1"])
    try store.close()
  }

  @Test("A row at fault in a batch is named, and none of the others is stored")
  func fault() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    try store.save(words([7]))
    do {
      try store.insert(words([5, 6, 7, 8]))
      Issue.record("a key was taken twice")
    } catch let error as StoreError {
      #expect(error.code == .duplicate)
      #expect(error.key == [.int(7)])
    }
    #expect(try store.count(Word.self) == 1)
    // The later of two rows with one key wins, and both are told of.
    let counts = try store.save([
      Word(id: 1, text: "first", weight: 0), Word(id: 2, text: "other", weight: -0.0),
      Word(id: 1, text: "second", weight: 0),
    ]).counts
    #expect(counts == SaveCounts(inserted: 2, updated: 1, unchanged: 0))
    #expect(try store.find(Word.self, 1)?.text == "second")
    // The sign of a zero is a change, and nothing else is.
    #expect(
      try store.save([Word(id: 2, text: "other", weight: 0)]).counts
        == SaveCounts(inserted: 0, updated: 1, unchanged: 0))
    #expect(
      try store.save([Word(id: 2, text: "other", weight: 0)]).counts
        == SaveCounts(inserted: 0, updated: 0, unchanged: 1))
    try store.close()
  }

  @Test("Arrays of every kind come through a batch to the last bit")
  func arrays() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Specimen.self))
    var others: [Specimen] = []
    for id in 1...3 {
      var other = Specimen.full
      other.id = Int64(id)
      if id == 2 { (other.tags, other.numbers) = ([], []) }
      others.append(other)
    }
    #expect(try store.save(others).counts == SaveCounts(inserted: 3, updated: 0, unchanged: 0))
    #expect(try store.save(others).counts == SaveCounts(inserted: 0, updated: 0, unchanged: 3))
    let found = try store.fetch(Specimen.all)
    #expect(found == others)
    #expect(found[0].numbers[0].sign == .minus)
    others[0].numbers[0] = 0
    #expect(try store.save(others).counts == SaveCounts(inserted: 0, updated: 1, unchanged: 2))
    try store.close()
  }
}

/// A model of a few columns.
struct Word: PrimaryKeyed, Codable, Equatable {
  var id: Int
  var text: String
  var weight: Double

  static let entity = Entity<Word>("Word") {
    .key("id", \.id).attribute("text", \.text, .indexed).attribute("weight", \.weight)
  }
}

/// A model whose key the store makes, with a unique rule.
struct Ticket: PrimaryKeyed, Codable, Equatable {
  var id: Int
  var text: String

  static let entity = Entity<Ticket>("Ticket") {
    .key("id", \.id, .generated).attribute("text", \.text, .unique)
  }
}

/// A model with a unique rule.
struct Place: PrimaryKeyed, Codable, Equatable {
  var id: Int
  var rank: Int

  static let entity = Entity<Place>("Place") {
    .key("id", \.id).attribute("rank", \.rank, .unique)
  }
}

/// A namespace of a test's own, which is dropped with it.
final class PostgresNamespace {
  let name = PostgresServer.newNamespace()

  func location() throws -> String { try PostgresServer.location(of: name) }

  /// Opens a store of specimens there.
  func open(_ options: StoreOptions = StoreOptions(), user: String? = nil) throws -> PostgresStore {
    try PostgresStore(
      PostgresServer.location(of: name, user: user), schema: Schema(Specimen.self),
      options: options)
  }

  deinit {
    _ = try? PostgresServer.psql(
      "SET client_min_messages = error; DROP SCHEMA IF EXISTS \(name) CASCADE")
  }
}
