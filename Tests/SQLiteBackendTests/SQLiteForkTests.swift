#if os(Linux)
  import Foundation
  import ORMCore
  import TestSupport
  import Testing

  @testable import SQLiteBackend

  // The importer hides these: a fork is not for Swift programs to make, but a program in C that
  // carries one may; and the file system's user is Linux's alone.
  @_silgen_name("fork") private func systemFork() -> Int32
  @_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> Int32

  @Suite("SQLite leaf: forks and rights (clause 6.9)", .serialized)
  struct SQLiteForkTests {
    let fixture: SQLiteFixture
    let file: SQLiteFile

    init() throws {
      fixture = SQLiteFixture()
      file = try fixture.file()
      let writer = try file.writer()
      try writer.execute("CREATE TABLE t (k INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      writer.close()
    }

    @Test("After a fork the child is refused, and its end leaves the parent's locks")
    func fork() throws {
      var writer: SQLiteConnection? = try file.writer()
      var statement = try writer?.prepare("SELECT k FROM t")
      try writer?.execute("INSERT INTO t VALUES (2)")
      // Everything the child does was done once before, so that it needs no lock of the runtime
      // that another thread may have held.
      func refusals() -> Int32 {
        var count: Int32 = 0
        for body in [
          { _ = try writer?.prepare("SELECT 1") }, { try writer?.beginWrite() },
          { _ = try writer?.beginRead() },
        ] as [() throws -> Void] {
          do { try body() } catch {
            if (error as? StoreError)?.code == .forked { count += 1 }
          }
        }
        return count
      }
      _ = refusals()
      writer?.endRead()
      writer?.rollback()
      let child = systemFork()
      if child == 0 {
        alarm(10)
        let count = refusals()
        writer?.rollback()
        writer?.close()
        statement = nil
        writer = nil
        _exit(count)
      }
      var status: Int32 = 0
      #expect(waitpid(child, &status, 0) == child)
      #expect(status == 3 << 8, "three refusals, and no signal")
      #expect(statement?.isActive == false)
      // Had a lock gone, the command would be the last to close: it would end the log.
      #expect(try fixture.command("SELECT count(*) FROM t") == "2")
      #expect(try fixture.bytes()["store.sqlite-wal"]?.isEmpty == false)
      try writer?.execute("INSERT INTO t VALUES (3)")
      #expect(try fixture.command("PRAGMA integrity_check; SELECT count(*) FROM t") == "ok\n3")
    }

    /// Runs `body` with the rights of the user `nobody`, on this thread alone.
    private func asNobody<R>(_ body: () throws -> R) rethrows -> R {
      let user = setFileSystemUser(65534)
      defer { _ = setFileSystemUser(UInt32(bitPattern: user)) }
      return try body()
    }

    @Test("A file or folder without the right to write is cannotOpen, and untouched")
    func rights() throws {
      try #require(geteuid() == 0, "only root can take rights away from itself")
      chmod(fixture.folder, 0o777)
      chmod(fixture.path, 0o444)
      let before = try fixture.bytes()
      #expect(
        try asNobody { try thrownError { _ = try file.writer() } }.code == .cannotOpen)
      chmod(fixture.path, 0)
      #expect(
        try asNobody { try thrownError { _ = try fixture.file() } }.code == .cannotOpen)
      chmod(fixture.path, 0o666)
      chmod(fixture.folder, 0o555)
      #expect(
        try asNobody { try thrownError { _ = try file.writer() } }.code == .cannotOpen)
      #expect(
        try asNobody { try thrownError { _ = try file.reader() } }.code == .cannotOpen)
      let options = StoreOptions()
      let error = try asNobody {
        try thrownError {
          _ = try SQLiteFile(
            path: fixture.folder + "/new", options: options, settings: SQLiteSettings(options))
        }
      }
      #expect(error.code == .cannotOpen)
      #expect(error.engineCode == Int(EACCES))
      chmod(fixture.folder, 0o755)
      #expect(try fixture.bytes() == before)
    }
  }
#endif
