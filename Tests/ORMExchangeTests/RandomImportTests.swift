import Foundation
import ORMExchange
import TestSupport
import Testing

/// Random imports beside a naive importer that knows nothing but the clauses.
@Suite struct RandomImportTests {
  let folder = TestFolder(inMemory: true)

  @Test(
    "12.2, 12.4, 12.5, 12.6 A random import does what a naive importer does",
    arguments: ImportStore.allCases)
  func naive(kind: ImportStore) throws {
    var random = SeededGenerator.printed("\(#function) \(kind)")
    let scale = ProcessInfo.processInfo.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) }
    let store = try kind.open(
      folder, Schema(Item.self, Shelf.self, Word.self, ImportCheckpoint.self))
    let runs = kind == .postgres ? 30 : 150
    for run in 0..<Int(Double(runs) * (scale ?? 1)) {
      var plan = ImportCase(&random)
      try check(&plan, "\(kind) run \(run)", store)
    }
  }

  private func check(_ plan: inout ImportCase, _ name: String, _ store: any Store) throws {
    try store.deleteAll(Item.self)
    try store.deleteAll(Shelf.self)
    try store.deleteAll(Word.self)
    try store.deleteAll(ImportCheckpoint.self)
    try store.save(plan.shelves.sorted().map { Shelf(id: $0) })
    try store.save(plan.words.sorted().map { Word(id: $0) })
    try store.save(plan.stored.values.sorted { $0.id < $1.id }.map { $0.bare })
    try store.save(plan.stored.values.sorted { $0.id < $1.id }.map(\.model))
    var naive = NaiveImporter(plan)
    let expected = naive.run()
    let text = plan.records.map(\.json).joined(separator: "\n")
    let comment = Comment(rawValue: "\(name): \(plan.summary)\n\(text)")
    let report: ImportReport
    do {
      report = try run(plan, text, store)
    } catch let error as StoreError where error.code == .pruneRefused {
      #expect(expected == nil, comment)
      if plan.every == nil { #expect(try rows(store) == plan.stored, comment) }
      return
    }
    guard let expected else {
      Issue.record("\(comment): the prune was not refused")
      return
    }
    let found = try rows(store)
    let differing = Set(found.keys).union(naive.rows.keys).filter { found[$0] != naive.rows[$0] }
    for id in differing.sorted() {
      let pair = [found[id], naive.rows[id]].map { $0.map { "\($0)" } ?? "-" }
      Issue.record("\(comment)\nfound \(pair[0])\nnot \(pair[1])")
    }
    let counts = ImportCounts(
      read: report.read, inserted: report.inserted, stored: report.updated + report.unchanged,
      skipped: report.skipped, deleted: report.deleted, bad: Set(report.bad.map(\.number)))
    #expect(counts == expected, comment)
    #expect(report.badCount == counts.bad.count, comment)
    #expect(try Set(store.fetch(Word.all).map(\.id)) == naive.words, comment)
    #expect(try store.count(ImportCheckpoint.self) == 0, comment)
  }

  private func run(_ plan: ImportCase, _ text: String, _ store: any Store) throws -> ImportReport {
    func set(_ settings: inout ImportSettings) {
      settings.onBad = .collect(upTo: 10_000)
      settings.pruneLimit = 1
      settings.prunesDespiteBadRecords = plan.prunesDespite
      settings.missingTargets = plan.missing
      if let every = plan.every { settings.commit = .every(every) }
    }
    guard !plan.isByNames else {
      return try store.import(entity: "Item", from: .jsonLines(.text(text))) {
        set(&$0.settings)
        if let group = plan.prune {
          $0.prune = DynamicQuery(
            "Item", where: .compare(.attribute("group"), .equal, .value(.string(group)), []))
        }
      }
    }
    return try store.import(Item.self, from: .jsonLines(.text(text))) {
      set(&$0.settings)
      $0.mapping = JSONMapping(Item.self).keys(\.words)
      if plan.matchesCode { $0.match = .on(\.code) }
      $0.merge = plan.merge
      $0.onMissing = plan.ignoresNew ? .ignore : .insert
      if let group = plan.prune { $0.prune = .missing(in: Item.where { $0.group == group }) }
    }
  }

  private func rows(_ store: any Store) throws -> [Int64: ItemRow] {
    let items = try store.fetch(Item.all.prefetch(\.words))
    return Dictionary(uniqueKeysWithValues: items.map { ($0.id, ItemRow($0)) })
  }
}

