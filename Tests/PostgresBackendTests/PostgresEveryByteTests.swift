import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Connections that a proxy cuts, cuts on one side, swallows or holds up after any byte of any operation, in both directions:
/// clause 9.3.
///
/// What the program is told is compared with what another connection finds. Afterwards, the server must have
/// no lock and no transaction of the lost connection, and another writer gets through.
///
/// A fiftieth of `STRATA_KILLS` is the number of faults of each case; from the number of its bytes on, each
/// byte is a fault. Without it, a third of the cases has one fault each.
@Suite(
  .serialized,
  .enabled(if: PostgresServer.socket != nil, "STRATA_POSTGRES names no server on a Unix socket"))
struct PostgresEveryByteTests {
  /// A mode of the store.
  enum Mode: String, CaseIterable, CustomTestStringConvertible {
    case normal, certain, manyWriters

    var testDescription: String { rawValue }

    var options: PostgresOptions {
      var options = PostgresOptions()
      if self == .certain { options.outcome = .certain }
      if self == .manyWriters { options.writers = .manyWriters(maximum: 2) }
      return options
    }
  }

  /// An operation on the rows of a number, 10 of them.
  private struct Operation: Sendable {
    let name: String
    /// The text of each of the ten rows before, and after; nil where there is none.
    let before: String?
    let after: String?
    /// The number of the rows that it changes.
    var rows = 1
    let body: @Sendable (PostgresStore, Int) throws -> Void

    /// True if it writes.
    var writes: Bool { before != after }
  }

  private struct WrongRows: Error {}

  private static let operations: [Operation] = [
    Operation(name: "find", before: "old", after: "old") { store, id in
      guard try store.find(Word.self, id)?.text == "old" else { throw WrongRows() }
    },
    Operation(name: "fetch", before: "old", after: "old") { store, id in
      let rows = try store.fetch(Word.all.where { $0.id >= id && $0.id < id + 10 })
      guard rows.map(\.id) == Array(id..<id + 10) else { throw WrongRows() }
    },
    Operation(name: "count", before: "old", after: "old") { store, id in
      let count = try store.count(Word.all.where { $0.id >= id && $0.id < id + 10 })
      guard count == 10 else { throw WrongRows() }
    },
    Operation(name: "chunks", before: "old", after: "old") { store, id in
      var ids: [Int] = []
      try store.read { transaction in
        try transaction.chunks(
          Word.all.where { $0.id >= id && $0.id < id + 10 }.sorted(by: .ascending(\.id)), size: 3
        ) { ids += $0.map(\.id) }
      }
      guard ids == Array(id..<id + 10) else { throw WrongRows() }
    },
    Operation(name: "read", before: "old", after: "old") { store, id in
      let found = try store.read { transaction in
        (try transaction.find(Word.self, id), try transaction.find(Word.self, id + 1))
      }
      guard found.0?.text == "old", found.1?.text == "old" else { throw WrongRows() }
    },
    Operation(name: "save", before: nil, after: "new") { store, id in
      try store.save(Word(id: id, text: "new", weight: 1))
    },
    Operation(name: "save of a row", before: "old", after: "new") { store, id in
      try store.save(Word(id: id, text: "new", weight: 1))
    },
    Operation(name: "insert", before: nil, after: "new") { store, id in
      try store.insert(Word(id: id, text: "new", weight: 1))
    },
    Operation(name: "saves", before: nil, after: "new", rows: 10) { store, id in
      try store.save((id..<id + 10).map { Word(id: $0, text: "new", weight: 1) })
    },
    Operation(name: "update", before: "old", after: "new", rows: 10) { store, id in
      let count = try store.update(Word.all.where { $0.id >= id && $0.id < id + 10 }) {
        $0.text = "new"
      }
      guard count == 10 else { throw WrongRows() }
    },
    Operation(name: "delete", before: "old", after: nil) { store, id in
      try store.delete(Word.self, id: id)
    },
    Operation(name: "write", before: "old", after: "new", rows: 2) { store, id in
      try store.write { transaction in
        guard var word = try transaction.find(Word.self, id) else { throw WrongRows() }
        word.text = "new"
        try transaction.save(word)
        try transaction.savepoint { try $0.save(Word(id: id + 1, text: "new", weight: 1)) }
      }
    },
  ]

