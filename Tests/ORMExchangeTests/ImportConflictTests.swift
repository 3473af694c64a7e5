import Foundation
import LMDBBackend
import ORMExchange
import PostgresBackend
import SQLiteBackend
import TestSupport
import Testing

/// Imports beside another writer of the same rows.
@Suite struct ImportConflictTests {
  private struct Entry: PrimaryKeyed, Codable, Hashable {
    var id: Int64
    var title: String
    var count = 0

    static let entity = Entity<Entry>("Entry") {
      .key("id", \.id).attribute("title", \.title).attribute("count", \.count, .default(0))
    }
  }

  enum Kind: String, CaseIterable, Sendable {
    case sqlite, lmdb
    /// PostgreSQL with many writers, where a block that another came in the way of runs again.
    case postgres

    static var allCases: [Kind] { [.sqlite, .lmdb] + (PostgresServer.isThere ? [.postgres] : []) }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var kind: Kind
    var isByNames: Bool
    var isCSV: Bool
    /// The records of a transaction; nil for all.
    var every: Int?

    var testDescription: String {
      "\(kind.rawValue), \(isByNames ? "by names" : "a model"), \(isCSV ? "CSV" : "JSON Lines"), "
        + (every.map { "\($0) in a transaction" } ?? "one transaction")
    }

    static var all: [Case] {
      Kind.allCases.flatMap { kind in
        [(false, false), (true, true), (false, true), (true, false)].flatMap { isByNames, isCSV in
          [nil, 400].map { Case(kind: kind, isByNames: isByNames, isCSV: isCSV, every: $0) }
        }
      }
    }
  }

  /// A record; one without a count keeps what is stored, and a bad one has a count that is none.
  private struct Record {
    var entry: Entry
    var isBad = false
  }

  /// What an import must do to rows that no other writer changes.
  private struct Naive {
    var rows: [Int64: Entry] = [:]
    var (inserted, updated, unchanged) = (0, 0, 0)
    var bad: [Int] = []

    mutating func take(_ record: Record, number: Int) {
      if record.isBad { return bad.append(number) }
      let old = rows.updateValue(record.entry, forKey: record.entry.id)
      if old == nil {
        inserted += 1
      } else if old == record.entry {
        unchanged += 1
      } else {
        updated += 1
      }
    }
  }

  private static let recordCount = 2_600
  let folder = TestFolder()

  private func open(_ kind: Kind, _ namespace: String) throws -> any Store {
    let schema = try Schema(Entry.self)
    switch kind {
    case .sqlite: return try SQLiteStore(path: folder.file("a.sqlite"), schema: schema)
    case .lmdb: return try LMDBStore(path: folder.file("a.lmdb"), schema: schema)
    case .postgres:
      var options = PostgresOptions()
      options.writers = .manyWriters(maximum: 2, attempts: 20)
      return try PostgresStore(
        PostgresServer.location(of: namespace), schema: schema, postgres: options)
    }
  }

  private func records(_ random: inout SeededGenerator) -> [Record] {
    (1...Self.recordCount).map { number in
      // Half of the keys come once.
      let id =
        Bool.random(using: &random)
        ? Int64(number) + 1_000 : Int64.random(in: 1...200, using: &random)
      return Record(
        entry: Entry(
          id: id, title: "t\(Int.random(in: 0...1, using: &random))",
          count: Int.random(in: 0...1, using: &random)),
        isBad: Int.random(in: 0..<50, using: &random) == 0)
    }
  }

  private func source(_ records: [Record], isCSV: Bool) -> ImportFrom {
    func count(_ record: Record) -> String { record.isBad ? "none" : "\(record.entry.count)" }
    if isCSV {
      return .csv(
        .text(
          "id,title,count\n"
            + records.map { "\($0.entry.id),\($0.entry.title),\(count($0))\n" }.joined()))
    }
    return .jsonLines(
      .text(
        records.map {
          let count = $0.isBad ? "\"none\"" : count($0)
          return "{\"id\":\($0.entry.id),\"title\":\"\($0.entry.title)\",\"count\":\(count)}\n"
        }.joined()))
  }

