import Foundation
import ORM
import ORMMigrations
import PostgresBackend
import TestSupport
import Testing

/// Transactions that others come in the way of, in operations, blocks, reads and openings.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresContentionTests {
  private let namespace = PostgresNamespace()

  private func open(
    _ writers: PostgresOptions.Writers, version: Int = 1, _ options: StoreOptions = StoreOptions()
  ) throws -> PostgresStore {
    var postgres = PostgresOptions()
    postgres.writers = writers
    return try PostgresStore(
      namespace.location(), schema: Schema(Tally.self, Line.self, version: version),
      options: options, postgres: postgres)
  }

  @Test("9.5: keys that many writers reserve come in the way of no transaction of one writer")
  func reservedKeys() throws {
    let many = try open(.manyWriters(maximum: 2))
    let one = try open(.oneWriter)
    let first = try (0..<2).map { try many.insert(Line(text: "\($0)")).id }
    let last = try #require(first.last)
    let inserted = SharedList<Int64>()
    let errors = SharedList<String>()
    let others = DispatchGroup()
    var runs = 0
    try one.write { tx in
      runs += 1
      _ = try tx.count(Line.self)
      others.enter()
      Thread.detachNewThread {
        defer { others.leave() }
        do { inserted.add(try many.insert(Line(text: "beside")).id) } catch {
          errors.add("\(error)")
        }
      }
      try namespace.waitForLock(of: "strata_gate", mode: "RowExclusiveLock", isGranted: false)
      // The greatest key is recorded with it.
      try tx.delete(Line.all.where { $0.id == last })
    }
    others.wait()
    #expect(errors.all == [])
    #expect(runs == 1)
    let key = try #require(inserted.all.first)
    #expect(key > last)
    #expect(try one.fetch(Line.all).map(\.id) == [first[0], key])
    try many.close()
    try one.close()
  }

  @Test(
    "9.2: an operation of one writer is run again if a program without the store came in its way")
  func otherPrograms() throws {
    let one = try open(.oneWriter)
    try one.save(Tally(id: 1, value: 0))
    try namespace.besideChange {
      try one.update(Tally.all.where { $0.id == 1 }) { $0[\.value] = $0[\.value] + 1 }
    }
    #expect(try one.find(Tally.self, 1)?.value == 11)
    try one.close()
  }

  @Test("9.2: a block of one writer runs once; where others came in its way, it throws contended")
  func blocks() throws {
    let one = try open(.oneWriter)
    try one.save(Tally(id: 1, value: 0))
    var runs = 0
    try namespace.besideChange {
      let error = #expect(throws: StoreError.self) {
        try one.write { tx in
          runs += 1
          try tx.save(Tally(id: 2, value: 5))
          try tx.update(Tally.all.where { $0.id == 1 }) { $0[\.value] = $0[\.value] + 1 }
        }
      }
      #expect(error?.code == .contended)
    }
    #expect(runs == 1)
    #expect(try one.fetch(Tally.all) == [Tally(id: 1, value: 10)])
    try one.close()
  }

  @Test(
    "10.19: operations of many writers with generated keys, while another program migrates the store"
  )
  func migration() throws {
    let old = try open(.manyWriters(maximum: 4))
    try old.insert((0..<400).map { Line(text: "\($0)") })
    let texts = SharedList<(text: String, time: ContinuousClock.Instant)>()
    let changes = SharedList<ContinuousClock.Instant>()
    let errors = SharedList<String>()
    let writers = DispatchGroup()
    for lane in 0..<4 {
      writers.enter()
      Thread.detachNewThread {
        defer { writers.leave() }
        // Fewer rows than the migration takes at once, so that it comes to an end.
        for number in 0..<60 {
          usleep(3_000)
          let text = "\(lane) \(number)"
          do {
            try old.insert(Line(text: text))
            texts.add((text, .now))
          } catch {
            errors.add("\(error)")
            return
          }
        }
      }
    }
    var options = StoreOptions()
    options.migration.mode = .resumable
    options.migration.access = .online
    options.migration.backup = .none
    options.migration.batchRows = 40
    options.migration.partDuration = .zero
    options.schemaPolicy = .migrate(
      MigrationPlan([
        .version(
          2,
          [
            .rows(of: "Line", named: "emphasis", revision: 1) { row in
              changes.add(.now)
              if case .string(let text) = row["text"] { row["text"] = .string(text + "!") }
            }
          ])
      ]))
    let new = try open(.manyWriters(maximum: 4), version: 2, options)
    writers.wait()
    #expect(errors.all == [])
    // Rows written before the last change are changed. The new version admits programs of the old one,
    // so that what they write afterwards stays as it is.
    let lines = try new.fetch(Line.all)
    let last = try #require(changes.all.max())
    let early =
      (0..<400).map { "\($0)!" } + texts.all.filter { $0.time < last }.map { $0.text + "!" }
    #expect(Set(early).isSubset(of: lines.map(\.text)))
    let expected = (0..<400).map { "\($0)" } + texts.all.map(\.text)
    #expect(lines.map { $0.text.replacing("!", with: "") }.sorted() == expected.sorted())
    let greatest = try #require(lines.last?.id)
    #expect(try new.insert(Line(text: "next")).id > greatest)
    #expect(try new.check().isSound)
    try old.close()
    try new.close()
  }

  @Test(
    "12.1: rows that come with a new entity are written again if another program adds it meanwhile")
  func filling() throws {
    let location = try StoreLocation(namespace.location(), among: [.postgres])
    let tallies = try Schema(Tally.self)
    let first = try location.open(schema: tallies)
    try first.write { try $0.save(Tally(id: 1, value: 0)) }
    try first.close()
    let others = DispatchGroup()
    let errors = SharedList<String>()
    let gate = namespace
    var runs = 0
    let (store, result) = try location.open(adding: Schema(Line.self), isNew: false) { store in
      runs += 1
      if runs == 1 {
        others.enter()
        Thread.detachNewThread {
          defer { others.leave() }
          do {
            let other = try location.open(schema: Schema(Line.self))
            try other.write { try $0.save(Line(id: 7, text: "other")) }
            try other.close()
          } catch { errors.add("\(error)") }
        }
        // It comes next, once this transaction is rolled back.
        try gate.waitForLock(
          of: "strata_gate", mode: "ShareRowExclusiveLock", isGranted: false)
        // A program without the store changes the row that this transaction changes as well.
        try PostgresServer.psql("UPDATE \"\(gate.name)\".\"Tally\" SET value = 10 WHERE id = 1")
      }
      return try store.write { tx in
        if runs == 1 { try tx.update(DynamicQuery("Tally"), ["value": .value(.int(1))]) }
        try tx.save(Line(id: Int64(runs), text: "run \(runs)"))
        return "run \(runs)"
      }
    }
    others.wait()
    #expect(errors.all == [])
    #expect(runs == 2)
    #expect(result == "run 2")
    // The first run was rolled back with its transaction.
    #expect(try store.fetch(Line.all.sorted(by: .ascending(\.id))).map(\.id) == [2, 7])
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("10.10: an insert whose entity was renamed throws schemaTooNew, not an error of the server")
  func renamed() throws {
    let old = try open(.manyWriters(maximum: 2))
    try old.insert(Line(text: "first"))
    var options = StoreOptions()
    options.migration.backup = .none
    options.schemaPolicy = .migrate(
      MigrationPlan([.version(2, [.renameEntity("Line", to: "Row")])]))
    let row = EntityDescription(
      name: "Row",
      attributes: [AttributeDescription("id", .int64), AttributeDescription("text", .string)],
      key: ["id"], keySource: .generated)
    let tally = EntityDescription(
      name: "Tally",
      attributes: [AttributeDescription("id", .int64), AttributeDescription("value", .int64)],
      key: ["id"])
    let new = try PostgresStore(
      namespace.location(), schema: Schema(entities: [tally, row], version: 2), options: options)
    let error = #expect(throws: StoreError.self) { try old.insert(Line(text: "second")) }
    #expect(error?.code == .schemaTooNew)
    #expect(try new.read { try $0.count(DynamicQuery("Row")) } == 1)
    try old.close()
    try new.close()
  }
}

