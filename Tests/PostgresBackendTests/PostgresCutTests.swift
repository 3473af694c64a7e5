import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Connections that a proxy cuts after any byte, or lets stand still: clause 9.3.
///
/// Each reported outcome is compared with what another connection finds there.
@Suite(
  .serialized,
  .enabled(if: PostgresServer.socket != nil, "STRATA_POSTGRES names no server on a Unix socket"))
struct PostgresCutTests {
  private let namespace = PostgresNamespace()
  private let proxy: CuttingProxy
  /// A store that uses the server itself.
  private let direct: PostgresStore

  init() throws {
    proxy = try CuttingProxy(to: PostgresServer.socket ?? "")
    direct = try PostgresStore(namespace.location(), schema: Schema(Word.self))
  }

  private static let cuts =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 60

  private func open(
    wait: Duration = .seconds(10), timeout: Duration = .seconds(5),
    _ writers: PostgresOptions.Writers = .oneWriter, _ outcome: PostgresOptions.Outcome = .normal,
    _ more: String = ""
  ) throws -> PostgresStore {
    var options = StoreOptions()
    options.readerWait = wait
    options.writerWait = wait
    var postgres = PostgresOptions()
    postgres.connectTimeout = timeout
    postgres.writers = writers
    postgres.outcome = outcome
    return try PostgresStore(
      PostgresServer.location(of: namespace.name, at: proxy.folder) + more,
      schema: Schema(Word.self), options: options, postgres: postgres)
  }

  private func word(_ id: Int) -> Word { Word(id: id, text: "w\(id)", weight: 1) }

  /// Returns the code of what a body throws that loses its connection.
  ///
  /// Where waits are short, a machine under load may end the body before that: then it runs again.
  private func lost(
    _ body: (_ isLost: @escaping () -> Void) throws -> Void
  ) throws -> StoreError.Code? {
    var isLost = false
    return try patiently {
      var start = ContinuousClock.now
      defer { #expect(ContinuousClock.now - start < .seconds(60)) }
      do {
        try body {
          isLost = true
          start = .now
        }
        return nil
      } catch let error as StoreError where isLost { return error.code }
    }
  }

  /// Expects that a row is there, is not there, or may be there, as the outcome says.
  private func expect(_ code: StoreError.Code?, _ id: Int, _ comment: String) throws {
    let isThere = try direct.find(Word.self, id) == word(id)
    switch code {
    case nil: #expect(isThere, "\(comment)")
    case .connectionLost: #expect(!isThere, "\(comment)")
    case .outcomeUnknown: break
    default: Issue.record("\(comment): \(code?.rawValue ?? "")")
    }
  }

  @Test("6.11: a ping is one trip, and tells a server that is away from one that is back")
  func ping() async throws {
    defer { proxy.stop() }
    let store = try patiently { try open(wait: .seconds(1)) }
    try await store.ping()
    try await store.ping()
    var before = store.tripCount
    try await store.ping()
    #expect(store.tripCount - before == 1)
    before = store.tripCount
    #expect(code { try store.ping() } == nil)
    #expect(store.tripCount - before == 1)
    proxy.cut(after: 0, of: .request, refusing: true)
    #expect(code { try store.ping() } == .connectionLost)
    #expect(code { try store.ping(within: .milliseconds(50)) } == .deadlineExceeded)
    let error = await #expect(throws: StoreError.self) {
      try await store.ping(within: .milliseconds(50))
    }
    #expect(error?.code == .deadlineExceeded)
    _ = proxy.spare()
    try await store.ping()
    try await store.close()
  }

