import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: transactions")
struct SQLiteTransactionTests {
  let fixture: SQLiteFixture
  let file: SQLiteFile
  let writer: SQLiteConnection

  init() throws {
    fixture = SQLiteFixture()
    file = try fixture.file()
    writer = try file.writer()
    try writer.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) STRICT; INSERT INTO t VALUES (1)")
  }

  private func count(_ connection: SQLiteConnection) throws -> Int64? {
    try connection.integer("SELECT count(*) FROM t")
  }

  @Test(
    "6.1: a snapshot is fixed when the read begins, not at its first statement",
    arguments: [false, true])
  func snapshotAtBegin(expectsMany: Bool) throws {
    let reader = try file.reader()
    let first = try reader.beginRead()
    if expectsMany { try reader.expectManyStatements() }
    try writer.execute("INSERT INTO t VALUES (2)")
    try fixture.command("INSERT INTO t VALUES (3)")
    for _ in 0..<3 { #expect(try count(reader) == 1) }
    reader.endRead()
    let second = try reader.beginRead()
    #expect(second != first, "other connections committed in between")
    #expect(try count(reader) == 3)
    reader.endRead()
    #expect(try reader.beginRead() == second)
    reader.endRead()
    reader.endRead()
  }

  @Test("6.1: asking for many statements in the middle of a read keeps its snapshot")
  func snapshotAcrossModes() throws {
    let reader = try file.reader()
    _ = try reader.beginRead()
    try writer.execute("INSERT INTO t VALUES (2)")
    #expect(try count(reader) == 1)
    try reader.expectManyStatements()
    try writer.execute("INSERT INTO t VALUES (3)")
    #expect(try count(reader) == 1)
    reader.endRead()
    #expect(!reader.isInTransaction)
    #expect(try count(reader) == 3)
  }

  @Test("6.1: several statements may stand on rows of one snapshot, and the writer is not blocked")
  func interleaved() throws {
    try writer.execute("INSERT INTO t VALUES (2), (3)")
    let reader = try file.reader()
    _ = try reader.beginRead()
    let one = try reader.prepare("SELECT k FROM t ORDER BY k")
    let two = try reader.prepare("SELECT k FROM t ORDER BY k DESC")
    #expect(try one.step())
    #expect(try two.step())
    #expect(one.isActive)
    try writer.execute("DELETE FROM t")
    #expect(try one.step())
    #expect(try two.step())
    #expect([one.int64(at: 0), two.int64(at: 0)] == [2, 2])
    one.rewind()
    two.rewind()
    reader.endRead()
    #expect(try count(reader) == 0)
  }

  @Test("6.3: waits of one beginning end together")
  func sharedWait() {
    var wait = SQLiteWait(limit: .milliseconds(20))
    wait.beginSharing()
    while wait.again(attempt: 1) {}
    let mayWaitWithOthers = wait.again(attempt: 0)
    #expect(!mayWaitWithOthers)
    wait.endSharing()
    let mayWaitAlone = wait.again(attempt: 0)
    #expect(mayWaitAlone)
  }

  @Test("5.5: commit keeps, rollback undoes, savepoints nest")
  func savepoints() throws {
    try writer.beginWrite()
    #expect(writer.isInTransaction)
    try writer.execute("INSERT INTO t VALUES (2)")
    try writer.beginSavepoint()
    try writer.execute("INSERT INTO t VALUES (3)")
    try writer.beginSavepoint()
    try writer.execute("INSERT INTO t VALUES (4)")
    try writer.rollbackSavepoint()
    #expect(try count(writer) == 3)
    try writer.releaseSavepoint()
    try writer.beginSavepoint()
    try writer.execute("DELETE FROM t")
    try writer.rollbackSavepoint()
    try writer.commit()
    #expect(!writer.isInTransaction)
    #expect(try fixture.command("SELECT k FROM t") == "1\n2\n3")
    try writer.beginWrite()
    try writer.execute("DELETE FROM t")
    writer.rollback()
    writer.rollback()
    #expect(try fixture.command("SELECT count(*) FROM t") == "3")
  }

  @Test("6.10: no statement that begins or ends a savepoint is stopped by a deadline")
  func savepointsAreNotStopped() throws {
    try writer.beginWrite()
    try writer.execute("INSERT INTO t VALUES (2)")
    // The library asks after 1,000 of its instructions, of which each of these statements has a few.
    try RunningOperation { .deadline }.bind {
      for _ in 0..<1_000 {
        try writer.beginSavepoint()
        try writer.releaseSavepoint()
        try writer.beginSavepoint()
        try writer.rollbackSavepoint()
      }
    }
    // None is open any more, so this undoes the row alone that is inserted in it.
    try writer.beginSavepoint()
    try writer.execute("INSERT INTO t VALUES (3)")
    try writer.rollbackSavepoint()
    try writer.commit()
    #expect(try fixture.command("SELECT k FROM t") == "1\n2")
  }

  @Test("6.3: a writer waits for another process's, then throws busy within its time")
  func busy() throws {
    let session = try SQLiteSession(fixture.path)
    try session.run("BEGIN IMMEDIATE;")
    writer.setWait(.milliseconds(150))
    var error: StoreError?
    let time = try ContinuousClock().measure {
      error = try thrownError { try writer.beginWrite() }
    }
    #expect(error?.code == .busy)
    #expect(error?.engineCode == 5)
    #expect(time >= .milliseconds(150), "\(time)")
    #expect(!writer.isInTransaction)
    // A reader is not held up.
    #expect(try count(file.reader()) == 1)
    writer.setWait(.seconds(20))
    try session.run("COMMIT;")
    try writer.beginWrite()
    try writer.commit()
    session.kill()
  }

  @Test("6.3: a writer that waits gets its turn as soon as the other ends")
  func waitsForTurn() throws {
    let session = try SQLiteSession(fixture.path)
    try session.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);")
    // The command ends on a thread of its own, as this one waits.
    let end = Thread {
      Thread.sleep(forTimeInterval: 0.05)
      _ = try? session.run("COMMIT;")
    }
    end.start()
    try writer.beginWrite()
    #expect(try count(writer) == 2)
    writer.rollback()
  }

  @Test("6.1: a read never becomes a writer; the engine refuses it at once")
  func noUpgrade() throws {
    let other = try file.writer()
    try other.execute("BEGIN")
    #expect(try count(other) == 1)
    try writer.execute("INSERT INTO t VALUES (2)")
    let error = try thrownError { try other.execute("INSERT INTO t VALUES (3)") }
    #expect(error.code == .busy)
    #expect(error.engineCode == 517, "SQLITE_BUSY_SNAPSHOT")
  }

  @Test("6.4: an interruption from another thread stops a statement and ends its read")
  func interruption() throws {
    let reader = try file.reader()
    let interrupter = reader.interrupter
    _ = try reader.beginRead()
    let other = Thread {
      Thread.sleep(forTimeInterval: 0.03)
      interrupter.interrupt()
    }
    other.start()
    let endless = """
      WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT count(*) FROM n
      """
    let error = try thrownError { _ = try reader.integer(endless) }
    #expect(error.isSQLiteInterruption)
    #expect(try thrownError { _ = try count(reader) }.isSQLiteInterruption)
    reader.endRead()
    _ = try reader.beginRead()
    #expect(try count(reader) == 1)
    reader.endRead()
    reader.close()
    interrupter.interrupt()
  }

  @Test("6.4: an interruption ends the wait for another process's writer")
  func interruptedWait() throws {
    let session = try SQLiteSession(fixture.path)
    try session.run("BEGIN IMMEDIATE;")
    let interrupter = writer.interrupter
    let other = Thread {
      Thread.sleep(forTimeInterval: 0.03)
      interrupter.interrupt()
    }
    other.start()
    // A wait that came to its end would throw `busy`.
    let error = try thrownError { try writer.beginWrite() }
    #expect(error.isSQLiteInterruption)
    session.kill()
    try writer.beginWrite()
    writer.rollback()
  }

  @Test("A closed connection throws closed; a statement still held does no harm")
  func closed() throws {
    let statement = try writer.prepare("SELECT k FROM t")
    writer.close()
    writer.close()
    #expect(try thrownError { _ = try writer.prepare("SELECT 1") }.code == .closed)
    #expect(try thrownError { try writer.execute("SELECT 1") }.code == .closed)
    #expect(try thrownError { try writer.beginWrite() }.code == .closed)
    #expect(try thrownError { _ = try writer.beginRead() }.code == .closed)
    #expect(try thrownError { try writer.commit() }.code == .closed)
    writer.rollback()
    writer.endRead()
    statement.rewind()
  }

  @Test("6.6: full durability syncs at each commit, the weaker ones keep the file consistent")
  func durability() throws {
    #expect(try writer.integer("PRAGMA synchronous") == 2)
    #expect(try writer.text("PRAGMA journal_mode") == "wal")
    for weaker in [StoreOptions.Durability.normal, .off] {
      #expect(
        try fixture.file { $0.durability = weaker }.writer().integer("PRAGMA synchronous") == 1)
    }
  }

  @Test("Connections are set up as safe and as large as they can be")
  func settings() throws {
    for connection in [writer, try file.reader()] {
      for (pragma, value) in [
        ("foreign_keys", 1), ("trusted_schema", 0), ("cache_size", -65536),
        ("mmap_size", 1 << 30), ("temp_store", 2), ("journal_size_limit", 64 << 20),
        ("application_id", 1_398_035_009), ("user_version", 1), ("busy_timeout", 0),
      ] as [(String, Int64)] {
        #expect(try connection.integer("PRAGMA \(pragma)") == value, "\(pragma)")
      }
      #expect(throws: StoreError.self, "extensions are off") {
        try connection.execute("SELECT load_extension('x')")
      }
      #expect(throws: StoreError.self, "a name in double quotes is no text") {
        try connection.execute("SELECT \"nothing\"")
      }
      #expect(throws: StoreError.self, "the schema's table is not to be written") {
        try connection.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
      }
    }
  }

  @Test("The last writer to close moves the log into the file; a checkpoint does it before")
  func checkpoint() throws {
    try writer.execute("INSERT INTO t VALUES (2)")
    #expect(try fixture.bytes()["store.sqlite-wal"]?.isEmpty == false)
    try writer.checkpoint(truncating: true)
    #expect(try fixture.bytes()["store.sqlite-wal"]?.isEmpty == true)
    let reader = try file.reader()
    #expect(try count(reader) == 2)
    reader.close()
    writer.close()
    #expect(try fixture.bytes().keys.sorted() == ["store.sqlite"])
  }

  @Test("Statistics count pages, free ones and bytes; commits of others change the data version")
  func statistics() throws {
    try writer.execute("CREATE TABLE b (b BLOB); INSERT INTO b VALUES (zeroblob(400000))")
    let version = try writer.dataVersion()
    #expect(try writer.dataVersion() == version)
    try writer.execute("DROP TABLE b")
    #expect(try writer.dataVersion() == version, "its own commits do not count")
    let statistics = try writer.statistics()
    #expect(statistics.pageSize == 4096)
    #expect(try fixture.command("PRAGMA page_count") == "\(statistics.pageCount)")
    #expect(try fixture.command("PRAGMA freelist_count") == "\(statistics.freePageCount)")
    #expect(statistics.freePageCount >= 400_000 / 4096)
    try fixture.command("INSERT INTO t VALUES (2)")
    #expect(try writer.dataVersion() != version)
    try writer.checkpoint(truncating: true)
    let sizes = try file.sizes()
    #expect(sizes.file == statistics.pageCount * 4096)
    #expect(sizes.log == 0)
  }
}
