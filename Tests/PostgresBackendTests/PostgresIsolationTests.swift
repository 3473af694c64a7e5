import Dispatch
import Foundation
import ORM
import ORMCore
import PostgresBackend
import Synchronization
import TestSupport
import Testing

/// Isolation of transactions that overlap, in both ways of isolating writers.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresIsolationTests {
  private let namespace = PostgresNamespace()

  /// The ways of isolating writers; programs of both kinds may share a namespace.
  enum Mode: CaseIterable {
    case one, many, manyInOneStore, mixed
  }

  private func open(_ writers: PostgresOptions.Writers, _ schema: Schema) throws -> PostgresStore {
    var postgres = PostgresOptions()
    postgres.writers = writers
    return try PostgresStore(namespace.location(), schema: schema, postgres: postgres)
  }

  private func stores(_ mode: Mode, _ schema: Schema) throws -> [PostgresStore] {
    switch mode {
    case .one: [try open(.oneWriter, schema), try open(.oneWriter, schema)]
    case .many: [try open(.manyWriters(), schema), try open(.manyWriters(), schema)]
    case .manyInOneStore: [try open(.manyWriters(), schema)]
    case .mixed: [try open(.manyWriters(), schema), try open(.oneWriter, schema)]
    }
  }

  @Test(
    "9.2, 9.5: transactions that overlap have the outcome of some order", arguments: Mode.allCases,
    IsolationSchedule.all)
  func anomalies(_ mode: Mode, _ schedule: IsolationSchedule) throws {
    let stores = try stores(mode, Schema(Tally.self))
    try stores[0].save(IsolationSchedule.rows.map { Tally(id: $0, value: $1) })
    let (outcomes, rows) = try schedule.run(on: stores)
    #expect(schedule.isSerial(outcomes, rows), "\(outcomes) \(rows)")
    for (steps, outcome) in zip(schedule.transactions, outcomes) {
      let aborts = steps.contains { if case .abort = $0 { true } else { false } }
      #expect((outcome == nil) == aborts)
    }
    for store in stores { try store.close() }
  }

  @Test("The check of schedules finds what is not serial")
  func checker() {
    let skew = IsolationSchedule("", [[.read(1), .set(2, 0)], [.read(2), .set(1, 0)]], [])
    #expect(!skew.isSerial([[[1: 10]], [[2: 20]]], [1: 0, 2: 0]))
    #expect(skew.isSerial([[[1: 10]], [[2: 0]]], [1: 0, 2: 0]))
    #expect(skew.isSerial([[[1: 10]], nil], [1: 10, 2: 0]))
    #expect(!skew.isSerial([[[1: 10]], nil], [1: 10, 2: 20]))
  }

  /// Runs bodies on threads of their own at once, and returns their errors.
  private func together(
    _ bodies: [@Sendable () throws -> Void]
  ) -> [StoreError.Code?] {
    let codes = Mutex<[StoreError.Code?]>(bodies.map { _ in nil })
    DispatchQueue.concurrentPerform(iterations: bodies.count) { number in
      do {
        try bodies[number]()
      } catch {
        codes.withLock { $0[number] = (error as? StoreError)?.code ?? .engine }
      }
    }
    return codes.withLock { $0 }
  }

  @Test(
    "2.9: a team that is deleted while a player joins it leaves no link", arguments: Mode.allCases)
  func linkSkew(_ mode: Mode) throws {
    let schema = try Schema(Squad.self, Member.self)
    let stores = try stores(mode, schema)
    for round in Int64(1)...8 {
      try stores[0].save(Squad(id: round))
      let barrier = Barrier(2)
      let codes = together([
        { [stores] in
          try stores[0].write { tx in
            _ = try tx.find(Squad.self, round)
            if tx.attempt == 1 { barrier.wait() }
            try tx.delete(Squad.self, id: round)
          }
        },
        { [stores] in
          try stores[stores.count - 1].write { tx in
            _ = try tx.find(Squad.self, round)
            if tx.attempt == 1 { barrier.wait() }
            try tx.insert(Member(id: round, squad: .key(round)))
          }
        },
      ])
      #expect(codes[0] == nil)
      #expect(codes[1] == nil || codes[1] == .missingTarget)
      let member = try stores[0].find(Member.self, round)
      #expect(member?.squad.id == nil)
      #expect((member == nil) == (codes[1] != nil))
    }
    let dangling = try PostgresServer.psql(
      """
      SELECT count(*) FROM \(namespace.name)."Member" m WHERE squad_id IS NOT NULL AND NOT EXISTS \
      (SELECT 1 FROM \(namespace.name)."Squad" s WHERE s.id = m.squad_id)
      """)
    #expect(dangling == ["0"])
    for store in stores { try store.close() }
  }

  @Test("5.1: of rows that take one unique value at once, one is stored", arguments: Mode.allCases)
  func uniqueRaces(_ mode: Mode) throws {
    let stores = try stores(mode, Schema(Badge.self))
    for round in 0..<6 {
      let codes = together(
        (0..<4).map { task in
          { [stores] in
            let store = stores[task % stores.count]
            switch (round + task) % 3 {
            case 0: try store.insert(Badge(id: 0, name: "n\(round)"))
            case 1:
              try store.insert([
                Badge(id: 0, name: "n\(round)"), Badge(id: 0, name: "\(round).\(task)"),
              ])
            default: try store.write { try $0.insert(Badge(id: 0, name: "n\(round)")) }
            }
          }
        })
      #expect(codes.count { $0 == nil } == 1)
      #expect(codes.count { $0 == .duplicate } == 3)
      // An insert or an update, by who comes first: all are done.
      let saves = together(
        (0..<4).map { task in
          { [stores] in
            try stores[task % stores.count].save(
              Badge(id: 0, name: "s\(round)"), matching: \.name == "s\(round)")
          }
        })
      #expect(saves == [nil, nil, nil, nil])
    }
    let names = try stores[0].fetch(Badge.all).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.filter { $0.hasPrefix("n") }.count == 6)
    #expect(names.filter { $0.hasPrefix("s") }.count == 6)
    for store in stores { try store.close() }
  }
}

/// A point that threads pass together; one that waits too long passes alone.
final class Barrier: Sendable {
  private let count: Mutex<Int>
  private let open = DispatchSemaphore(value: 0)
  private let all: Int

  init(_ count: Int) {
    self.count = Mutex(count)
    all = count
  }

  func wait() {
    let isLast = count.withLock { count in
      count -= 1
      return count == 0
    }
    if isLast { for _ in 0..<all { open.signal() } }
    _ = open.wait(timeout: .now() + .milliseconds(200))
  }
}

struct Squad: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var members: ToMany<Member>

  init(id: Int64, members: ToMany<Member> = ToMany()) {
    self.id = id
    self.members = members
  }

  static let entity = Entity<Squad>("Squad") {
    .key("id", \.id).relationship("members", \.members, inverse: \Member.squad)
  }
}

struct Member: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var squad: ToOne<Squad>

  init(id: Int64, squad: ToOne<Squad>) {
    self.id = id
    self.squad = squad
  }

  static let entity = Entity<Member>("Member") {
    .key("id", \.id).relationship("squad", \.squad)
  }
}

struct Badge: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name: String

  static let entity = Entity<Badge>("Badge") {
    .key("id", \.id, .generated).attribute("name", \.name, .unique)
  }
}
