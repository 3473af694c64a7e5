import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCore
import SQLiteBackend
import TestSupport
import Testing

@testable import StrataTesting

@Suite struct SnapshotTests {
  @Test("13.9 the text has entities by name, rows by key, and labels")
  func textByHand() throws {
    let schema = try Schema(Diary.self)
    let expected = """
      Diary (2)
      id | title         | mark   | added
      1  | "a\\n\\"b\\""    | uuid-1 | time-1
      2  | "longer text" | nil    | time-2

      """
    for kind in [StoreKind.memory, .sqlite, .lmdb] {
      try kind.withTestStore(schema) { store in
        try store.insert(Diary(id: 1, title: "a\n\"b\"", mark: UUID()))
        try store.insert(Diary(id: 2, title: "longer text", mark: nil))
        #expect(try Snapshot(of: store).text == expected)
      }
    }
  }

  @Test("13.9 the order of random keys does not show")
  func uuidOrderDoesNotShow() throws {
    let schema = try Schema.teams
    func text() throws -> String {
      let store = MemoryStore(schema: schema)
      try store.write { tx in
        for name in ["Lions", "Bears", "Foxes"] {
          try tx.copy([DynamicRow("Team", ["id": .uuid(UUID()), "name": .string(name)])])
        }
      }
      return try Snapshot(of: store, entities: ["Team"]).text
    }
    let first = try text()
    for _ in 0..<10 { #expect(try text() == first) }
    #expect(first.contains("uuid-1 | \"Bears\""))
    #expect(first.contains("uuid-3 | \"Lions\""))
  }

  @Test("13.9 a fake has the same snapshot on every store")
  func sameOnEveryStore() async throws {
    let schema = try Schema.teams
    func text(_ kind: StoreKind) throws -> String {
      try kind.withTestStore(schema) { store in
        try Fake(schema, seed: 4).fill(store, [Team.self: 5, Coach.self: 2])
        return try Snapshot(of: store).text
      }
    }
    let expected = try text(.memory)
    #expect(try text(.sqlite) == expected)
    #expect(try text(.lmdb) == expected)
    guard PostgresServer.isThere else { return }
    try await SharedKind.postgres.withStore { location in
      let sandbox = try SandboxStore(SharedKind.postgres.open(location))
      try await sandbox.deleteAll(League.self)
      try await offThePool {
        try Fake(schema, seed: 4).fill(sandbox, [Team.self: 5, Coach.self: 2])
        #expect(try Snapshot(of: sandbox).text == expected)
        try sandbox.close()
      }
    }
  }

  @Test("13.9 line ends do not matter, and differences are shown with their lines")
  func differences() {
    #expect(TextDifference.lines(expected: "a\r\nb\r\n", found: "a\nb\n") == nil)
    #expect(TextDifference.lines(expected: "a\rb", found: "a\nb\n") == nil)
    // Equal for Swift, and two texts for a store.
    #expect(TextDifference.lines(expected: "\u{E9}", found: "e\u{301}") != nil)
    #expect(
      TextDifference.lines(expected: "1\n2\n3\n4\n5\n6\n", found: "1\n2\n3\n4\nx\n6\n") == """
          …
          3
          4
        - 5
        + x
          6
        """)
  }

  @Test("13.9 files are written when asked for, compared, and used by one expectation")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-snapshots-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let test = folder.appendingPathComponent("SomeTests.swift").path
    let file = SnapshotFile(name: "a/b", of: test)
    #expect(file.path == folder.path + "/__Snapshots__/SomeTests/a-b.txt")
    let missing = try file.compare("x\n", at: "here", isRecording: false)
    #expect(missing?.contains("STRATA_RECORD=1") == true)
    #expect(try file.compare("x\n", at: "here", isRecording: true) == nil)
    #expect(try file.compare("y\n", at: "here", isRecording: true)?.contains("+ y") == true)
    #expect(try file.compare("x\n", at: "here", isRecording: false) == nil)
    #expect(try file.compare("y\n", at: "here", isRecording: false)?.contains("- x") == true)
    let other = try file.compare("x\n", at: "there", isRecording: false)
    #expect(other?.contains("here") == true)
  }
}

/// A model whose values are other ones in each run.
struct Diary: PrimaryKeyed, Codable {
  var id: Int64
  var title: String
  var mark: UUID?
  var added = Date.distantPast

  static let entity = Entity<Diary>("Diary") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("mark", \.mark)
      .attribute("added", \.added, .createdAt)
  }
}
