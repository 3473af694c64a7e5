import ORMCore
import TestSupport
import Testing

/// Changes of the schema in a database where each change of a table commits by itself.
@Suite("A database that changes tables outside of transactions")
struct OtherWordsTableChangeTests {
  private static let text = StoredColumn("text", .string, isOptional: true)

  static func schema(
    _ columns: [StoredColumn] = [], _ indexes: [StoredIndex] = [], _ others: [StoredEntity] = []
  ) -> StoredSchema {
    StoredSchema(
      entities: [
        StoredEntity(
          name: "word", columns: [StoredColumn("id", .int64), text] + columns, key: [0],
          indexes: indexes)
      ] + others)
  }

  /// A list of texts with an index of its elements, and an entity with two attributes in its key.
  private static let others = [
    StoredEntity(
      name: "list",
      columns: [StoredColumn("id", .int64), StoredColumn("items", .array(.string))], key: [0],
      indexes: [StoredIndex("list.items", [.init(1, form: .elements)])]),
    StoredEntity(
      name: "pair", columns: [StoredColumn("a", .int64), StoredColumn("b", .string)],
      key: [0, 1]),
  ]

  /// A column with a default, an index with a column of folded texts, and new entities.
  private static let added = schema(
    [StoredColumn("rank", .int64, defaultValue: .int(7))],
    [StoredIndex("word.text", [.init(1, form: .caseFolded)])], others)

  /// The file of a test, and its stores.
  private struct Files {
    let fixture = SQLiteFixture()
    let statements = WrittenStatements()

    func store(
      _ schema: StoredSchema, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> OtherWordsStore {
      var options = StoreOptions()
      options.durability = .off
      change(&options)
      return try OtherWordsStore(
        path: fixture.path, schema: schema, options: options,
        OtherWordsDialect(statements, changesTablesInTransactions: false))
    }

    /// Opens and closes a store; false if the process was killed at a change of a table.
    func opens(_ schema: StoredSchema, killedAfter count: Int) throws -> Bool {
      statements.failTableChanges(after: count)
      defer { statements.failTableChanges(after: nil) }
      do {
        try store(schema).close(CloseTurn())
        return true
      } catch let error as StoreError where error.code == .inputOutput {
        return false
      }
    }

    /// Makes a store of texts with the keys 1, 2 and so on.
    func make(_ texts: [StoredValue]) throws {
      let store = try store(OtherWordsTableChangeTests.schema())
      defer { try? store.close(CloseTurn()) }
      let writer = try store.writer(WriteTurn())
      defer { writer.end() }
      var source = ValueSource(
        texts.enumerated().map { [.int(Int64($0 + 1)), $1] },
        of: OtherWordsTableChangeTests.schema().entities[0])
      var visitor = QuietPuts()
      try writer.put(PutRequest(entity: "word", mode: .insert), from: &source, to: &visitor)
      try writer.commit()
    }

    /// The tables, indexes and triggers with their columns.
    func parts() throws -> String {
      try fixture.command(
        "SELECT m.type, m.name, p.name, p.type FROM sqlite_schema m "
          + "LEFT JOIN pragma_table_info(m.name) p ORDER BY 1, 2, 3")
    }
  }

  private struct QuietPuts: PutVisitor {
    mutating func didPut(_ outcome: PutOutcome, key: Int64) {}
    mutating func didRewind() {}
  }

  private func rows(
    _ store: OtherWordsStore, _ condition: Condition = .constant(true)
  ) throws -> [[StoredValue]] {
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    var collector = RowCollector()
    try reader.visit(
      FetchRequest(entity: "word", condition: condition, sort: [SortTerm(.attribute("id"))]),
      &collector)
    return collector.rows
  }

  private struct RowCollector: RowVisitor {
    var rows: [[StoredValue]] = []

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      rows.append(try BufferedRow(copying: row).values)
      return .next
    }
  }

  @Test func `a store that was left half made is made by the next opening`() throws {
    var failures = 0
    while true {
      let files = Files()
      if try files.opens(Self.added, killedAfter: failures) { break }
      failures += 1
      let store = try files.store(Self.added)
      #expect(try rows(store) == [])
      try store.close(CloseTurn())
    }
    // The table of the engine's own, three entities, the index of folded texts, and a table of elements
    // with an index and a trigger.
    #expect(failures == 8)
  }

  @Test func `additions that were left half made are undone, and made again`() throws {
    var failures = 0
    while true {
      let files = Files()
      try files.make([.string("Ärger"), .null, .string("tee")])
      let before = try files.parts()
      if try files.opens(Self.added, killedAfter: failures) { break }
      failures += 1
      // The program of before finds the store as it was.
      try files.store(Self.schema()).close(CloseTurn())
      #expect(try files.parts() == before, "after \(failures) changes")
      let store = try files.store(Self.added)
      #expect(
        try rows(store) == [
          [.int(1), .string("Ärger"), .int(7)], [.int(2), .null, .int(7)],
          [.int(3), .string("tee"), .int(7)],
        ])
      let folded = Condition.compare(
        .attribute("text"), .equal, .value(.string("ÄRGER")), .caseInsensitive)
      #expect(try rows(store, folded).map(\.[0]) == [.int(1)])
      try store.close(CloseTurn())
    }
    // A column, the column of folded texts and its index; two entities, and a table of elements with an
    // index and a trigger.
    #expect(failures == 8)
  }

  @Test func `additions whose unique rule rows break leave nothing`() throws {
    let files = Files()
    try files.make([.string("tea"), .string("tea")])
    let before = try files.parts()
    let unique = Self.schema(
      [], [StoredIndex("word.text", [.init(1)], isUnique: true)], Self.others)
    let error = #expect(throws: StoreError.self) { try files.store(unique) }
    #expect(error?.code == .schemaMismatch)
    #expect(try files.parts() == before)
  }

  @Test func `changes that could not be undone are refused before anything changes`() throws {
    let files = Files()
    try files.make([.string("tea")])
    let before = try files.parts()
    // A timestamp is no default that the table could keep: it would be written anew.
    let dated = Self.schema([StoredColumn("made", .date, computedDefault: .now)], [], Self.others)
    let refused = #expect(throws: StoreError.self) { try files.store(dated) }
    #expect(refused?.code == .unsupported)
    #expect(refused?.entity == "word")
    #expect(try files.parts() == before)
    var next = Self.added
    next.version = 2
    let migrated = #expect(throws: StoreError.self) {
      try files.store(next) { $0.schemaPolicy = .migrate(Unmade()) }
    }
    #expect(migrated?.code == .unsupported)
    #expect(try files.parts() == before)
  }

  /// A migration that is needed, and must not begin.
  private struct Unmade: SchemaMigration {
    func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool { true }
    func migrate(
      _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
    ) throws -> MigrationOutcome {
      Issue.record("the migration has begun")
      return .done
    }
  }
}
