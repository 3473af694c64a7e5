import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite("SQLite leaf: sizes that a program chooses")
struct SQLiteOptionsTests {
  let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  /// The sizes in force on a connection: cache in KiB below 0, map and log in bytes.
  private func sizes(_ options: SQLiteOptions) throws -> [Int64?] {
    let file = try SQLiteFile(
      path: fixture.path, options: .init(), settings: SQLiteSettings(.init(), options))
    let writer = try file.writer()
    defer { writer.close() }
    return try ["cache_size", "mmap_size", "journal_size_limit"].map {
      try writer.integer("PRAGMA \($0)")
    }
  }

  @Test("Cache, map and log have the defaults that are documented")
  func defaults() throws {
    #expect(try sizes(SQLiteOptions()) == [-65536, 1 << 30, 64 << 20])
  }

  @Test("Sizes are in bytes")
  func chosen() throws {
    var options = SQLiteOptions()
    options.cacheSize = 8 << 20
    options.mapSize = 0
    options.logSize = 1 << 20
    #expect(try sizes(options) == [-8192, 0, 1 << 20])
  }

  @Test("A size below 0 counts as 0, and never as the library's default or no limit")
  func negative() throws {
    var options = SQLiteOptions()
    (options.cacheSize, options.mapSize, options.logSize) = (-1, .min, -1)
    #expect(try sizes(options) == [0, 0, 0])
  }
}
