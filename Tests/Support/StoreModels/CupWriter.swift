package import ORM

/// Writes rows of ``Cups`` through a store that is open, and knows what the rows are.
package struct CupWriter<Generator: RandomNumberGenerator> {
  /// The sizes of the rows that are there, by key.
  package private(set) var sizes: [Int64: Int64?]
  /// The number of transactions.
  package private(set) var count = 0
  /// The longest that one took.
  package private(set) var longest = Duration.zero
  private let store: any Store
  private var generator: Generator

  /// A writer of a store that was filled.
  package init(_ store: any Store, _ generator: Generator) {
    self.store = store
    self.generator = generator
    sizes = Dictionary(uniqueKeysWithValues: Cups.keys.map { ($0, Cups.firstSize($0)) })
  }

  /// Saves a few rows, changes some, deletes one, or begins such a transaction and undoes it.
  package mutating func write() throws {
    var after = sizes
    let isUndone = Int.random(in: 0..<8, using: &generator) == 0
    let saved = (0..<Int.random(in: 1...6, using: &generator)).map { _ -> (Int64, Int64?) in
      (
        .random(in: Cups.keys, using: &generator),
        Bool.random(using: &generator) ? nil : .random(in: 0..<100, using: &generator)
      )
    }
    let deleted = Int64.random(in: Cups.keys, using: &generator)
    for (id, size) in saved { after[id] = .some(size) }
    after[deleted] = nil
    let start = ContinuousClock.now
    do {
      try store.write { tx in
        for (id, size) in saved { _ = try tx.save([Cups.row(id, size: size)]) }
        _ = try tx.delete(
          DynamicQuery(
            "Cup",
            where: .compare(.attribute("id"), .equal, .value(.int(deleted)), [])))
        if isUndone { throw Undo() }
      }
      sizes = after
    } catch is Undo {}
    count += 1
    longest = max(longest, .now - start)
  }

  /// The differences of a store from what was written, found by rows, by both indexes and by a check.
  package func differences(_ store: any Store) throws -> [String] {
    var found: [String] = []
    let rows = try store.read { try $0.fetch(DynamicQuery("Cup")) }
    let expected = sizes.keys.sorted().map { Cups.row($0, size: sizes[$0] ?? nil) }
    func values(_ row: DynamicRow) -> [StoredValue] { ["id", "size", "code"].map { row[$0] } }
    if rows.map(values) != expected.map(values) {
      found.append("\(rows.count) rows are not the \(expected.count) that were written")
    }
    let report = try store.check()
    if !report.isSound { found.append("\(report)") }
    for size in Int64(0)..<100 where size % 9 == 0 {
      let query = DynamicQuery(
        "Cup", where: .compare(.attribute("size"), .equal, .value(.int(size)), []))
      let keys = try store.read { try $0.fetch(query) }.map { $0["id"] }
      let wanted = sizes.filter { $0.value == size }.keys.sorted().map { StoredValue.int($0) }
      if !keys.elementsEqual(wanted, by: { StoredValue.equals($0, $1) == true }) {
        found.append("rows of size \(size): \(keys.count) for \(wanted.count)")
      }
    }
    return found
  }
}

/// Undoes a transaction.
private struct Undo: Error {}