/// The counts of a report that the clauses decide.
private struct ImportCounts: Equatable {
  var read = 0
  var inserted = 0
  /// Updated and unchanged records.
  var stored = 0
  var skipped = 0
  var deleted = 0
  /// The numbers of the bad records.
  var bad: Set<Int> = []
}

/// A row with its links, as plain values.
private struct ItemRow: Hashable {
  var id: Int64
  var code: String?
  var name: String
  var note: String?
  var stars = 3
  var group = "a"
  var parent: Int64?
  var shelf: Int64?
  var words: Set<String> = []

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  init(_ item: Item) {
    self.init(id: item.id, name: item.name)
    code = item.code
    note = item.note
    stars = item.stars
    group = item.group
    parent = item.parent.id
    shelf = item.shelf.id
    words = Set(item.words.ids ?? [])
  }

  var bare: Item {
    Item(id: id, code: code, name: name, note: note, stars: stars, group: group)
  }

  var model: Item {
    var model = bare
    model.parent = parent.map { .key($0) } ?? nil
    model.shelf = shelf.map { .key($0) } ?? nil
    model.words = .keys(words.sorted())
    return model
  }
}

/// A member of a record.
private enum Member<Value> {
  case absent
  case null
  case value(Value)
  /// A value of another kind.
  case wrong

  var isAbsent: Bool { if case .absent = self { true } else { false } }

  func json(_ name: String, _ text: (Value) -> String) -> String? {
    switch self {
    case .absent: nil
    case .null: "\"\(name)\":null"
    case .value(let value): "\"\(name)\":\(text(value))"
    case .wrong: "\"\(name)\":{}"
    }
  }
}

private struct ItemRecord {
  var id: Int64
  var code = Member<String>.absent
  var name = Member<String>.absent
  var note = Member<String>.absent
  var stars = Member<Int>.absent
  var group = Member<String>.absent
  var parent = Member<Int64>.absent
  var shelf = Member<Int64>.absent
  var words = Member<[String]>.absent

  var json: String {
    let parts = [
      "\"id\":\(id)", code.json("code") { "\"\($0)\"" }, name.json("name") { "\"\($0)\"" },
      note.json("note") { "\"\($0)\"" }, stars.json("stars") { "\($0)" },
      group.json("group") { "\"\($0)\"" }, parent.json("parent_id") { "\($0)" },
      shelf.json("shelf_id") { "\($0)" },
      words.json("words") { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" },
    ]
    return "{" + parts.compactMap { $0 }.joined(separator: ",") + "}"
  }
}

/// What is stored, what comes, and how it is imported.
private struct ImportCase {
  var stored: [Int64: ItemRow] = [:]
  var shelves: Set<Int64> = []
  var words: Set<String> = []
  var records: [ItemRecord] = []
  var isByNames = false
  var matchesCode = false
  var merge = ImportMerge.present
  var ignoresNew = false
  var missing = ImportMissingTargets.fail
  var prune: String?
  var prunesDespite = false
  var every: Int?

  var summary: String {
    "byNames \(isByNames), code \(matchesCode), \(merge), ignores \(ignoresNew), missing \(missing)"
      + ", prune \(prune ?? "-") despite \(prunesDespite), every \(every ?? 0)"
      + ", stored \(stored.keys.sorted()), shelves \(shelves.sorted()), words \(words.sorted())"
  }

