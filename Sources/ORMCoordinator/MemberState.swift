internal import FoundationEssentials
internal import ORMRows
internal import ORMStorage

/// The state that a member of a coordinator keeps about itself and the others.
struct MemberState: Equatable {
  /// The number by which the members of one coordinator know each other.
  var group: Int64
  /// The configuration that keeps the journal.
  var journal: String
  /// In the journal's member: the other durable configurations that have a state.
  var others: [String] = []
  /// In the journal's member: the number of the last entry.
  var number: UInt64 = 0
  /// In the journal's member: the last entries of each configuration.
  var entries: [String: Entries] = [:]
  /// The last entry whose changes the member has.
  var applied: UInt64 = 0
  /// The last migration that changed several members.
  var migration: Migration?

  /// The last entries that concern a member.
  struct Entries: Equatable {
    var last: UInt64
    var before: UInt64
  }

  /// The mark of a migration that changed several members.
  struct Migration: Equatable {
    /// A number of its own.
    var id: Int64
    /// The configuration that commits last: without its mark, the migration was not committed.
    var decider: String
    /// The name of the copy from before the migration, beside the file; empty for a member that had
    /// nothing.
    var backup: String
  }
}

extension MemberLayout {
  /// Throws if a configuration that the journal knows is not given, or was given an empty store.
  ///
  /// - Parameters:
  ///   - states: the states of the members that have one, or are known to have none.
  ///   - missing: the members without a state.
  ///   - name: the name of the store of a member, for errors.
  func check(
    _ states: [Int: MemberState], missing: [Int], name: (Int) -> String? = { _ in nil }
  ) throws {
    if let journal = states[self.journal] {
      for name in journal.others where !names.contains(name) {
        throw StoreError(
          .schemaMismatch,
          "the coordinator has a configuration \(name), and the program gives none of this name; "
            + "entities stay in their configurations: give it, or copy the store to a new coordinator"
        )
      }
      for member in missing where journal.others.contains(names[member]) {
        throw isMissing(member, name)
      }
    } else if missing.contains(self.journal),
      states.contains(where: { isDurable[$0.key] && $0.value.journal == names[self.journal] })
    {
      throw isMissing(self.journal, name)
    }
  }

  private func isMissing(_ member: Int, _ name: (Int) -> String?) -> StoreError {
    StoreError(
      .cannotOpen,
      "the store of the configuration \(names[member]) is missing or was replaced by an empty one; "
        + "put it back from a copy", store: name(member))
  }
}

// MARK: - Bytes

extension MemberState {
  private static let form: UInt8 = 1

  var bytes: [UInt8] {
    var bytes = HistoryBytes()
    bytes.append(byte: Self.form)
    bytes.append(number: UInt64(bitPattern: group))
    bytes.append(text: journal)
    bytes.append(texts: others)
    bytes.append(number: number)
    bytes.append(count: entries.count)
    for (name, numbers) in entries.sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name)
      bytes.append(number: numbers.last)
      bytes.append(number: numbers.before)
    }
    bytes.append(number: applied)
    bytes.append(byte: migration == nil ? 0 : 1)
    if let migration {
      bytes.append(number: UInt64(bitPattern: migration.id))
      bytes.append(text: migration.decider)
      bytes.append(text: migration.backup)
    }
    return bytes.bytes
  }

  /// Reads a state.
  ///
  /// - Throws: `corrupt`; `schemaTooNew` for a form that this version does not know.
  init(_ bytes: [UInt8]) throws {
    var reader = HistoryByteReader(bytes)
    guard try reader.byte() == Self.form else {
      throw StoreError(.schemaTooNew, "a newer version of the library has written the coordinator")
    }
    group = Int64(bitPattern: try reader.number())
    journal = try reader.text()
    others = try reader.texts() ?? []
    number = try reader.number()
    for _ in 0..<(try reader.count()) {
      let name = try reader.text()
      entries[name] = Entries(last: try reader.number(), before: try reader.number())
    }
    applied = try reader.number()
    if try reader.byte() != 0 {
      migration = Migration(
        id: Int64(bitPattern: try reader.number()), decider: try reader.text(),
        backup: try reader.text())
    }
    guard reader.isAtEnd else { throw HistoryByteReader.damaged }
  }
}

// MARK: - Rows