  /// A case: an operation whose bytes of a direction meet a fault, on a connection that was used before, or
  /// with which it begins.
  private struct Case: Sendable {
    let operation: Operation
    let direction: CuttingProxy.Direction
    let isNew: Bool
  }

  /// The faults of each case; nil for one, of a third of the cases.
  private static let faults =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) }.map { max(1, $0 / 50) }

  @Test(
    "9.3: An operation whose connection fails at any byte is reported as it ended, and leaves no lock",
    arguments: Mode.allCases, CuttingProxy.Fault.allCases)
  func everyByte(_ mode: Mode, _ fault: CuttingProxy.Fault) throws {
    let seed = runSeed()
    let all = Self.operations.flatMap { operation in
      CuttingProxy.Direction.allCases.flatMap { direction in
        [false, true].map { Case(operation: operation, direction: direction, isNew: $0) }
      }
    }
    let cases =
      Self.faults == nil
      ? all.enumerated().filter { ($0.offset + Int(seed % 3)) % 3 == 0 }.map(\.element) : all
    let next = Lock(0)
    let counts = SharedList<(bytes: Int, faults: Int)>()
    let codes = Lock<[String: Int]>([:])
    let group = DispatchGroup()
    for _ in 0..<6 {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        while true {
          let number = next.withLock { number in
            defer { number += 1 }
            return number
          }
          guard number < cases.count else { return }
          do {
            var run = try Run(cases[number], mode, fault)
            defer { run.proxy.stop() }
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            counts.add(try run.pass(Self.faults ?? 1, using: &generator))
            codes.withLock { $0.merge(run.codes) { $0 + $1 } }
          } catch {
            Issue.record(error, "\(cases[number].operation.name)")
          }
        }
      }
    }
    group.wait()
    let bytes = counts.all.reduce(0) { $0 + $1.bytes }
    let faults = counts.all.reduce(0) { $0 + $1.faults }
    print(
      "\(mode.rawValue) \(fault): \(faults) faults at \(bytes) bytes of \(cases.count) cases, "
        + "\(codes.withLock { $0 }.sorted { $0.key < $1.key })")
    #expect(faults >= cases.count)
  }

  @Test("9.3: A transaction whose beginning on a new connection is lost leaves no lock")
  func beginnings() throws {
    for name in ["write", "read"] {
      let operation = try #require(Self.operations.first { $0.name == name })
      let item = Case(operation: operation, direction: .answer, isNew: true)
      var run = try Run(item, .normal, .halve)
      defer { run.proxy.stop() }
      // The answers to a connection have some 500 bytes, those to the beginning 300 more.
      try run.pass(at: Array(stride(from: 440, to: 1_000, by: 20)))
    }
  }

  /// The faults of a case.
  private struct Run {
    let namespace = PostgresNamespace()
    let proxy: CuttingProxy
    let direct: PostgresStore
    let store: PostgresStore
    let item: Case
    let mode: Mode
    let fault: CuttingProxy.Fault
    var codes: [String: Int] = [:]
    private var id = 0

    init(_ item: Case, _ mode: Mode, _ fault: CuttingProxy.Fault) throws {
      (self.item, self.mode, self.fault) = (item, mode, fault)
      proxy = try CuttingProxy(to: PostgresServer.socket ?? "")
      var options = StoreOptions()
      options.readerWait = .seconds(6)
      options.writerWait = .seconds(6)
      direct = try PostgresStore(
        namespace.location(), schema: Schema(Word.self), options: options, postgres: mode.options)
      var postgres = mode.options
      // A machine that others use may be late for a while, which is no loss.
      postgres.connectTimeout =
        switch fault {
        case .swallow: .milliseconds(300)
        case .delay: .seconds(30)
        default: .seconds(3)
        }
      store = try PostgresStore(
        PostgresServer.location(of: namespace.name, at: proxy.folder), schema: Schema(Word.self),
        options: options, postgres: postgres)
    }

    /// Makes the rows as they are before the operation, and the connection as the case has it.
    private mutating func prepare() throws {
      id += 10
      try direct.delete(Word.all)
      if let text = item.operation.before {
        try direct.save((id..<id + 10).map { Word(id: $0, text: text, weight: 1) })
      }
      if item.isNew {
        try proxy.cutAll()
      } else {
        // The operation itself has been run on the connection, on other rows.
        try direct.save(
          (id + 1_000_000..<id + 1_000_010).map { Word(id: $0, text: "old", weight: 1) })
        if item.operation.before == nil { try direct.delete(Word.all.where { $0.id >= 1_000_000 }) }
        try item.operation.body(store, id + 1_000_000)
        try direct.delete(Word.all.where { $0.id >= 1_000_000 })
      }
    }

    /// Runs the operation with a fault at each of some bytes.
    mutating func pass(
      _ most: Int, using generator: inout SeededGenerator
    ) throws -> (bytes: Int, faults: Int) {
      // Once more than needed, for statements that only a later run has by their names.
      var bytes = 0
      for _ in 0..<3 {
        bytes = try Self.undisturbed {
          try prepare()
          let before = proxy.count(of: item.direction)
          try item.operation.body(store, id)
          return proxy.count(of: item.direction) - before
        }
      }
      let places =
        most >= bytes
        ? Array(0...bytes) : (0..<most).map { _ in Int.random(in: 0...bytes, using: &generator) }
      try pass(at: places)
      return (bytes, places.count)
    }

    /// Runs the operation with a fault after each of some numbers of bytes.
    mutating func pass(at places: [Int]) throws {
      for place in places { try pass(place) }
      try store.close()
      try direct.close()
    }

    /// Runs a body that meets no fault, until it does not take a late machine for a lost connection.
    private static func undisturbed<Result>(_ body: () throws -> Result) throws -> Result {
      try patiently(passing: [.busy, .connectionLost, .cannotOpen, .outcomeUnknown], body)
    }

    private mutating func pass(_ place: Int) throws {
      try Self.undisturbed { try prepare() }
      let comment: Comment =
        "\(item.operation.name), \(item.isNew ? "new" : "used"), \(mode.rawValue), \(fault) after \(place) bytes of the \(item.direction)"
      proxy.cut(after: place, of: item.direction, as: fault)
      let start = ContinuousClock.now
      var code: StoreError.Code?
      do {
        try item.operation.body(store, id)
      } catch let error as StoreError {
        code = error.code
      }
      let time = ContinuousClock.now - start
      _ = proxy.spare()
      // Every wait has a bound, of 30 seconds at most; a machine under load adds to it.
      #expect(time < .seconds(60), comment)
      codes[code?.rawValue ?? "done", default: 0] += 1
      try expect(code, comment)
      try expectFree(comment)
      // Another writer gets through, and so does the store itself.
      try direct.save(Word(id: 999, text: "other", weight: 1))
      try Self.undisturbed { _ = try store.save(Word(id: 998, text: "own", weight: 1)) }
      #expect(try direct.find(Word.self, 998)?.text == "own", comment)
    }

    /// Expects the rows that the outcome says.
    private func expect(_ code: StoreError.Code?, _ comment: Comment) throws {
      let rows = try direct.fetch(
        Word.all.where { $0.id < id + item.operation.rows && $0.id >= id })
      func has(_ text: String?) -> Bool {
        text.map { text in
          rows.count == item.operation.rows && rows.allSatisfy { $0.text == text }
        } ?? rows.isEmpty
      }
      let (isBefore, isAfter) = (has(item.operation.before), has(item.operation.after))
      switch code {
      case nil: #expect(isAfter, comment)
      case .connectionLost: #expect(isBefore && fault != .delay, comment)
      case .outcomeUnknown:
        #expect(isBefore || isAfter, comment)
        #expect(item.operation.writes && mode != .certain && fault != .delay, comment)
      default: Issue.record("\(comment): \(code?.rawValue ?? "")")
      }
    }

    /// Expects that the server soon has no lock in the namespace, and no transaction that waits for its
    /// client.
    private func expectFree(_ comment: Comment) throws {
      let isFree = try waited(atMost: .seconds(60)) {
        let found = try direct.query(
          sql: """
            SELECT count(*) AS n FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
            JOIN pg_namespace s ON s.oid = c.relnamespace JOIN pg_stat_activity a ON a.pid = l.pid \
            WHERE s.nspname = \(namespace.name) AND l.pid <> pg_backend_pid()
            """)
        return found.first?["n"] == .int(0)
      }
      #expect(isFree, comment)
    }
  }
}
