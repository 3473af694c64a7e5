import Foundation
import MemoryBackend
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Pages with the rows that they lead to, which one trip reads.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresLinkedTests {
  private let namespace = PostgresNamespace()

  private static func schema() throws -> Schema {
    try Schema(Club.self, Trainer.self, Athlete.self, Shoe.self, Cup.self, Branch.self, Fan.self)
  }

  private static func fill(_ store: any Store) throws {
    try store.write { tx in
      for id in 1...12 {
        try tx.save(Club(id: id, name: "club \(id * 7 % 12)"))
        if id.isMultiple(of: 2) { try tx.save(Trainer(id: "t\(id)", club: .key(id))) }
        try tx.save(
          (1...3).map {
            Athlete(id: id * 10 + $0, name: "m\(id)-\($0)", club: id == 5 ? nil : .key(id))
          })
        try tx.save(Branch(id: id, parent: id < 3 ? nil : .key(id / 2)))
      }
      for id in 1...60 { try tx.save(Shoe(id: id, size: id % 7, owner: .key(id % 12 * 10 + 11))) }
      for number in 1...4 {
        try tx.save(
          Cup(
            id: Cup.ID(country: "de", number: number),
            clubs: .keys([number, 12 - number, number + 4])))
      }
      for id in 1...5 {
        try tx.save(Fan(id: id, favourites: .keys([id, id + 1]), firsts: .keys([12 - id])))
      }
      try tx.delete(Shoe.self, ids: [3, 4, 5])
    }
  }

  /// The trips of a fetch that runs for the second time, when every statement is prepared; its answer is
  /// that of a store in memory.
  private func trips<Model: PrimaryKeyed & Codable>(
    _ query: Query<Model>, _ store: PostgresStore, _ memory: MemoryStore
  ) throws -> Int {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let expected = try encoder.encode(try memory.fetch(query))
    #expect(try encoder.encode(try store.fetch(query)) == expected)
    let before = store.tripCount
    let found = try store.fetch(query)
    let trips = store.tripCount - before
    #expect(try encoder.encode(found) == expected)
    return trips
  }

  private func open(
    _ change: (inout PostgresOptions) -> Void = { _ in }
  ) throws -> (PostgresStore, MemoryStore) {
    var postgres = PostgresOptions()
    change(&postgres)
    let store = try PostgresStore(
      namespace.location(), schema: Self.schema(), postgres: postgres)
    let memory = try MemoryStore(schema: Self.schema())
    for store in [store, memory] as [any Store] { try Self.fill(store) }
    return (store, memory)
  }

  @Test("A page with its links takes one trip, whatever holds them and however deep they go")
  func one() throws {
    let (store, memory) = try open()
    let clubs = Club.all.sorted(by: .ascending(\.name)).limit(5)
    let members = Athlete.all.sorted(by: .descending(\.name)).offset(2).limit(7)
    func expectOne<Model: PrimaryKeyed & Codable>(_ query: Query<Model>) throws {
      #expect(try trips(query, store, memory) == 1)
    }
    try expectOne(clubs.prefetch(\.members))
    try expectOne(clubs.prefetch(\.trainer))
    try expectOne(clubs.prefetch(\.cups))
    try expectOne(clubs.prefetch(\.trainer, \.members, \.cups))
    try expectOne(members.prefetch(\.club))
    try expectOne(Trainer.all.limit(3).prefetch(\.club) { $0.prefetch(\.trainer) })
    try expectOne(Cup.all.limit(3).prefetch(\.clubs))
    try expectOne(Fan.all.limit(4).prefetch(\.favourites, \.firsts))
    try expectOne(Branch.all.limit(4).prefetch(\.children, depth: 3))
    try expectOne(clubs.prefetch(\.members) { $0.prefetch(\.shoes) })
    try expectOne(
      Cup.all.limit(2).prefetch(\.clubs) { $0.prefetch(\.members) { $0.prefetch(\.shoes) } })
    try expectOne(
      members.prefetch(\.club) {
        $0.prefetch(\.cups).prefetch(\.members) {
          $0.prefetch(\.club) { $0.prefetch(\.trainer) }
        }
      })
    try expectOne(clubs.where { $0.members.count > 2 }.prefetch(\.members))
    let withDeleted = clubs.includingDeleted(related: true)
    try expectOne(withDeleted.prefetch(\.members) { $0.prefetch(\.shoes) })
    try expectOne(clubs.where { $0.id > 50 }.prefetch(\.members))
    try store.close()
  }

  @Test("One object with its links takes one trip")
  func object() throws {
    let (store, memory) = try open()
    func trips(_ body: (any Store) throws -> Club?) throws -> Int {
      let expected = try body(memory)?.members.ids
      #expect(try body(store)?.members.ids == expected)
      let before = store.tripCount
      #expect(try body(store)?.members.ids == expected)
      return store.tripCount - before
    }
    let clubs = Club.all.prefetch(\.members) { $0.prefetch(\.shoes) }
    #expect(try trips { try $0.find(Club.self, 3, prefetch: \.members, \.trainer) } == 1)
    #expect(try trips { try $0.find(Club.self, 99, prefetch: \.members) } == 1)
    #expect(try trips { try $0.first(clubs.sorted(by: .descending(\.name))) } == 1)
    #expect(try trips { try $0.one(clubs.where { $0.id == 4 }) } == 1)
    try store.close()
  }

  @Test("Without a limit, with a large one, or with a residue, each relationship takes a trip")
  func several() throws {
    let (store, memory) = try open()
    let clubs = Club.all.prefetch(\.members) { $0.prefetch(\.shoes) }
    #expect(try trips(clubs, store, memory) == 3)
    #expect(try trips(clubs.limit(2_000), store, memory) == 1)
    #expect(try trips(clubs.limit(2_001), store, memory) == 3)
    // The server does not match patterns as the store does.
    #expect(try trips(clubs.where { $0.name.matches("club [1-9]+") }.limit(5), store, memory) == 3)
    try store.close()
  }

  @Test(
    "A page takes one trip with many writers, and is right where statements have no names",
    arguments: [PostgresOptions.Writers.oneWriter, .manyWriters(maximum: 2)])
  func modes(_ writers: PostgresOptions.Writers) throws {
    let clubs = Club.all.limit(5).prefetch(\.members).prefetch(\.cups) { $0.prefetch(\.clubs) }
    for statements in [PostgresOptions.Statements.automatic, .unnamed, .named] {
      let (store, memory) = try open {
        $0.writers = writers
        $0.statements = statements
      }
      let count = try trips(clubs, store, memory)
      #expect(count == 1)
      try store.close()
    }
  }

  @Test("In a write transaction a page is read by one trip, with what was written and undone")
  func writing() throws {
    let (store, memory) = try open()
    let clubs = Club.all.limit(4).prefetch(\.members) { $0.prefetch(\.shoes) }
    func answers(_ store: any Store) throws -> [[[Int]?]] {
      var answers: [[[Int]?]] = []
      try store.write { tx in
        func note() throws { answers.append(try tx.fetch(clubs).map(\.members.ids)) }
        try tx.save(Athlete(id: 1_000, name: "new", club: .key(2)))
        try note()
        try? tx.savepoint {
          try $0.save(Athlete(id: 1_001, name: "undone", club: .key(3)))
          try note()
          throw CancellationError()
        }
        // Beside a cursor.
        try tx.scan(Shoe.all, size: 10) { _ in try note() }
        try tx.delete(Athlete.self, id: 11)
        try note()
      }
      return answers
    }
    #expect(try answers(store) == answers(memory))
    try store.write { tx in
      try tx.save(Athlete(id: 1_002, name: "more", club: .key(2)))
      _ = try tx.fetch(clubs)
      let before = store.tripCount
      _ = try tx.fetch(clubs)
      #expect(store.tripCount - before == 1)
    }
    try store.close()
  }

  @Test("A page that meets tables which another program has changed is read for the new ones")
  func layout() throws {
    let (store, memory) = try open()
    let clubs = Club.all.limit(4).prefetch(\.members)
    #expect(try trips(clubs, store, memory) == 1)
    let members = "\(namespace.name).\"Athlete\""
    _ = try PostgresServer.psql(
      """
      BEGIN; ALTER TABLE \(members) RENAME COLUMN name TO old;
      ALTER TABLE \(members) ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
      UPDATE \(members) SET name = 'changed'; ALTER TABLE \(members) DROP COLUMN old;
      UPDATE \(namespace.name).strata_meta SET value = (value::bigint + 1)::text
      WHERE name = 'layout'; COMMIT;
      """)
    let names = try store.fetch(clubs).compactMap { try $0.members.get().map(\.name) }
    #expect(Set(names.joined()) == ["changed"])
    try store.close()
  }

  @Test("Names of attributes that the statement uses itself lead nowhere else")
  func names() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Odd.self))
    for isLinked in [false, true] {
      for id in 1...6 {
        let next: ToOne<Odd> = isLinked ? .key(id % 3 + 1) : nil
        try store.save(Odd(id: id, c0: 7 - id, c1: id % 2, next: next))
      }
    }
    let odd = Odd.all.sorted(by: .ascending(\.c1), .ascending(\.c0)).limit(4)
    let found = try store.fetch(odd.prefetch(\.next, \.previous))
    let ids: [Int] = found.map(\.id)
    #expect(ids == [6, 4, 2, 5])
    let next: [Int?] = found.map { $0.next.loaded?.c0 }
    #expect(next == [6, 5, 4, 4])
    let previous: [Int?] = found.map { $0.previous.ids?.count }
    #expect(previous == [0, 0, 2, 0])
    try store.close()
  }
}