extension PostgresNamespace {
  /// Waits until a lock of a table is held, or waited for.
  func waitForLock(of table: String, mode: String, isGranted: Bool) throws {
    let query =
      "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n "
      + "ON n.oid = c.relnamespace WHERE n.nspname = '\(name)' AND c.relname = '\(table)' "
      + "AND l.mode = '\(mode)' AND l.granted = \(isGranted)"
    let isThere = try waited { try !PostgresServer.psql(query).isEmpty }
    #expect(isThere, "nothing has a lock of \(table)")
  }

  /// Runs a body beside a program that adds 10 to a row without the store, and commits once the body
  /// waits for it.
  func besideChange(_ body: () throws -> Void) throws {
    let namespace = name
    let others = DispatchGroup()
    others.enter()
    Thread.detachNewThread {
      defer { others.leave() }
      _ = try? PostgresServer.psql(
        """
        DO $$ BEGIN
          UPDATE "\(namespace)"."Tally" SET value = value + 10 WHERE id = 1;
          FOR i IN 1..6000 LOOP
            EXIT WHEN EXISTS (SELECT FROM pg_locks
              WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)));
            PERFORM pg_sleep(0.01);
          END LOOP;
        END $$
        """)
    }
    try waitForLock(of: "Tally", mode: "RowExclusiveLock", isGranted: true)
    defer { others.wait() }
    try body()
  }
}