/// The rows that a coordinator keeps in a member.
enum MemberRows {
  private typealias Column = CoordinatorEntity.Column
  private static let entity = CoordinatorEntity.entity
  private static let sort = SortTerm.total([], entity: entity)
  /// The greatest size of a part of a frame.
  private static let partSize = 64 << 10

  private static func column(_ column: Int) -> Operand {
    .attribute(CoordinatorEntity.attribute(column))
  }

  private static let stateShape = FetchShape(
    entity: entity.name, output: .values([column(Column.content)]),
    condition: .all(
      [Column.number, Column.frame, Column.part].enumerated().map {
        .compare(column($1), .equal, .parameter($0, .int), [])
      }), sort: sort)
  private static let framesShape = FetchShape(
    entity: entity.name, output: .values([column(Column.frame), column(Column.content)]),
    condition: .compare(column(Column.number), .equal, .parameter(0, .int), []), sort: sort)
  private static let entriesShape = FetchShape(
    entity: entity.name,
    condition: .compare(
      column(Column.number), .greater, .parameter(0, .int), []), sort: sort)

  /// The state of a member; nil if it has none.
  ///
  /// - Throws: `corrupt`.
  static func state(in view: any StoreReader) throws -> MemberState? {
    var collector = ValueCollector()
    let key = [StoredValue](repeating: .int(0), count: 3)
    try view.visit(FetchRequest(stateShape, bindings: key), &collector)
    guard case .data(let bytes)? = collector.rows.first?.first else { return nil }
    return try MemberState(Array(bytes))
  }

  /// The state of a store; nil if it has none.
  static func state(of store: any Store) throws -> MemberState? {
    guard store.schema.index(of: CoordinatorEntity.name) != nil else { return nil }
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    return try state(in: reader)
  }

  /// Writes the state of a member.
  static func put(_ state: MemberState, by writer: any StoreWriter) throws {
    try put([[.int(0), .int(0), .int(0), .data(Data(state.bytes))]], by: writer)
  }

  /// Writes a frame of an entry.
  static func put(
    _ bytes: [UInt8], entry: UInt64, frame: Int, by writer: any StoreWriter
  ) throws {
    let rows = stride(from: 0, to: bytes.count, by: partSize).enumerated().map { part, start in
      [
        .int(Int64(clamping: entry)), .int(Int64(frame)), .int(Int64(part)),
        .data(Data(bytes[start..<min(start + partSize, bytes.count)])),
      ] as [StoredValue]
    }
    try put(rows, by: writer)
  }

  private static func put(_ rows: [[StoredValue]], by writer: any StoreWriter) throws {
    try writer.put(rows, in: Array(entity.columns.indices), of: entity, .upsert)
  }

  /// Calls a closure with each frame of an entry, in order.
  static func forEachFrame(
    of entry: UInt64, in view: any StoreReader, _ body: ([UInt8]) throws -> Void
  ) throws {
    let cursor = try view.cursor(
      FetchRequest(framesShape, bindings: [.int(Int64(clamping: entry))]))
    var taker = FrameTaker()
    while true {
      let isPaused = try cursor.visit(&taker)
      if let whole = taker.whole {
        taker.whole = nil
        try body(whole)
      }
      if isPaused { continue }
      if !taker.bytes.isEmpty { try body(taker.bytes) }
      return
    }
  }

  /// Returns whether a member has an entry of the journal.
  static func hasEntries(in view: any StoreReader) throws -> Bool {
    var counter = RowCounter(atMost: 1)
    try view.visit(FetchRequest(entriesShape, bindings: [.int(0)]), &counter)
    return counter.count > 0
  }

  /// Removes every entry of the journal.
  static func removeEntries(by writer: any StoreWriter) throws {
    _ = try writer.apply(.delete(FetchRequest(entriesShape, bindings: [.int(0)])))
  }

  /// Puts the parts of frames together, and pauses after each.
  private struct FrameTaker: RowVisitor {
    var whole: [UInt8]?
    var bytes: [UInt8] = []
    private var frame: Int64 = -1

    init() {}

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      let number = try row.int64(at: 0)
      let isNext = number != frame && !bytes.isEmpty
      if isNext {
        whole = bytes
        bytes = []
      }
      frame = number
      bytes.append(contentsOf: try row.data(at: 1))
      return isNext ? .pause : .next
    }
  }
}