  @Test("9.5 An import and another writer of its rows", arguments: Case.all)
  func conflicts(_ test: Case) throws {
    var random = SeededGenerator.printed(#function)
    let namespace = test.kind == .postgres ? PostgresServer.newNamespace() : ""
    defer { if test.kind == .postgres { try? PostgresServer.drop([namespace]) } }
    let store = try open(test.kind, namespace)
    // A file of LMDB is open once in a process.
    let other = test.kind == .lmdb ? store : try open(test.kind, namespace)
    let stored = (1...150).map { Entry(id: $0, title: "t0", count: Int($0 % 2)) }
    try store.save(stored)

    // The other writer inserts rows that the import is about to insert, each once. They are of later
    // records of the same transaction, and of keys that no record before had.
    let records = records(&random)
    let size = test.every ?? Self.recordCount
    var changes: [Int: [Entry]] = [:]
    let ends = Array(stride(from: min(size, 1_000), to: Self.recordCount, by: min(size, 1_000)))
    for end in test.isByNames ? ends : ends.map({ $0 - Int.random(in: 20...200, using: &random) }) {
      let later = records.indices.filter {
        $0 >= end && $0 < end + 15 && records[$0].entry.id > 1_000 && !records[$0].isBad
      }
      changes[end] = later.map { Entry(id: records[$0].entry.id, title: "other", count: 7) }
    }

    let beside = Beside(other, changes, waits: test.kind != .postgres)
    let rejects = folder.file("rejects.jsonl")
    let report: ImportReport
    let isBetween = test.every != nil
    if test.isByNames {
      report = try store.import(entity: "Entry", from: source(records, isCSV: test.isCSV)) {
        $0.onBad = .collect(upTo: 1_000, writingTo: rejects)
        if let every = test.every { $0.commit = .every(every) }
        $0.progress = { progress in
          beside.come(to: progress.records)
          if isBetween { beside.wait() }
        }
      }
    } else {
      let first = Dictionary(
        records.enumerated().map { ($0.element.entry.id, $0.offset) }, uniquingKeysWith: min)
      report = try store.import(Entry.self, from: source(records, isCSV: test.isCSV)) {
        $0.mapping = JSONMapping(Entry.self).after { entry, _ in
          beside.read(entry.id, first[entry.id] ?? 0)
          return .keep
        }
        $0.onBad = .collect(upTo: 1_000, writingTo: rejects)
        if let every = test.every { $0.commit = .every(every) }
        $0.progress = { _ in if isBetween { beside.wait() } }
      }
    }
    beside.wait()
    #expect(beside.failures == [])
    #expect(beside.waiting == [])

    // One writer after the other: where blocks run again, the other comes before the transaction that
    // it came in the way of, else after the one in which it began to wait.
    var naive = Naive()
    for entry in stored { naive.rows[entry.id] = entry }
    let isFirst = test.kind == .postgres
    for start in stride(from: 0, to: records.count, by: size) {
      let batch = start..<min(start + size, records.count)
      let others = changes.filter { batch.contains(test.isByNames ? $0.key - 1 : $0.key) }
        .values.joined()
      let comesBefore = isFirst && !(test.isByNames && isBetween)
      if comesBefore { for entry in others { naive.rows[entry.id] = entry } }
      for index in batch { naive.take(records[index], number: index + 1) }
      if !comesBefore { for entry in others { naive.rows[entry.id] = entry } }
    }
    #expect(report.read == records.count)
    #expect(report.inserted == naive.inserted)
    #expect(report.updated == naive.updated)
    #expect(report.unchanged == naive.unchanged)
    #expect(report.bad.map(\.number) == naive.bad)
    #expect(report.badCount == naive.bad.count)
    let rejected = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n")
    #expect(rejected.count == naive.bad.count)
    let rows = try store.fetch(Entry.all)
    #expect(rows == naive.rows.values.sorted { $0.id < $1.id })
    // A transaction is read again as often as another came in its way.
    if test.kind == .postgres, !test.isByNames {
      #expect(beside.repeated >= (isBetween ? 1 : changes.values.count { !$0.isEmpty }))
    } else {
      #expect(beside.repeated == 0)
    }
    try store.close()
    if test.kind != .lmdb { try other.close() }
  }

  /// Another writer, which saves rows once the import has come to some record.
  private final class Beside: Sendable {
    private struct State {
      var changes: [Int: [Entry]]
      var failures: [String] = []
      var reads: [Int64: Int] = [:]
    }

    private let store: any Store
    private let state: Lock<State>
    private let waits: Bool
    private let group = DispatchGroup()

    /// - Parameter waits: whether the other waits for the import's transaction, on a thread of its own.
    init(_ store: any Store, _ changes: [Int: [Entry]], waits: Bool) {
      self.store = store
      self.waits = waits
      state = Lock(State(changes: changes))
    }

    var failures: [String] { state.withLock { $0.failures } }
    /// The records to which the import did not come.
    var waiting: [Int] { state.withLock { $0.changes.keys.sorted() } }
    /// The most times that the record of one key, of those that come once, was read again.
    var repeated: Int {
      state.withLock { $0.reads.filter { $0.key > 1_000 }.values.max().map { $0 - 1 } ?? 0 }
    }

    /// Notes a record that is read, the first of its key.
    func read(_ key: Int64, _ index: Int) {
      state.withLock { $0.reads[key, default: 0] += 1 }
      come(to: index)
    }

    func come(to index: Int) {
      let due = state.withLock { state in
        let due = state.changes.filter { $0.key <= index }
        for key in due.keys { state.changes[key] = nil }
        return due.sorted { $0.key < $1.key }.flatMap(\.value)
      }
      if due.isEmpty { return }
      if waits {
        DispatchQueue.global().async(group: group) { self.save(due) }
      } else {
        save(due)
      }
    }

    private func save(_ entries: [Entry]) {
      do {
        try store.save(entries)
      } catch { state.withLock { $0.failures.append("\(error)") } }
    }

    func wait() { group.wait() }
  }
}