  @Test(
    "9.3: A commit that is cut after any byte is done or not, as it is reported",
    arguments: CuttingProxy.Direction.allCases)
  func commit(_ direction: CuttingProxy.Direction) throws {
    defer { proxy.stop() }
    let store = try open()
    // All bytes of the answer, in which the outcome is lost; of the request every third unless asked.
    let step = direction == .answer || Self.cuts > 200 ? 1 : 3
    var count = 0
    while true {
      let found = code {
        try store.write { transaction in
          try transaction.insert(word(count))
          proxy.cut(after: count, of: direction)
        }
      }
      let isOver = proxy.spare()
      try expect(found, count, "\(count) bytes of the \(direction)")
      if isOver { break }
      // The server commits when it has the whole request, which the last cut lets through.
      if direction == .answer { #expect(found == nil, "\(count) bytes") }
      count += step
    }
    #expect(count > 40)
    print("commits cut after each \(step) of \(count) bytes of the \(direction)")
    #expect(try store.check().isSound)
    try store.close()
    try direct.close()
  }

  @Test(
    "9.3: A commit of which nothing can be learnt is outcomeUnknown",
    arguments: CuttingProxy.Direction.allCases)
  func unknown(_ direction: CuttingProxy.Direction) throws {
    defer { proxy.stop() }
    let store = try patiently {
      try open(wait: .milliseconds(600), timeout: .milliseconds(600))
    }
    for count in stride(from: 0, to: 60, by: 20) {
      let found = try lost { isLost in
        try store.write { transaction in
          try transaction.insert(word(count))
          isLost()
          proxy.cut(after: count, of: direction, refusing: true)
        }
      }
      #expect(found == .outcomeUnknown)
      // Nothing is possible, and nothing hangs, until the server is there again.
      let saving = code { _ = try store.save(word(1_000)) }
      #expect(saving == .connectionLost)
      #expect(!proxy.spare())
      #expect(try patiently { try store.find(Word.self, 1_000) } == nil)
    }
    try store.close()
    try direct.close()
  }

  @Test(
    "9.3: A save that is cut after any byte is done or not, as it is reported",
    arguments: CuttingProxy.Direction.allCases)
  func save(_ direction: CuttingProxy.Direction) throws {
    defer { proxy.stop() }
    let store = try open(.oneWriter, .certain)
    // Each cut makes the next save begin with a new connection, as this one does.
    proxy.cut(after: 0, of: .answer)
    try store.save(word(0))
    let before = proxy.count(of: direction)
    proxy.cut(after: 0, of: .answer)
    try store.save(word(0))
    let bytes = proxy.count(of: direction) - before + 40
    let step = max(1, bytes / Self.cuts)
    var codes: [StoreError.Code?: Int] = [:]
    for count in stride(from: 0, to: bytes, by: step) {
      proxy.cut(after: count, of: direction)
      let found = code { try store.save(word(count)) }
      _ = proxy.spare()
      codes[found, default: 0] += 1
      try expect(found, count, "\(count) bytes of the \(direction)")
    }
    #expect(codes[.outcomeUnknown] == nil)
    // A save of its own is run again; only few bytes are those at which that is not possible.
    #expect(codes[nil] ?? 0 > 0)
    print("saves cut after each \(step) of \(bytes) bytes of the \(direction): \(codes)")
    let count = try direct.count(Word.self)
    #expect(try store.count(Word.self) == count)
    try store.close()
    try direct.close()
  }

  @Test(
    "9.3: A save of one trip that is cut after any byte is done or not, or outcomeUnknown",
    arguments: CuttingProxy.Direction.allCases,
    [PostgresOptions.Writers.oneWriter, .manyWriters(maximum: 1)])
  func oneTrip(
    _ direction: CuttingProxy.Direction, _ writers: PostgresOptions.Writers
  ) throws {
    defer { proxy.stop() }
    let store = try open(writers)
    for _ in 1...2 { try store.save(word(100_000)) }
    let (before, trips) = (proxy.count(of: direction), store.tripCount)
    try store.save(word(100_001))
    #expect(store.tripCount - trips == 1)
    let bytes = proxy.count(of: direction) - before
    let step = max(1, bytes / Self.cuts)
    var codes: [StoreError.Code?: Int] = [:]
    for count in stride(from: 0, through: bytes, by: step) {
      // A cut makes the next save begin with a new connection; those after it are one trip again.
      for _ in 1...2 { try store.save(Word(id: 100_000, text: "\(count)", weight: 2)) }
      proxy.cut(after: count, of: direction)
      let found = code { try store.save(word(count)) }
      let isOver = proxy.spare()
      codes[found, default: 0] += 1
      try expect(found, count, "\(count) bytes of the \(direction)")
      if isOver { #expect(found == nil) }
    }
    // The server says nothing that is lost before its answer, and a whole answer is a success.
    #expect(codes[.outcomeUnknown] ?? 0 > 0)
    #expect(Set(codes.keys).isSubset(of: [nil, .outcomeUnknown, .connectionLost]))
    print(
      "saves of one trip cut after each \(step) of \(bytes) bytes of the \(direction): \(codes)")
    #expect(try store.check().isSound)
    try store.close()
    try direct.close()
  }

  @Test(
    "6.4, 9.3: The outcome of a lost commit is learnt, though the operation around it has ended",
    arguments: CuttingProxy.Direction.allCases)
  func ended(_ direction: CuttingProxy.Direction) throws {
    defer { proxy.stop() }
    let store = try open()
    try store.save(word(1))
    let isCommitting = Lock(false)
    let found = code {
      // It ends when the commit is lost, after its commit point.
      try RunningOperation.run(unless: { [proxy] in isCommitting.withLock { $0 } && proxy.hasCut })
      {
        try store.write { transaction in
          try transaction.save(word(2))
          proxy.cut(after: 0, of: direction)
          isCommitting.withLock { $0 = true }
        }
      }
    }
    #expect(proxy.hasCut)
    // The server commits when it has the request.
    let expected: StoreError.Code? = direction == .answer ? nil : .connectionLost
    #expect(found == expected)
    #expect(try direct.find(Word.self, 2) == (expected == nil ? word(2) : nil))
    try store.close()
    try direct.close()
  }

  @Test("9.3: A save on a connection that ended while it was idle is made on a new one")
  func restarted() throws {
    defer { proxy.stop() }
    let store = try open(.oneWriter, .normal, "&application_name=\(namespace.name)")
    for id in 1...2 { try store.save(word(id)) }
    for id in 3...6 {
      let ended = try PostgresServer.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          + "WHERE application_name = '\(namespace.name)'")
      #expect(!ended.isEmpty && ended.allSatisfy { $0 == "t" })
      #expect(waited { proxy.connections == 0 })
      try store.save(word(id))
    }
    #expect(try store.count(Word.self) == 6)
    try store.close()
    try direct.close()
  }

  @Test("9.3: A read that is cut after any byte gives every row, or connectionLost")
  func read() throws {
    defer { proxy.stop() }
    let store = try open()
    let words = (1...20).map(word)
    try direct.save(words)
    #expect(try store.fetch(Word.all) == words)
    let before = proxy.count(of: .answer)
    #expect(try store.fetch(Word.all) == words)
    let bytes = 2 * (proxy.count(of: .answer) - before)
    var codes: [StoreError.Code?: Int] = [:]
    for count in stride(from: 0, to: bytes, by: max(1, bytes / Self.cuts)) {
      proxy.cut(after: count, of: .answer)
      let found = code {
        let rows = try store.fetch(Word.all)
        #expect(rows == words, "\(count) bytes")
      }
      _ = proxy.spare()
      codes[found, default: 0] += 1
    }
    #expect(codes[nil] ?? 0 > 0 && codes.count == 2 && codes[.connectionLost] ?? 0 > 0)
    try store.close()
    try direct.close()
  }

  @Test("9.3: Every wait for a silent server ends, and the store goes on when it answers again")
  func silence() throws {
    defer { proxy.stop() }
    func open() throws -> PostgresStore {
      try self.open(wait: .milliseconds(400), timeout: .milliseconds(300))
    }
    let store = try patiently { try open() }
    try patiently { try store.save(word(1)) }
    func expect(
      _ codes: Set<StoreError.Code>, _ body: (_ pause: () -> Void) throws -> Void
    ) throws {
      let found = try lost { isLost in
        try body {
          isLost()
          proxy.isPaused = true
        }
      }
      #expect(found.map { codes.contains($0) } == true, "\(found?.rawValue ?? "nothing")")
    }
    let silent: Set<StoreError.Code> = [.busy, .connectionLost]
    try expect(silent) { pause in
      pause()
      _ = try store.find(Word.self, 1)
    }
    try expect([.outcomeUnknown]) { pause in
      pause()
      try store.save(word(2))
    }
    try expect([.cannotOpen]) { pause in
      pause()
      _ = try open()
    }
    proxy.isPaused = false
    #expect(try patiently { try store.find(Word.self, 1) } == word(1))
    // In the middle of a read, of a write, and of a commit.
    try expect(silent) { pause in
      try store.read { transaction in
        _ = try transaction.find(Word.self, 1)
        pause()
        _ = try transaction.find(Word.self, 1)
      }
    }
    proxy.isPaused = false
    try expect(silent) { pause in
      try store.write { transaction in
        try transaction.save(word(3))
        pause()
        try transaction.save(word(4))
      }
    }
    proxy.isPaused = false
    try patiently { try store.save(word(5)) }
    try expect([.outcomeUnknown]) { pause in
      try store.write { transaction in
        try transaction.save(word(6))
        pause()
      }
    }
    proxy.isPaused = false
    let found = try patiently { try store.fetch(Word.all) }
    #expect(Set(found.map(\.id)).subtracting([2, 6]) == [1, 5])
    try store.close()
    try direct.close()
  }

  @Test("9.3: A server that works is waited for, however long it is silent")
  func slow() throws {
    defer { proxy.stop() }
    // A busy machine takes a part of it for the connection that asks after the other.
    let store = try open(timeout: .milliseconds(1_500))
    let found = try store.query(sql: "SELECT 7 AS n, pg_sleep(4)::text AS s")
    #expect(found.count == 1)
    // A writer waits for its turn behind another one.
    let isHeld = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [direct] in
      _ = try? direct.write { transaction in
        try transaction.save(Word(id: 1, text: "held", weight: 1))
        isHeld.signal()
        usleep(4_000_000)
      }
      isDone.signal()
    }
    isHeld.wait()
    try store.save(word(2))
    isDone.wait()
    #expect(try store.fetch(Word.all).map(\.text) == ["held", "w2"])
    try store.close()
    try direct.close()
  }

  @Test("A late network costs a find one trip, and a save too")
  func trips() throws {
    defer { proxy.stop() }
    let store = try open()
    func trips(_ body: () throws -> Void) throws -> Int {
      try body()
      let before = proxy.trips
      try body()
      return proxy.trips - before
    }
    proxy.delay = 1_000
    #expect(try trips { try store.save(word(1)) } == 1)
    // The answer to the end of a read may come before the next request, or with its answer.
    let count = try trips { _ = try store.find(Word.self, 1) }
    #expect(1...2 ~= count)
    try store.close()
    try direct.close()
  }
}