  init(_ random: inout SeededGenerator) {
    isByNames = random.chance(4)
    if !isByNames {
      matchesCode = random.chance(3)
      merge = random.pick([.present, .present, .replace, .skippingNil, .insertOnly])
      ignoresNew = random.chance(5)
    }
    missing = random.pick([.fail, .fail, .clear])
    if random.chance(2) { prune = random.pick(["a", "b"]) }
    if random.chance(2) { every = Int.random(in: 1...6, using: &random) }
    prunesDespite = every != nil || Bool.random(using: &random)
    for id in Int64(1)...4 where Bool.random(using: &random) { shelves.insert(id) }
    for word in ["x", "y", "z"] where Bool.random(using: &random) { words.insert(word) }
    let ids = Int64(1)...8
    let present = ids.filter { _ in random.chance(3) }
    for id in present {
      var row = ItemRow(id: id, name: "old\(id)")
      row.code = "c\(id)"
      row.note = random.chance(2) ? "n" : nil
      row.group = random.pick(["a", "b"])
      row.parent = random.chance(2) ? random.pick(present) : nil
      if let shelf = shelves.min(), random.chance(2) { row.shelf = shelf }
      if let word = words.min(), random.chance(2) { row.words = [word] }
      stored[id] = row
    }
    for _ in 0..<Int.random(in: 0...14, using: &random) {
      records.append(record(random.pick(Array(ids)), &random))
    }
  }

  private func record(_ id: Int64, _ random: inout SeededGenerator) -> ItemRecord {
    func member<Value>(
      _ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value
    ) -> Member<Value> {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3: .absent
      case 4: .null
      default: .value(value(&random))
      }
    }
    var record = ItemRecord(id: id)
    record.code = matchesCode ? .value("c\(id)") : member(&random) { _ in "c\(id)" }
    record.name = member(&random) { "name\(Int.random(in: 0...3, using: &$0))" }
    record.note = member(&random) { "note\(Int.random(in: 0...2, using: &$0))" }
    record.stars = member(&random) { Int.random(in: 1...5, using: &$0) }
    record.group = member(&random) { Bool.random(using: &$0) ? "a" : "b" }
    record.parent = member(&random) { Int64.random(in: 1...9, using: &$0) }
    record.shelf = member(&random) { Int64.random(in: 1...5, using: &$0) }
    if !isByNames {
      record.words = member(&random) { random in
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          ["x", "y", "z", "w"][Int.random(in: 0...3, using: &random)]
        }
      }
    }
    if random.chance(12) { record.stars = .value(9) }
    if random.chance(15) { record.note = .wrong }
    // A match by an attribute and a merge that does not read the row need whole records.
    if matchesCode || merge == .skippingNil || merge == .insertOnly {
      if case .value = record.name {} else { record.name = .value("whole") }
    }
    if merge == .skippingNil || merge == .insertOnly {
      if case .value = record.stars {} else { record.stars = .value(2) }
      if case .value = record.group {} else { record.group = .value("b") }
    }
    // Whether a rule looks at a record that is not written is not said.
    if merge == .insertOnly, case .value(9) = record.stars { record.stars = .value(5) }
    return record
  }
}

/// An importer over a dictionary: each record in its turn, links at the end, and then the prune.
private struct NaiveImporter {
  private let plan: ImportCase
  private(set) var rows: [Int64: ItemRow]
  private(set) var words: Set<String>
  private var counts = ImportCounts()
  /// The records whose links count, with their numbers.
  private var linked: [(number: Int, record: ItemRecord)] = []
  private var came: Set<Int64> = []

  init(_ plan: ImportCase) {
    self.plan = plan
    rows = plan.stored
    words = plan.words
  }

  /// Runs the import; nil for one whose prune is refused.
  mutating func run() -> ImportCounts? {
    for (index, record) in plan.records.enumerated() {
      counts.read += 1
      take(record, index + 1)
    }
    for (number, record) in linked { link(record, number) }
    guard let group = plan.prune else { return counts }
    if !counts.bad.isEmpty, !plan.prunesDespite { return nil }
    let deleted = Set(rows.values.filter { $0.group == group && !came.contains($0.id) }.map(\.id))
    counts.deleted = deleted.count
    for id in deleted { rows[id] = nil }
    for (id, row) in rows where row.parent.map({ deleted.contains($0) }) == true {
      rows[id]?.parent = nil
    }
    return counts
  }

