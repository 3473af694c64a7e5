internal import ORMStorage

/// The generated keys of one transaction among several that run together (clause 9.6).
///
/// Keys are taken from the number that is recorded for the entity, by a statement outside of the
/// transaction: no two transactions get one key, and none waits for another. The unused keys of a transaction
/// go back unless another one has taken keys since, so that a program alone sees no gaps.
struct ReservedKeys {
  /// The state to which the keys go back with a part of the transaction.
  struct Mark {
    fileprivate var given: [ExactText: Int]
    fileprivate var noted: [ExactText: Int64]
  }

  /// The keys of one table, in order.
  private struct Keys {
    let table: SQLTable
    var ranges: [ClosedRange<Int64>] = []

    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The key at an index; nil past the last.
    subscript(index: Int) -> Int64? {
      var index = index
      for range in ranges {
        if index < range.count { return range.lowerBound + Int64(index) }
        index -= range.count
      }
      return nil
    }

    mutating func removeLast(_ count: Int) {
      guard let last = ranges.popLast() else { return }
      if count < last.count { ranges.append(last.lowerBound...last.upperBound - Int64(count)) }
    }

    mutating func append(_ range: ClosedRange<Int64>) {
      if let last = ranges.last, last.upperBound == range.lowerBound - 1 {
        ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      } else {
        ranges.append(range)
      }
    }
  }

  private let source: KeySource
  private var keys: [ExactText: Keys] = [:]
  /// The number of the keys of each table that rows were given.
  private var given: [ExactText: Int] = [:]
  /// The greatest keys that rows came with.
  private var noted: [ExactText: Int64] = [:]
  /// The tables of `noted`.
  private var tables: [ExactText: SQLTable] = [:]

  /// The most keys that are reserved at once.
  private static var mostKeys: Int { 1 << 16 }

  init(_ source: KeySource) { self.source = source }

  var mark: Mark { Mark(given: given, noted: noted) }

  mutating func goBack(to mark: Mark) {
    given = mark.given
    noted = mark.noted
  }

  mutating func note(_ key: Int64, _ table: SQLTable) {
    if key > noted[table.name] ?? 0 {
      noted[table.name] = key
      tables[table.name] = table
    }
  }

  /// A new key; `keysExhausted` after the last.
  ///
  /// As many keys are reserved as were before, so that many rows need few statements.
  mutating func next(_ table: SQLTable) throws -> Int64 {
    let least = noted[table.name] ?? 0
    while true {
      let index = given[table.name] ?? 0
      if let key = keys[table.name]?[index] {
        given[table.name] = index + 1
        if key > least { return key }
        continue
      }
      let known = keys[table.name]?.count ?? 0
      let range = try source.reserve(min(max(1, known), Self.mostKeys), above: least, of: table)
      keys[table.name, default: Keys(table: table)].append(range)
    }
  }

  /// Records the keys that rows came with, and gives back the last ones that no row was given; right
  /// before the commit.
  mutating func settle() throws {
    for (name, key) in noted {
      if let table = tables[name] { try source.raise(table, to: key) }
    }
    for name in Array(keys.keys) { giveBack(name, used: given[name] ?? 0) }
  }

  /// Gives back the last keys of a table, as far as they are in one range.
  private mutating func giveBack(_ name: ExactText, used: Int) {
    guard let known = keys[name], let last = known.ranges.last else { return }
    let unused = min(known.count - used, last.count)
    if unused <= 0 { return }
    source.giveBack(Int64(unused), of: last.upperBound, known.table)
    keys[name]?.removeLast(unused)
  }

  mutating func end(_ outcome: Bool?) {
    for (name, known) in keys {
      switch outcome {
      case true?:
        if let used = given[name], used > 0, let key = known[used - 1] {
          source.didCommit(key, of: known.table)
        }
      case false?: giveBack(name, used: 0)
      case nil: break
      }
    }
    keys = [:]
  }
}

/// The greatest keys that are known to be recorded, for all writers of a store.
final class KeyReservations: Sendable {
  private let greatest = Lock<[ExactText: Int64]>([:])

  /// The greatest key of a table that is known to be recorded; nil if none is.
  subscript(table: String) -> Int64? { greatest.withLock { $0[table] } }

  /// Notes that a key is recorded, and was used.
  func note(_ key: Int64, of table: String) {
    greatest.withLock { $0[table] = max($0[table] ?? 0, key) }
  }
}

/// The source of the generated keys of a store whose writers run together.
struct KeySource {
  private let known: KeyReservations
  private let pool: SQLPool
  /// The session of the transaction that the keys are for.
  private let session: SQLSession

  init(_ known: KeyReservations, _ pool: SQLPool, for session: SQLSession) {
    self.known = known
    self.pool = pool
    self.session = session
  }

  /// True if the transaction has not begun, or was lost, and keeps no other away.
  private var isAlone: Bool {
    session.tripSaving?.hasDeferredBegin == true || !session.connection.isInTransaction
  }

  private func reservation(_ table: SQLTable, _ count: Int, _ least: Int64) -> SQLKeyReservation {
    SQLKeyReservation(
      name: SQLMeta.greatestKey(table.stored.name), count: Int64(count), least: least,
      table: table.name, column: table.column(table.entity.key[0]).name, isAlone: isAlone)
  }

  /// Takes keys that are greater than every committed key, and than one more.
  func reserve(
    _ count: Int, above least: Int64, of table: SQLTable
  ) throws -> ClosedRange<Int64> {
    try pool.aside { session in
      let connection = try session.writingTogether
      for count in count > 1 ? [count, 1] : [1] {
        if let last = try connection.reserveKeys(reservation(table, count, least)) {
          return last - Int64(count) + 1...last
        }
      }
      throw StoreError(
        .keysExhausted, "all integer keys are used up", entity: table.entity.modelName)
    }
  }

  /// Records a key that a row came with, unless a greater one is.
  func raise(_ table: SQLTable, to key: Int64) throws {
    if let recorded = known[table.name], recorded >= key { return }
    let recorded = try pool.aside { try $0.writingTogether.reserveKeys(reservation(table, 0, key)) }
    known.note(recorded ?? key, of: table.name)
  }

  /// Sees to it that the greatest key is recorded, before rows are deleted.
  func record(_ table: SQLTable) throws {
    if known[table.name] == nil { try raise(table, to: 0) }
  }

  /// Notes that a key that was reserved is that of a row.
  func didCommit(_ key: Int64, of table: SQLTable) { known.note(key, of: table.name) }

  /// Gives the last keys of a range back, unless others took keys since.
  func giveBack(_ count: Int64, of last: Int64, _ table: SQLTable) {
    // Without it there is a gap.
    let isAlone = isAlone
    try? pool.aside {
      try $0.writingTogether.giveBackKeys(
        SQLMeta.greatestKey(table.stored.name), from: last, to: last - count, isAlone: isAlone)
    }
  }
}
