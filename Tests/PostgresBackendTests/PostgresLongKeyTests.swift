import ORM
import PostgresBackend
import TestSupport
import Testing

/// Keys that are too long for an entry of an index, in tables that several programs use: clause 9.4.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresLongKeyTests {
  private let namespace = PostgresNamespace()

  /// A row that is found by a text.
  struct Page: PrimaryKeyed, Codable, Equatable {
    var id: String
    var note: String
    var tags: [String] = []

    static let entity = Entity<Page>("Page") {
      .key("id", \.id)
        .attribute("note", \.note, .unique)
        .attribute("tags", \.tags, .indexed(.elements))
    }
  }

  /// A text of 4,000 characters that cannot be compressed.
  private func long(_ seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    return String(
      (0..<4_000).map { _ in
        "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &generator) ?? "a"
      })
  }

  private func open(
    _ writers: PostgresOptions.Writers = .oneWriter, wait: Duration = .seconds(30)
  ) throws -> PostgresStore {
    var postgres = PostgresOptions()
    postgres.writers = writers
    var options = StoreOptions()
    options.writerWait = wait
    return try PostgresStore(
      namespace.location(), schema: Schema(Page.self), options: options, postgres: postgres)
  }

  @Test("1.6: Rows with long keys are deleted by a condition on their elements, and counted")
  func deletedByElements() throws {
    let store = try open()
    let key = long(7)
    try store.save([
      Page(id: key, note: "1", tags: ["x", "y"]), Page(id: "b", note: "2", tags: ["x"]),
      Page(id: "c", note: "3", tags: ["y"]), Page(id: "d", note: "4"),
    ])
    #expect(try store.delete(Page.where { $0.tags.contains("x") }) == 2)
    #expect(try store.fetch(Page.all).map(\.id) == ["c", "d"])
    #expect(try store.fetch(Page.where { $0.tags.contains("y") }).map(\.id) == ["c"])
    #expect(try store.check().isSound)
    #expect(try store.delete(Page.all) == 2)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "9.4: A long key changes the indexes under another program, which goes on",
    arguments: [PostgresOptions.Writers.oneWriter, .manyWriters()])
  func others(_ writers: PostgresOptions.Writers) throws {
    let (one, other) = (try open(writers), try open(writers))
    for run in 0..<2 {
      try one.save(Page(id: "a", note: "\(run)", tags: ["x"]))
      try other.save(Page(id: "b", note: "b\(run)", tags: ["x", "y"]))
    }
    let key = long(1)
    try one.save(Page(id: key, note: key, tags: [key]))
    // The other's statements are those of before: with a conflict on the primary key, and without.
    #expect(try other.find(Page.self, "b")?.note == "b1")
    #expect(
      try other.save([Page(id: "b", note: "b2"), Page(id: "c", note: "c", tags: ["y"])]).counts
        == SaveCounts(inserted: 1, updated: 1, unchanged: 0))
    #expect(try other.find(Page.self, key)?.tags == [key])
    #expect(try other.fetch(Page.all.where { $0.tags.contains("x") }).map(\.id) == ["a"])
    #expect(try other.delete(Page.self, id: key))
    #expect(try one.fetch(Page.all).map(\.id) == ["a", "b", "c"])
    #expect(try one.check().isSound && other.check().isSound)
    // The view pg_indexes fails while another test drops its tables.
    let indexes = try PostgresServer.psql(
      """
      SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_am AS a ON a.oid = c.relam
      WHERE n.nspname = '\(namespace.name)' AND c.relkind = 'i' AND a.amname = 'hash'
      """)
    // The key and the note; the element and its owner.
    #expect(indexes == ["4"])
    try one.close()
    try other.close()
  }

  @Test("9.4: The first long key waits for those who read the table, until writerWait")
  func readers() throws {
    let (one, other) = (try open(wait: .seconds(1)), try open())
    try one.save(Page(id: "a", note: "a"))
    let key = long(2)
    try other.read { transaction throws in
      #expect(try transaction.count(Page.self) == 1)
      #expect(code { try one.save(Page(id: key, note: "long")) } == .busy)
    }
    #expect(try one.count(Page.self) == 1)
    try one.save(Page(id: key, note: "long"))
    #expect(try other.find(Page.self, key)?.note == "long")
    // Those who read it afterwards hold up no long key.
    try other.read { transaction throws in
      #expect(try transaction.count(Page.self) == 2)
      try one.save(Page(id: key + "!", note: "longer"))
      #expect(try transaction.count(Page.self) == 2)
    }
    #expect(try one.count(Page.self) == 3)
    try one.close()
    try other.close()
  }
}
