import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// A standby of a server, which answers reads.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresStandbyTests {
  /// Returns whether a standby replays no more of the log.
  private func isPaused(_ standby: PostgresStore) throws -> Bool {
    try standby.query(sql: "SELECT pg_get_wal_replay_pause_state() AS r").first?["r"]
      == .string("paused")
  }

  @Test(
    "9.4: A standby gives the answers of its server, and its writes are readOnly",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func standby() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let primary = server.location + "&namespace=words"
    let store = try PostgresStore(primary, schema: Schema(Word.self))
    let words = (1...200).map { Word(id: $0, text: "w\($0 % 9)", weight: Double($0)) }
    try store.save(words)
    let folder = try server.startStandby()
    let location = try PostgresServer.location(
      of: "words", at: folder, on: server.location)
    var options = StoreOptions()
    options.isReadOnly = true
    let standby = try PostgresStore(location, schema: Schema(Word.self), options: options)
    #expect(try standby.fetch(Word.all) == words)
    let some = try store.fetch(Word.all.where { $0.text == "w3" })
    #expect(try standby.fetch(Word.all.where { $0.text == "w3" }) == some)
    #expect(try standby.count(Word.self) == 200)
    #expect(try standby.sum(Word.all, \.weight) == 20_100)
    #expect(try standby.check().isSound)
    let saving = code { _ = try standby.save(words[0]) }
    #expect(saving == .readOnly)
    // A snapshot stays as it is while the standby hears of more.
    try standby.read { transaction in
      #expect(try transaction.count(Word.self) == 200)
      try store.save(Word(id: 201, text: "new", weight: 0))
      usleep(100_000)
      #expect(try transaction.count(Word.self) == 200)
    }
    #expect(try waited { try standby.count(Word.self) == 201 })
    // Opened for writing, a standby is refused, or refuses each write.
    let found = code {
      let writing = try PostgresStore(location, schema: Schema(Word.self))
      defer { try? writing.close() }
      try writing.save(Word(id: 202, text: "x", weight: 0))
    }
    #expect(found == .readOnly)
    // Of several hosts, the setting of libpq finds the one that is asked for.
    let both = "\(folder),\(server.location.split(separator: "=").last ?? "")"
    let base = server.location.prefix { $0 != "?" }
    let hosts = "\(base)?host=\(both)&namespace=words&target_session_attrs="
    let writer = try PostgresStore(hosts + "read-write", schema: Schema(Word.self))
    try writer.save(Word(id: 203, text: "found", weight: 0))
    #expect(try store.find(Word.self, 203)?.text == "found")
    try writer.close()
    let reader = try PostgresStore(hosts + "standby", schema: Schema(Word.self), options: options)
    #expect(try reader.query(sql: "SELECT pg_is_in_recovery()::text AS r").count == 1)
    try reader.close()
    try standby.close()
    try store.close()
  }

  @Test(
    "9.7: A standby answers the reads for which it is fresh enough, and the server the others",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func freshness() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let primary = server.location + "&namespace=words"
    try PostgresStore(primary, schema: Schema(Word.self)).close()
    let folder = try server.startStandby()
    let replica = try PostgresServer.location(of: "words", at: folder, on: server.location)
    var postgres = PostgresOptions()
    postgres.replicas = ["postgres:somebody:secret@/nowhere?host=\(folder)/missing", replica]
    #expect(!"\(postgres)".contains("secret"))
    let store = try PostgresStore(primary, schema: Schema(Word.self), postgres: postgres)
    var options = StoreOptions()
    options.isReadOnly = true
    let standby = try PostgresStore(replica, schema: Schema(Word.self), options: options)
    func count(_ freshness: ReadFreshness) throws -> Int {
      try store.read(freshness: freshness) { try $0.count(Word.self) }
    }
    /// The trips to the server and to the standbys that a body takes.
    func trips(_ body: () throws -> Void) rethrows -> (server: Int, standby: Int) {
      let before = (store.tripCount, store.replicaTripCount)
      try body()
      return (store.tripCount - before.0, store.replicaTripCount - before.1)
    }
    func order(_ sql: String) throws {
      let rows = try standby.query(sql: SQLRequest(words: "SELECT (\(sql))::text AS r"))
      #expect(rows.count == 1)
    }
    // Every answer, from any replica, has everything that was committed here.
    var answered = 0
    for id in 1...100 {
      if id % 3 == 0 {
        try store.write { _ = try $0.save(Word(id: id, text: "w", weight: 1)) }
      } else {
        try store.save(Word(id: id, text: "w", weight: 1))
      }
      let taken = try trips { () throws in #expect(try count(.own) == id) }
      if taken.server == 0 { answered += 1 }
      #expect(try count(.newest) == id)
    }
    #expect(answered > 0)
    #expect(try count(.within(.seconds(600))) <= 100)
    // The standby stands still, and what it shows gets older.
    try order("pg_wal_replay_pause() IS NULL")
    #expect(try waited { try isPaused(standby) })
    let shown = try standby.count(Word.self)
    try store.save(Word(id: 101, text: "w", weight: 1))
    let own = try trips { () throws in #expect(try count(.own) == 101) }
    #expect(own.server > 0)
    let old = try trips { () throws in #expect(try count(.within(.seconds(600))) == shown) }
    #expect(old.standby > 0 && old.server == 0)
    usleep(300_000)
    let recent = try trips { () throws in #expect(try count(.within(.milliseconds(200))) == 101) }
    #expect(recent.server > 0)
    #expect(try count(.within(.zero)) == 101)
    // It goes on.
    try order("pg_wal_replay_resume() IS NULL")
    let answers = try waited {
      try trips { () throws in #expect(try count(.own) == 101) }.server == 0
    }
    #expect(answers)
    // Its connections end, and its server; the store itself then answers.
    try order(
      "(SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        + "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) > 0")
    for _ in 1...3 { #expect(try count(.own) == 101) }
    try standby.close()
    try store.close()
    #expect(throws: StoreError.self) { _ = try count(.own) }
  }

  @Test(
    "9.7: A standby that answers late and is not fresh is asked again, on the same connection",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func late() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let primary = server.location + "&namespace=words"
    try PostgresStore(primary, schema: Schema(Word.self)).close()
    let folder = try server.startStandby()
    let proxy = try CuttingProxy(to: folder + "/.s.PGSQL.5432")
    defer { proxy.stop() }
    func replica(_ folder: String) throws -> String {
      try PostgresServer.location(of: "words", at: folder, on: server.location)
    }
    var postgres = PostgresOptions()
    postgres.replicas = [try replica(proxy.folder)]
    let store = try PostgresStore(primary, schema: Schema(Word.self), postgres: postgres)
    var options = StoreOptions()
    options.isReadOnly = true
    let standby = try PostgresStore(
      replica(folder), schema: Schema(Word.self), options: options)
    let pause = SQLRequest(words: "SELECT (pg_wal_replay_pause() IS NULL)::text AS r")
    _ = try standby.query(sql: pause)
    #expect(try waited { try isPaused(standby) })
    func processes() throws -> [DynamicRow] {
      try standby.query(
        sql: SQLRequest(
          words: "SELECT string_agg(pid::text, ',' ORDER BY pid) AS r FROM pg_stat_activity "
            + "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"))
    }
    func count(_ freshness: ReadFreshness) throws -> Int {
      try store.read(freshness: freshness) { try $0.count(Word.self) }
    }
    let without = try processes()
    #expect(try count(.within(.seconds(600))) == 0)
    try store.save(Word(id: 1, text: "w", weight: 1))
    // On a machine under load, an answer may come too late, which ends the connection: then all of it
    // is tried again.
    let isSame = try waited {
      // A first read makes the connection, whoever answers it.
      _ = try count(.within(.seconds(600)))
      let before = try processes()
      guard before != without else { return false }
      // The first answer comes after less than the 50 milliseconds, and the second one after them.
      proxy.delay = 16_000
      for _ in 1...3 { #expect(try count(.own) == 1) }
      proxy.delay = 0
      return try processes() == before
    }
    #expect(isSame)
    try standby.close()
    try store.close()
  }

  @Test("9.7: A replica whose location is none is refused, without its password")
  func locations() throws {
    let namespace = PostgresNamespace()
    var postgres = PostgresOptions()
    postgres.replicas = ["postgres:somebody:secret@[/shop"]
    do {
      _ = try PostgresStore(namespace.location(), schema: Schema(Word.self), postgres: postgres)
      Issue.record("a location that is none was taken")
    } catch let error as StoreError {
      #expect(error.code == .invalidLocation)
      #expect(!"\(error)".contains("secret"))
    }
  }
}