struct Club: PrimaryKeyed, Codable {
  var id: Int
  var name: String
  var trainer: ToOne<Trainer> = .notLoaded
  var members: ToMany<Athlete> = .notLoaded
  var cups: ToMany<Cup> = .notLoaded

  static let entity = Entity<Club>("Club") {
    .key("id", \.id).attribute("name", \.name)
      .relationship("trainer", \.trainer, inverse: \Trainer.club)
      .relationship("members", \.members, inverse: \Athlete.club)
      .relationship("cups", \.cups, inverse: \Cup.clubs)
  }
}

struct Trainer: PrimaryKeyed, Codable {
  var id: String
  var club: ToOne<Club>

  static let entity = Entity<Trainer>("Trainer") {
    .key("id", \.id).relationship("club", \.club)
  }
}

struct Athlete: PrimaryKeyed, Codable {
  var id: Int
  var name: String
  var club: ToOne<Club>
  var shoes: ToMany<Shoe> = .notLoaded

  static let entity = Entity<Athlete>("Athlete") {
    .key("id", \.id).attribute("name", \.name).relationship("club", \.club)
      .relationship("shoes", \.shoes, inverse: \Shoe.owner)
  }
}

/// A model whose rows are hidden by a delete.
struct Shoe: PrimaryKeyed, Codable {
  var id: Int
  var size: Int
  var deletedAt: Date?
  var owner: ToOne<Athlete>

