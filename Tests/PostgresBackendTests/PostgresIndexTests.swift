import Foundation
import ORM
import PostgresBackend
import StoreModels
import TestSupport
import Testing

/// Indexes that the server builds while programs write: clause 10.18.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresIndexTests {
  private let namespace = PostgresNamespace()

  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 6

  private func open(isIndexed: Bool) throws -> PostgresStore {
    try PostgresStore(
      namespace.location(), schema: Cups.schema(isIndexed: isIndexed), options: Cups.options)
  }

  /// The indexes of the table, and whether they are valid.
  private func indexes() throws -> [String] {
    try PostgresServer.psql(
      "SELECT c.relname || ' ' || i.indisvalid FROM pg_index i JOIN pg_class c "
        + "ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
        + "WHERE n.nspname = '\(namespace.name)' AND i.indrelid = "
        + "'\(namespace.name).\"Cup\"'::regclass ORDER BY 1")
  }

  private static let finished = ["$Cup.code%24unique true", "$Cup.size true", "Cup_pkey true"]

  @Test("10.18: a program that has the store open loses nothing while the server builds indexes")
  func writersBeside() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    var writer = CupWriter(old, SeededGenerator.printed("writersBeside"))
    let helper = try HelperProcess.store(["index", namespace.location()])
    while helper.isRunning { try writer.write() }
    #expect(helper.lines() == ["opening", "opened", "ok"])
    for _ in 0..<10 { try writer.write() }
    #expect(try writer.differences(old) == [])
    #expect(try indexes() == Self.finished)
    try old.close()
    let new = try open(isIndexed: true)
    #expect(try writer.differences(new) == [])
    try new.close()
  }

  @Test("10.18: a reader whose snapshot the server waits for holds up no writer")
  func readers() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    var writer = CupWriter(old, SeededGenerator.printed("readers"))
    let helper = try old.read { tx in
      let first = try tx.count(DynamicQuery("Cup"))
      let helper = try HelperProcess.store(["index", namespace.location()])
      #expect(helper.line() == "opening")
      usleep(300_000)
      #expect(try tx.count(DynamicQuery("Cup")) == first)
      return helper
    }
    for _ in 0..<10 { try writer.write() }
    #expect(helper.lines() == ["opened", "ok"])
    #expect(try writer.differences(old) == [])
    #expect(try indexes() == Self.finished)
    try old.close()
  }

  @Test("10.18: an index that a kill has left unfinished is removed, and built by the next opening")
  func kills() throws {
    var generator = SeededGenerator.printed("kills")
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    var writer = CupWriter(old, generator)
    for number in 0..<Self.kills {
      let helper = try HelperProcess.store(["index", namespace.location()])
      #expect(helper.line() == "opening")
      usleep(.random(in: 0...120_000, using: &generator))
      helper.kill()
      _ = helper.lines()
      for _ in 0..<3 { try writer.write() }
      #expect(try writer.differences(old) == [], "kill \(number)")
      if Bool.random(using: &generator) {
        // The old program takes away what it does not declare, finished or not; but while the server has
        // not noticed the kill, the index is another program's to build.
        try open(isIndexed: false).close()
        let isRemoved = try waited {
          if try indexes() == ["Cup_pkey true"] { return true }
          try open(isIndexed: false).close()
          return false
        }
        #expect(isRemoved, "kill \(number)")
      } else {
        let new = try open(isIndexed: true)
        #expect(try indexes() == Self.finished, "kill \(number)")
        #expect(try writer.differences(new) == [], "kill \(number)")
        try new.close()
        try open(isIndexed: false).close()
      }
    }
    try old.close()
  }

  @Test("10.18: an invalid index is removed by the next opening")
  func invalid() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    let table = "\(namespace.name).\"Cup\""
    // The server leaves an index invalid whose unique rule rows break.
    _ = try? PostgresServer.psql(
      "CREATE UNIQUE INDEX CONCURRENTLY \"$building$$Cup.size\" ON \(table) (size)")
    #expect(try indexes() == ["$building$$Cup.size false", "Cup_pkey true"])
    try open(isIndexed: false).close()
    #expect(try indexes() == ["Cup_pkey true"])
    _ = try? PostgresServer.psql(
      "CREATE UNIQUE INDEX CONCURRENTLY \"$building$$Cup.size\" ON \(table) (size)")
    let new = try open(isIndexed: true)
    #expect(try indexes() == Self.finished)
    try new.close()
    try old.close()
  }

  @Test("10.18: an opening that meets the last commit of an unfinished build builds the index")
  func lastCommit() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    _ = try? PostgresServer.psql(
      "CREATE UNIQUE INDEX CONCURRENTLY \"$building$$Cup.size\" ON \(namespace.name).\"Cup\" (size)"
    )
    // As the server's last step does, this changes the index's row of the catalogue without a lock of
    // the table. It commits when the opening waits for it, which then fails as a concurrent change.
    let change = """
      DO $change$ BEGIN
        UPDATE pg_index SET indisready = indisready
        WHERE indexrelid = '\(namespace.name)."$building$$Cup.size"'::regclass;
        FOR i IN 1..3000 LOOP
          EXIT WHEN EXISTS (SELECT FROM pg_locks
            WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)));
          PERFORM pg_sleep(0.02);
        END LOOP;
      END $change$
      """
    let others = DispatchGroup()
    others.enter()
    Thread.detachNewThread {
      defer { others.leave() }
      _ = try? PostgresServer.psql(change)
    }
    let changing =
      "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.granted "
      + "AND l.relation = 'pg_index'::regclass AND l.mode = 'RowExclusiveLock' "
      + "AND a.query LIKE '%\(namespace.name)%'"
    #expect(try waited { try !PostgresServer.psql(changing).isEmpty })
    let new = try open(isIndexed: true)
    others.wait()
    #expect(try indexes() == Self.finished)
    try new.close()
    try old.close()
  }

  @Test("7.7: an index that is gone, or that the server says is not valid, is reported")
  func missing() throws {
    try open(isIndexed: true).close()
    _ = try PostgresServer.psql("DROP INDEX \(namespace.name).\"$Cup.code%24unique\"")
    _ = try PostgresServer.psql(
      "UPDATE pg_index SET indisvalid = false "
        + "WHERE indexrelid = '\(namespace.name).\"$Cup.size\"'::regclass")
    let store = try open(isIndexed: true)
    let faults = try store.check().faults
    #expect(faults.map(\.code) == [.corrupt, .corrupt])
    #expect(faults.map(\.attributes).sorted { $0[0] < $1[0] } == [["code"], ["size"]])
    #expect(faults.contains { $0.message.contains("its rule is broken") })
    try store.close()
  }

  @Test("7.7: a table, column, collation or key that another program has changed is reported")
  func changedTable() throws {
    try open(isIndexed: true).close()
    func faults(after sql: String) throws -> [StoreError] {
      _ = try PostgresServer.psql(
        sql.replacingOccurrences(of: "TABLE Cup", with: "TABLE \(namespace.name).\"Cup\""))
      let store = try open(isIndexed: true)
      defer { try? store.close() }
      let faults = try store.check().faults
      #expect(faults.allSatisfy { $0.code == .corrupt && $0.entity ?? "Cup" == "Cup" })
      return faults
    }
    // A type that is given again takes the collation of the database, and with it another order.
    let collated = try faults(after: "ALTER TABLE Cup ALTER COLUMN code TYPE text")
    #expect(collated.count == 1)
    #expect(collated[0].attributes == ["code"])
    #expect(collated[0].message.contains("not as text COLLATE \"C\" NOT NULL"))
    let keyless = try faults(after: "ALTER TABLE Cup DROP CONSTRAINT \"Cup_pkey\"")
    #expect(keyless.count == 2)
    #expect(keyless[1].message.contains("lacks its primary key (\"id\")"))
    let dropped = try faults(after: "ALTER TABLE Cup DROP COLUMN code")
    #expect(dropped.count == 3)
    #expect(dropped[0].message.contains("lacks the column code"))
    #expect(dropped[2].message.contains("were not checked"))
    let gone = try faults(after: "DROP TABLE Cup")
    #expect(gone.count == 2)
    #expect(gone[0].message.contains("is missing"))
  }

  @Test("10.18: a unique rule that rows break leaves the other indexes")
  func broken() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    try old.write { tx in
      var twin = Cups.row(1, size: Cups.firstSize(1))
      twin["id"] = .int(9_000)
      _ = try tx.save([twin])
    }
    do {
      _ = try open(isIndexed: true)
      Issue.record("opened")
    } catch let error as StoreError {
      #expect(error.code == .schemaMismatch)
      #expect(error.failures.map(\.attributes) == [["code"]])
    }
    #expect(try indexes() == ["$Cup.size true", "Cup_pkey true"])
    try old.close()
  }

  @Test("10.18: several programs that add the same indexes at once add them once")
  func several() throws {
    let old = try open(isIndexed: false)
    try Cups.fill(old)
    let helpers = try (0..<4).map { _ in
      try HelperProcess.store(["index", namespace.location()])
    }
    var writer = CupWriter(old, SeededGenerator.printed("several"))
    for _ in 0..<20 { try writer.write() }
    for helper in helpers { #expect(helper.lines() == ["opening", "opened", "ok"]) }
    #expect(try writer.differences(old) == [])
    #expect(try indexes() == Self.finished)
    try old.close()
  }
}
