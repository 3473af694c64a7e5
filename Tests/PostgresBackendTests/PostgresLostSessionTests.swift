import Foundation
import ORM
import PostgresBackend
import StoreModels
import TestSupport
import Testing

/// Sessions of the server whose connections were lost, and the locks that they hold: clause 9.3.
///
/// The proxy closes the program's end of a connection, and keeps the server's: the server notices nothing.
@Suite(
  .serialized,
  .enabled(if: PostgresServer.socket != nil, "STRATA_POSTGRES names no server on a Unix socket"))
struct PostgresLostSessionTests {
  private let namespace = PostgresNamespace()
  private let proxy: CuttingProxy
  /// A store that uses the server itself.
  private let direct: PostgresStore

  init() throws {
    proxy = try CuttingProxy(to: PostgresServer.socket ?? "")
    direct = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    try direct.save(Word(id: 1, text: "w1", weight: 1))
  }

  private func open(
    wait: Duration = .seconds(10), timeout: Duration = .seconds(5), _ more: String = ""
  ) throws -> PostgresStore {
    var options = StoreOptions()
    options.readerWait = wait
    options.writerWait = wait
    var postgres = PostgresOptions()
    postgres.connectTimeout = timeout
    return try PostgresStore(
      PostgresServer.location(of: namespace.name, at: proxy.folder) + more,
      schema: Schema(Word.self), options: options, postgres: postgres)
  }

  /// The number of locks of others in the namespace.
  private func locks() throws -> Int {
    let lines = try PostgresServer.psql(
      "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
        + "JOIN pg_namespace s ON s.oid = c.relnamespace "
        + "WHERE s.nspname = '\(namespace.name)' AND l.pid <> pg_backend_pid()")
    return lines.first.flatMap { Int($0) } ?? -1
  }

  /// Expects that the locks in the namespace go, though the program does nothing more.
  private func expectFree(_ comment: Comment) throws {
    #expect(try waited(atMost: .seconds(60)) { try locks() == 0 }, comment)
  }

  @Test(
    "9.3: A read whose end is lost leaves no lock, though its store is idle or closed afterwards",
    arguments: [CuttingProxy.Fault.halve, .swallow], [false, true])
  func endOfRead(_ fault: CuttingProxy.Fault, _ closes: Bool) throws {
    defer { proxy.stop() }
    let store = try open()
    try store.read { transaction in
      let word = try transaction.find(Word.self, 1)
      #expect(word?.text == "w1")
      // A part of the end passes. The answer to the find has come, so that nothing else is on its way.
      proxy.cut(after: 20, of: .request, as: fault)
    }
    #expect(waited { proxy.hasCut })
    #expect(try locks() > 0)
    if closes { try store.close() }
    try expectFree("\(fault), \(closes)")
    try store.close()
    try direct.close()
  }

  @Test("9.3: A lost session is ended, however long the server cannot be asked")
  func longAway() throws {
    defer { proxy.stop() }
    let store = try patiently {
      try open(wait: .milliseconds(100), timeout: .milliseconds(100))
    }
    var isLost = false
    let found = try patiently { () -> StoreError.Code? in
      do {
        try store.write { transaction in
          try transaction.save(Word(id: 2, text: "w2", weight: 1))
          isLost = true
          proxy.cut(after: 0, of: .request, refusing: true, as: .halve)
          try transaction.save(Word(id: 3, text: "w3", weight: 1))
        }
        return nil
      } catch let error as StoreError where isLost { return error.code }
    }
    #expect(found == .connectionLost)
    // The waits of the store allow for some three attempts.
    #expect(waited(atMost: .seconds(60)) { proxy.refusals >= 20 })
    #expect(try locks() > 0)
    _ = proxy.spare()
    try expectFree("the server can be reached again")
    try direct.save(Word(id: 2, text: "other", weight: 1))
    try store.close()
    try direct.close()
  }

  @Test("9.3: A lost session is ended whose role is another than the one that logged in")
  func otherRole() throws {
    defer { proxy.stop() }
    let roles = ["\(namespace.name)_user", "\(namespace.name)_owner"]
    try PostgresServer.psql(
      "CREATE ROLE \(roles[1]); CREATE ROLE \(roles[0]) LOGIN IN ROLE \(roles[1]); "
        + "ALTER ROLE \(roles[0]) SET role = \(roles[1]); "
        + "GRANT USAGE ON SCHEMA \(namespace.name) TO \(roles[1]); "
        + "GRANT ALL ON ALL TABLES IN SCHEMA \(namespace.name) TO \(roles[1])")
    defer {
      _ = try? PostgresServer.psql(
        "DROP OWNED BY \(roles[1]); DROP ROLE \(roles[0]); DROP ROLE \(roles[1])")
    }
    let base = try PostgresServer.location(of: namespace.name, at: proxy.folder)
    let store = try PostgresStore(
      base.replacing(#/\/\/[^@\/]*@/#) { _ in "//\(roles[0])@" }, schema: Schema(Word.self))
    #expect(try store.query(sql: "SELECT current_user::text AS u").first?["u"] == .string(roles[1]))
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.save(Word(id: 2, text: "w2", weight: 1))
        proxy.cut(after: 0, of: .request, as: .halve)
        try transaction.save(Word(id: 3, text: "w3", weight: 1))
      }
    }
    #expect(error?.code == .connectionLost)
    try expectFree("")
    try store.close()
    try direct.close()
  }

  @Test("9.3, 10.18: A lost build of an index leaves no lock that keeps others from building")
  func indexes() throws {
    defer { proxy.stop() }
    let cups = PostgresNamespace()
    let old = try PostgresStore(
      cups.location(), schema: Cups.schema(isIndexed: false), options: Cups.options)
    try Cups.fill(old)
    let location =
      try PostgresServer.location(of: cups.name, at: proxy.folder)
      + "&application_name=\(cups.name)"
    let code = Lock<StoreError.Code?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    func count(_ query: String) throws -> Int {
      try PostgresServer.psql("SELECT count(*) FROM \(query) AND application_name = '\(cups.name)'")
        .first.flatMap { Int($0) } ?? -1
    }
    // The build waits for the end of the read.
    try old.read { transaction in
      _ = try transaction.count(DynamicQuery("Cup"))
      Thread.detachNewThread {
        do {
          let store = try PostgresStore(
            location, schema: Cups.schema(isIndexed: true), options: Cups.options)
          try store.close()
        } catch {
          code.withLock { $0 = (error as? StoreError)?.code }
        }
        isDone.signal()
      }
      #expect(
        try waited {
          try count(
            "pg_stat_activity WHERE query LIKE 'CREATE%CONCURRENTLY%' AND wait_event_type = 'Lock'")
            == 1
        })
      let advisory = "pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"
      #expect(try count(advisory) == 1)
      proxy.halveAll()
      isDone.wait()
      #expect(try waited(atMost: .seconds(60)) { try count(advisory) == 0 })
    }
    #expect(code.withLock { $0 } == .connectionLost)
    let new = try PostgresStore(
      cups.location(), schema: Cups.schema(isIndexed: true), options: Cups.options)
    try new.close()
    try old.close()
    try direct.close()
  }
}