  static let entity = Entity<Shoe>("Shoe") {
    .key("id", \.id).attribute("size", \.size)
      .attribute("deletedAt", \.deletedAt, .softDelete).relationship("owner", \.owner)
  }
}

/// A model with a composite key.
struct Cup: PrimaryKeyed, Codable {
  struct ID: CompositeKey {
    var country: String
    var number: Int
  }
  var id: ID
  var clubs: ToMany<Club> = .notLoaded

  static let entity = Entity<Cup>("Cup") {
    .key("country", \.id.country).key("number", \.id.number)
      .relationship("clubs", \.clubs, ordered: true)
  }
}

/// A tree.
struct Branch: PrimaryKeyed, Codable {
  var id: Int
  var parent: ToOne<Branch>
  var children: ToMany<Branch> = .notLoaded

  static let entity = Entity<Branch>("Branch") {
    .key("id", \.id).relationship("parent", \.parent)
      .relationship("children", \.children, inverse: \Branch.parent)
  }
}

/// One-way relationships.
struct Fan: PrimaryKeyed, Codable {
  var id: Int
  var favourites: ToMany<Club> = .notLoaded
  var firsts: ToMany<Club> = .notLoaded

  static let entity = Entity<Fan>("Fan") {
    .key("id", \.id).relationship("favourites", \.favourites, ordered: true, shared: true)
      .relationship("firsts", \.firsts)
  }
}

/// A model whose attributes are named like columns of the statement for a page.
struct Odd: PrimaryKeyed, Codable {
  var id: Int
  var c0: Int
  var c1: Int
  var next: ToOne<Odd>
  var previous: ToMany<Odd> = .notLoaded

  static let entity = Entity<Odd>("q") {
    .key("id", \.id).attribute("c0", \.c0).attribute("c1", \.c1).relationship("next", \.next)
      .relationship("previous", \.previous, inverse: \Odd.next)
  }
}
