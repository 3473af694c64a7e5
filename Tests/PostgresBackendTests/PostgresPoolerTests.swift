import Foundation
import ORM
import ORMConformance
import PostgresBackend
import Synchronization
import TestSupport
import Testing

/// PgBouncer in front of the server, which hands transactions to two connections of its own.
final class Pooler {
  /// The folder of its socket, whose port is the usual one.
  let folder: String
  private let process = Process()

  /// The program; nil where it is not installed, or the server has no Unix socket.
  static let program: String? = {
    if PostgresServer.socket == nil { return nil }
    return ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Starts it; its processes of the server are used in turn, not the last one first.
  init() throws {
    guard let program = Self.program, let socket = PostgresServer.socket,
      let user = PostgresServer.location?.firstMatch(of: /\/\/([^@\/]*)@/)?.1
    else { throw TestFailure("there is no pgbouncer") }
    folder = "/tmp/pgb-" + UUID().uuidString.prefix(13)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let host = socket.dropLast("/.s.PGSQL.5432".count)
    try """
    [databases]
    * = host=\(host) user=\(user)
    [pgbouncer]
    listen_addr =
    listen_port = 5432
    unix_socket_dir = \(folder)
    auth_type = any
    pool_mode = transaction
    default_pool_size = 2
    server_round_robin = 1
    max_client_conn = 200
    logfile = \(folder)/log
    """.write(toFile: folder + "/settings", atomically: true, encoding: .utf8)
    // As the server's programs, it refuses root.
    let isRoot = getuid() == 0
    if isRoot {
      let owner = Process()
      owner.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      owner.arguments = ["chown", "-R", "postgres", folder]
      try owner.run()
      owner.waitUntilExit()
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      (isRoot ? ["runuser", "-u", "postgres", "--"] : []) + [program, folder + "/settings"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The socket's file is there before the program listens.
    let deadline = ContinuousClock.now + .seconds(60)
    while !UnixSocket.accepts(folder + "/.s.PGSQL.5432") {
      guard process.isRunning, ContinuousClock.now < deadline else {
        let log = try? String(contentsOfFile: folder + "/log", encoding: .utf8)
        throw TestFailure("pgbouncer does not start: \(log ?? "no log")")
      }
      usleep(10_000)
    }
  }

  /// Ends it.
  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Stores whose connections go through a pooler: clause 9.4.
@Suite(
  .serialized,
  .enabled(if: Pooler.program != nil, "pgbouncer is not installed, or there is no server"))
struct PostgresPoolerTests {
  private let namespace = PostgresNamespace()

  private func open(
    _ pooler: Pooler, _ statements: PostgresOptions.Statements, readers: Int = 8
  ) throws -> PostgresStore {
    var postgres = PostgresOptions()
    postgres.statements = statements
    var options = StoreOptions()
    options.readers = readers
    return try PostgresStore(
      PostgresServer.location(of: namespace.name, at: pooler.folder),
      schema: Schema(Word.self), options: options, postgres: postgres)
  }

  @Test(
    "9.4: Behind a pooler every way to prepare statements gives the same answers",
    arguments: [PostgresOptions.Statements.automatic, .named, .unnamed])
  func statements(_ statements: PostgresOptions.Statements) throws {
    let pooler = try Pooler()
    defer { pooler.stop() }
    let stores = try (0..<3).map { _ in try open(pooler, statements) }
    var sum = 0
    for number in 1...30 {
      // Three clients use the same texts, on either process of the server.
      let store = stores[number % 3]
      sum += number
      try store.save(Word(id: number, text: "w\(number % 7)", weight: Double(number)))
      let other = stores[(number + 1) % 3]
      #expect(try other.find(Word.self, number)?.text == "w\(number % 7)")
      let some = try other.fetch(Word.all.where { $0.text == "w3" })
      #expect(some.count == (number + 4) / 7)
      #expect(try store.sum(Word.all, \.weight) == Double(sum))
    }
    // Threads beside each other, more than the pooler has connections.
    let failures = SharedList<String>()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        for number in 0..<10 {
          let store = stores[thread % 3]
          try store.save(Word(id: 1_000 + thread * 10 + number, text: "t", weight: 0))
          guard try store.count(Word.all.where { $0.text == "w3" }) == 4 else {
            throw TestFailure("a wrong count")
          }
        }
      } catch {
        failures.add("\(error)")
      }
    }
    #expect(failures.all.isEmpty, "\(failures.all.prefix(2))")
    #expect(try stores[0].count(Word.self) == 70)
    #expect(try stores[1].check().isSound)
    // Statements of the program's own.
    let rows = try stores[2].query(
      sql: "SELECT count(*) AS n FROM \(Word.self) WHERE text = \("t")")
    #expect(rows.count == 1)
    try stores[2].execute(sql: "CREATE TABLE mine (a int)")
    // Other tables than before.
    var schema = try Schema(Word.self).stored
    schema.entities[0].columns.append(StoredColumn("more", .string, isOptional: true))
    var postgres = PostgresOptions()
    postgres.statements = statements
    let wider = try PostgresStore(
      PostgresServer.location(of: namespace.name, at: pooler.folder), stored: schema,
      postgres: postgres)
    for store in stores { #expect(try store.count(Word.self) == 70) }
    try stores[0].save(Word(id: 5_000, text: "last", weight: 0))
    #expect(try stores[1].find(Word.self, 5_000)?.text == "last")
    try wider.close()
    for store in stores { try store.close() }
    let prepared = try PostgresServer.psql(
      "SELECT count(*) FROM \(namespace.name).\"Word\"")
    #expect(prepared == ["71"])
  }

  @Test("9.4: A server process that a pooler loses is found again")
  func terminated() throws {
    let pooler = try Pooler()
    defer { pooler.stop() }
    let store = try open(pooler, .automatic)
    try store.save(Word(id: 1, text: "a", weight: 1))
    for number in 2...6 {
      // One of the processes in turn, while it is idle.
      _ = try PostgresServer.psql(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN (
        SELECT pid FROM pg_locks WHERE false) OR (application_name = 'strata'
        AND state = 'idle' AND query LIKE '%\(namespace.name)%')
        """)
      let found = code { try store.save(Word(id: number, text: "b", weight: 1)) }
      // The pooler may notice only when it uses the process.
      #expect(found == nil || found == .connectionLost, "\(found?.rawValue ?? "")")
      let isThere = try store.find(Word.self, number) != nil
      #expect(isThere == (found == nil))
    }
    try store.close()
  }

  @Test("9.4, 9.8: A statement that is cancelled behind a pooler meets no other client")
  func cancelled() async throws {
    let pooler = try Pooler()
    defer { pooler.stop() }
    let store = try open(pooler, .automatic, readers: 1)
    let other = try open(pooler, .automatic, readers: 1)
    try await store.save(Word(id: 1, text: "a", weight: 1))
    let endless = SQLRequest(
      words: "SELECT /* \(namespace.name) */ count(*) AS n FROM generate_series(1, 1000000000) AS a"
    )
    for number in 0..<10 {
      let task = Task { try await store.query(sql: endless).count }
      try await Task.sleep(for: .milliseconds(20 * number))
      task.cancel()
      for _ in 0..<20 { #expect(try await other.find(Word.self, 1)?.text == "a") }
      await #expect(throws: CancellationError.self) { try await task.value }
      for _ in 0..<20 { #expect(try await other.find(Word.self, 1)?.text == "a") }
      #expect(try await store.find(Word.self, 1)?.text == "a")
    }
    let isOver = try await eventually {
      try PostgresServer.psql(
        """
        SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()
        AND query LIKE '%\(namespace.name)%'
        """
      ) == ["0"]
    }
    #expect(isOver)
    try await store.close()
    try await other.close()
  }

  /// The cases that hold no more than two transactions at once.
  private static let cases: [ConformanceCase] = {
    let all = ConformanceSuite.all
    return stride(from: 0, to: all.count, by: max(1, all.count / 50)).map { all[$0] }
  }()

  @Test("9.1: a part of the cases holds through a pooler")
  func cases() async throws {
    let pooler = try Pooler()
    defer { pooler.stop() }
    for testCase in Self.cases {
      let provider = PostgresProvider(at: pooler.folder)
      do {
        try await testCase.run(on: provider)
      } catch {
        Issue.record("\(testCase): \(error)")
      }
      try provider.cleanUp()
    }
  }
}
