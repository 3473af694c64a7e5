import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: opening files (clause 7.3)")
struct SQLiteFileTests {
  let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  /// A store with a few pages in it, closed cleanly.
  private func makeStore(rows: Int = 1000) throws {
    let writer = try fixture.file().writer()
    try writer.execute(
      """
      CREATE TABLE t (k INTEGER PRIMARY KEY, s TEXT) STRICT;
      CREATE INDEX s ON t (s);
      WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < \(rows))
      INSERT INTO t SELECT k, 'text of row ' || k FROM n;
      """)
    writer.close()
  }

  /// Opens the file three ways; all refuse with the code and leave every file as it was.
  private func expectRefusal(
    _ code: StoreError.Code, _ what: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try fixture.bytes()
    for verification in [StoreOptions.Verification.never, .afterUncleanClose, .always] {
      for isReadOnly in [false, true] {
        let error = try thrownError {
          let file = try fixture.file {
            $0.verification = verification
            $0.isReadOnly = isReadOnly
          }
          _ = try isReadOnly ? file.reader() : file.writer()
        }
        #expect(error.code == code, "\(what): \(error)", sourceLocation: location)
      }
    }
    #expect(try fixture.bytes() == before, "\(what)", sourceLocation: location)
  }

  @Test("A new file is one of ours with a log, in folders that are made, and opens again")
  func creation() throws {
    let path = fixture.folder + "/a/b c/store%3f?.sqlite"
    let options = StoreOptions()
    for _ in 0..<2 {
      let file = try SQLiteFile(path: path, options: options, settings: SQLiteSettings(options))
      #expect(file.path == path)
      #expect(!file.wasClosedUncleanly)
      let writer = try file.writer()
      #expect(try writer.integer("SELECT count(*) FROM sqlite_schema") == 0)
      writer.close()
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/a/b c").count == 1)
    }
    let made = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(made.count == 4096)
    #expect(made[68..<72].elementsEqual("STRA".utf8))
    #expect(
      try fixture.command(
        "PRAGMA application_id; PRAGMA user_version; PRAGMA journal_mode; PRAGMA integrity_check",
        on: path) == "1398035009\n1\nwal\nok")
  }

  @Test("A file of any other kind, short or long, is not a database and is left as it was")
  func foreignFiles() throws {
    let texts = ["x", "SQLITE", "{\"a\": 1}", String(repeating: "hello, world\n", count: 5000)]
    for text in texts {
      try fixture.write(Data(text.utf8))
      try expectRefusal(.notADatabase, text.prefix(10).description)
    }
    try fixture.write(Data(count: 8192))
    try expectRefusal(.notADatabase, "zeros")
    var random = SeededGenerator(seed: runSeed())
    try fixture.write(Data((0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) }))
    try expectRefusal(.notADatabase, "noise")
  }

  @Test("A database of another program is not one of ours, and the error says which it is")
  func foreignDatabase() throws {
    try fixture.command("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try expectRefusal(.notADatabase, "no application id")
    try fixture.command("PRAGMA application_id = 42; PRAGMA journal_mode = WAL")
    try expectRefusal(.notADatabase, "another application id")
    let error = try thrownError { _ = try fixture.file() }
    #expect(error.message.contains("is an SQLite file, but not one that a store of Strata made"))
  }

  @Test("A file cut off anywhere is corrupt")
  func truncated() throws {
    try makeStore()
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    try #require(whole.count > 5 * 4096)
    let lengths = [
      1, 5, 15, 16, 17, 99, 100, 101, 512, 4095, 4096, 4097, 8192, whole.count - 4096,
      whole.count - 1,
    ]
    for length in lengths {
      try fixture.write(whole.prefix(length))
      try expectRefusal(.corrupt, "\(length) bytes")
    }
  }

  @Test("A newer format of ours or of SQLite's is too new")
  func newer() throws {
    try makeStore(rows: 10)
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    for (offset, byte, what) in [
      (63, 3, "user version 3"), (60, 1, "user version 2^24"), (18, 3, "write version 3"),
      (19, 3, "read version 3"), (47, 5, "schema format 5"),
    ] as [(Int, UInt8, String)] {
      var changed = whole
      changed[offset] = byte
      try fixture.write(changed)
      try expectRefusal(.schemaTooNew, what)
    }
  }

  @Test("A newer format is seen also when only the log says so")
  func newerInLog() throws {
    try makeStore(rows: 10)
    let session = try SQLiteSession(fixture.path)
    try session.run("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 3;")
    #expect(try thrownError { _ = try fixture.file().reader() }.code == .schemaTooNew)
    #expect(try thrownError { _ = try fixture.file().writer() }.code == .schemaTooNew)
    session.kill()
  }

  @Test("Damage to the header or to the schema's page is corrupt")
  func damaged() throws {
    try makeStore()
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    for (offset, bytes, what) in [
      (16, [0x13, 0x00], "page size 4864"), (16, [0, 2], "page size 2"), (18, [0, 0], "format 0"),
      (20, [255], "reserved, fine at this size: 4096 - 255"), (21, [63], "payload fraction"),
      (59, [2], "UTF-16"), (63, [0], "user version 0"), (60, [255], "negative user version"),
      (100, [0x77], "kind of the first page"), (103, [255, 255], "cells of the first page"),
      (108, [255, 255], "first cell's place"),
    ] as [(Int, [UInt8], String)] where bytes != [255] || offset != 20 {
      var changed = whole
      changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      try fixture.write(changed)
      try expectRefusal(.corrupt, what)
    }
  }

  @Test("Damage further back is found by opening with `.always`, else when it is read")
  func damagedInside() throws {
    try makeStore()
    var changed = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    for page in 1..<changed.count / 4096 {
      changed.replaceSubrange(page * 4096..<page * 4096 + 100, with: Data(count: 100))
    }
    try fixture.write(changed)
    let before = try fixture.bytes()
    let error = try thrownError { _ = try fixture.file { $0.verification = .always } }
    #expect(error.code == .corrupt)
    #expect(try fixture.bytes() == before)
    let reader = try fixture.file().reader()
    #expect(
      try thrownError { _ = try reader.integer("SELECT sum(length(s)) FROM t") }.code
        == .corrupt)
  }

  @Test("Random damage gives a store error or an open store, never anything else")
  func randomDamage() throws {
    try makeStore(rows: 200)
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    let seed = runSeed()
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<150 {
      var changed = whole
      for _ in 0...next(20) {
        changed[next(round % 2 == 0 ? 200 : whole.count)] = UInt8(next(256))
      }
      try fixture.write(changed)
      do {
        let reader = try fixture.file { $0.verification = .always }.reader()
        _ = try reader.integer("SELECT sum(length(s)) FROM t")
      } catch {
        let code = (error as? StoreError)?.code
        let isExpected = [.corrupt, .notADatabase, .schemaTooNew, .engine].contains(code)
        #expect(isExpected, "seed \(seed): \(error)")
      }
      for suffix in ["-wal", "-shm"] { unlink(fixture.path + suffix) }
    }
  }

  @Test("A log without its file is refused and stays")
  func orphanLog() throws {
    for suffix in ["-wal", "-journal"] {
      for isEmpty in [true, false] {
        if isEmpty { try fixture.write(Data()) }
        let log = URL(fileURLWithPath: fixture.path + suffix)
        try Data(count: 5000).write(to: log)
        let before = try fixture.bytes()
        #expect(try thrownError { _ = try fixture.file() }.code == .corrupt)
        #expect(try fixture.bytes() == before)
        try FileManager.default.removeItem(at: log)
        unlink(fixture.path)
      }
    }
  }

  @Test("What cannot be a file cannot be opened: folders, devices, bad names, missing files")
  func cannotOpen() throws {
    let options = StoreOptions()
    let paths = [
      "", "a\0b", fixture.folder, fixture.folder + "/x/", "/dev/null", "/proc/nowhere/store",
      "/dev/null/store", fixture.folder + "/" + String(repeating: "n", count: 300),
    ]
    for path in paths {
      let error = try thrownError {
        _ = try SQLiteFile(path: path, options: options, settings: SQLiteSettings(options))
      }
      #expect(error.code == .cannotOpen, "\(path): \(error)")
    }
    #expect(
      try thrownError { _ = try fixture.file { $0.isReadOnly = true } }.code == .cannotOpen)
    #expect(try fixture.bytes().isEmpty)
  }

  @Test("A symbolic link opens what it points to, also when that is yet to be made")
  func symbolicLink() throws {
    let link = fixture.folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "d/store.sqlite")
    let options = StoreOptions()
    for _ in 0..<2 {
      let file = try SQLiteFile(path: link, options: options, settings: SQLiteSettings(options))
      #expect(file.path.hasSuffix("/d/store.sqlite"))
    }
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "link")
    let error = try thrownError {
      _ = try SQLiteFile(path: link, options: options, settings: SQLiteSettings(options))
    }
    #expect(error.code == .cannotOpen)
  }

  @Test("Opening for reading alone reads, refuses to write, and makes nothing")
  func readOnly() throws {
    try makeStore(rows: 3)
    let file = try fixture.file { $0.isReadOnly = true }
    #expect(try thrownError { _ = try file.writer() }.code == .readOnly)
    let reader = try file.reader()
    #expect(try reader.integer("SELECT count(*) FROM t") == 3)
    #expect(try thrownError { try reader.execute("DELETE FROM t") }.code == .readOnly)
  }

  @Test("After a kill the log is read, the file verified, and nothing committed is lost")
  func unclean() throws {
    try makeStore(rows: 3)
    let session = try SQLiteSession(fixture.path)
    try session.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (4, 'four');")
    // As long as the other runs, its log is no sign of a crash.
    #expect(try !fixture.file().wasClosedUncleanly)
    session.kill()
    let before = try fixture.bytes()
    let file = try fixture.file()
    #expect(file.wasClosedUncleanly)
    let after = try fixture.bytes()
    for name in ["store.sqlite", "store.sqlite-wal"] {
      #expect(after[name] == before[name], "\(name)")
    }
    let writer = try file.writer()
    #expect(try writer.integer("SELECT count(*) FROM t") == 4)
    writer.close()
    #expect(try fixture.bytes().count == 1, "the last to close ends the log")
    #expect(try !fixture.file().wasClosedUncleanly)
  }

  @Test("After a kill, damage behind the log is found before anything is written")
  func uncleanAndDamaged() throws {
    try makeStore()
    let session = try SQLiteSession(fixture.path)
    try session.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (0, 'new');")
    session.kill()
    var changed = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    let place = changed.count - 4096
    changed.replaceSubrange(place..<place + 100, with: Data(count: 100))
    try fixture.write(changed)
    let log = try fixture.bytes()["store.sqlite-wal"]
    #expect(try thrownError { _ = try fixture.file() }.code == .corrupt)
    #expect(try fixture.bytes()["store.sqlite"] == changed)
    #expect(try fixture.bytes()["store.sqlite-wal"] == log)
  }

  @Test("Many threads that make the same file at once get one file, and lose nothing")
  func racingCreation() throws {
    let failures = Lock<[String]>([])
    let group = DispatchGroup()
    for number in 0..<8 {
      // Threads, as opening blocks; each with a fixture's path, not the fixture.
      let path = fixture.path
      group.enter()
      Thread {
        do {
          let options = StoreOptions()
          let file = try SQLiteFile(path: path, options: options, settings: SQLiteSettings(options))
          let writer = try file.writer()
          try writer.beginWrite()
          try writer.execute(
            """
            CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY);
            INSERT INTO t VALUES (\(number))
            """)
          try writer.commit()
          writer.close()
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
        group.leave()
      }.start()
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    #expect(try fixture.command("SELECT count(*) FROM t") == "8")
    #expect(try fixture.bytes().keys.sorted() == ["store.sqlite"], "no draft is left")
  }

  @Test("Opening a file again in one process does not drop the locks of the first")
  func secondOpeningKeepsLocks() throws {
    let writer = try fixture.file().writer()
    try writer.execute("CREATE TABLE t (k INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    _ = try fixture.file()
    _ = try fixture.file { $0.isReadOnly = true }.reader()
    // Had the lock gone, the command would be the last to close: it would end the log.
    #expect(try fixture.command("SELECT count(*) FROM t") == "1")
    #expect(try fixture.bytes()["store.sqlite-wal"]?.isEmpty == false)
    try writer.execute("INSERT INTO t VALUES (2)")
    #expect(try fixture.command("SELECT count(*) FROM t") == "2")
  }
}