  /// Reads a record and saves its values.
  private mutating func take(_ record: ItemRecord, _ number: Int) {
    let stored = rows[record.id]
    let merges = plan.merge == .present
    var row = (merges ? stored : nil) ?? ItemRow(id: record.id, name: "")
    // A rule looks at what is written alone.
    let isWritten = stored != nil || !plan.ignoresNew
    let isRead = set(record, in: &row, isNew: !merges || stored == nil)
    if !isRead || (isWritten && !(1...5).contains(row.stars)) {
      counts.bad.insert(number)
      return
    }
    guard let stored else {
      if plan.ignoresNew {
        counts.skipped += 1
        return
      }
      rows[record.id] = row
      came.insert(record.id)
      counts.inserted += 1
      linked.append((number, record))
      return
    }
    came.insert(record.id)
    switch plan.merge {
    case .insertOnly:
      counts.stored += 1
      return
    case .skippingNil:
      row.code = row.code ?? stored.code
      row.note = row.note ?? stored.note
      fallthrough
    case .present, .replace:
      (row.parent, row.shelf, row.words) = (stored.parent, stored.shelf, stored.words)
      rows[record.id] = row
      counts.stored += 1
      linked.append((number, record))
    }
  }

  /// Sets the values of a record; false for one that is bad.
  private func set(_ record: ItemRecord, in row: inout ItemRow, isNew: Bool) -> Bool {
    switch record.code {
    case .value(let code): row.code = code
    case .null: row.code = nil
    case .absent, .wrong: break
    }
    switch record.name {
    case .value(let name): row.name = name
    case .absent where !isNew: break
    case .absent, .null, .wrong: return false
    }
    switch record.note {
    case .value(let note): row.note = note
    case .null: row.note = nil
    case .absent: break
    case .wrong: return false
    }
    switch record.stars {
    case .value(let stars): row.stars = stars
    case .absent: break
    case .null, .wrong: return false
    }
    switch record.group {
    case .value(let group): row.group = group
    case .absent: break
    case .null, .wrong: return false
    }
    return true
  }

  /// Sets the links of a record, once every row is there.
  private mutating func link(_ record: ItemRecord, _ number: Int) {
    guard var row = rows[record.id] else { return }
    var isBad = false
    switch record.parent {
    case .value(let id) where rows[id] != nil: row.parent = id
    case .value where plan.missing == .clear: row.parent = nil
    case .value: isBad = true
    case .null where plan.merge != .skippingNil: row.parent = nil
    default: break
    }
    switch record.shelf {
    case .value(let id) where plan.shelves.contains(id): row.shelf = id
    case .value where plan.missing == .clear: row.shelf = nil
    case .value: isBad = true
    case .null where plan.merge != .skippingNil: row.shelf = nil
    default: break
    }
    switch record.words {
    case .value(let list):
      let known = Set(list).intersection(plan.words)
      if known == Set(list) || plan.missing == .clear { row.words = known } else { isBad = true }
    case .null: row.words = []
    default: break
    }
    if isBad { counts.bad.insert(number) }
    rows[record.id] = row
  }
}

/// A model with links of each kind, a rule, and an attribute beside the key that tells rows apart.
struct Item: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var code: String?
  var name: String
  var note: String?
  var stars = 3
  var group = "a"
  var parent: ToOne<Item> = ToOne()
  var shelf: ToOne<Shelf> = ToOne()
  var words: ToMany<Word> = ToMany()

  static let entity = Entity<Item>("Item") {
    .key("id", \.id)
      .attribute("code", \.code, .unique)
      .attribute("name", \.name)
      .attribute("note", \.note)
      .attribute("stars", \.stars, .default(3), .range(1...5))
      .attribute("group", \.group, .default("a"))
      .relationship("parent", \.parent)
      .relationship("shelf", \.shelf)
      .relationship("words", \.words, shared: true)
  }
}

/// A target by key.
struct Shelf: PrimaryKeyed, Codable, Hashable {
  var id: Int64

  static let entity = Entity<Shelf>("Shelf") { .key("id", \.id) }
}

/// A target of a many-to-many.
struct Word: PrimaryKeyed, Codable, Hashable {
  var id: String

  static let entity = Entity<Word>("Word") { .key("id", \.id) }
}
