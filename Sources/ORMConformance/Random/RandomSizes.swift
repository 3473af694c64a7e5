internal import ORM
internal import ORMCore

/// The numbers of rows that the rounds of a random run begin with.
///
/// Most rounds are small: differences between stores show with a handful of rows, and each row is looked at
/// often. But engines change their plans at some numbers of rows (``RowThreshold``). So a round of each
/// threshold comes once within a period of seeds, and begins with as many rows.
///
/// A size follows from the seed alone, so that a seed repeats it.
struct RandomSizes: Sendable {
  /// The numbers of rows at which an engine changes its plans, ascending.
  static let thresholds = Set(RowThreshold.all.map(\.rows)).sorted()
  /// The key of the first of the rows that a large round begins with: steps name smaller ones.
  static let firstKey = 1_001
  /// The rows of a large round that are read as pages, which hold 1,000: fewer, as steps add some.
  static let pageSize = 900

  /// The period of the thresholds that cost little, and the fewest seeds of any.
  private static let shortPeriod = 7
  /// The largest threshold of the short period.
  private static let cheapRows = 64
  /// The period of the other thresholds.
  private let longPeriod: Int

  /// Makes the sizes of a run of `rounds` rounds on a store.
  ///
  /// A prime has no factor in common with the numbers by which runs choose among seeds.
  init(rounds: Int) {
    longPeriod = [331, 127, 61, 37, 19, 11].first { $0 <= rounds } ?? Self.shortPeriod
  }

  private func period(_ threshold: Int) -> Int {
    threshold <= Self.cheapRows ? Self.shortPeriod : longPeriod
  }

  /// Returns the number of rows with which the round of a seed begins; nil for a small round.
  func size(of seed: UInt64) -> Int? {
    for (number, threshold) in Self.thresholds.enumerated().reversed()
    where seed % UInt64(period(threshold)) == UInt64(2 * number + 1) {
      var random = SeededGenerator(seed: seed)
      return threshold + random.pick([0, 1, threshold / 8])
    }
    return nil
  }

  /// Returns the thresholds that `rounds` rounds one after another must cross, and did not: those for which
  /// no entity ever had fewer rows, or none had as many.
  func missed(by rounds: Int, with counts: Set<Int>) -> [Int] {
    Self.thresholds.filter { threshold in
      rounds >= period(threshold)
        && !(counts.contains { $0 < threshold } && counts.contains { $0 >= threshold })
    }
  }
}

extension RandomRound {
  /// Returns the number of rows to begin with: the round's size, or a random number if it is small.
  func rows(_ small: ClosedRange<Int>) -> Int { size ?? random.number(small) }

  /// Returns the keys of the rows that a large round begins with; none in a small round.
  var largeKeys: [Int] {
    size.map { Array(RandomSizes.firstKey..<RandomSizes.firstKey + $0) } ?? []
  }

  /// Returns a number of repetitions, of which a large round makes fewer: at least two.
  func repetitions(_ count: Int, ofRows usual: Int = 30) -> Int {
    guard let size, size > usual else { return count }
    return max(min(2, count), count * usual / size)
  }

  /// Returns whether a step reads its rows as pages.
  func readsPages(_ step: Int) -> Bool {
    step.isMultiple(of: 2) && (size ?? 0) < RandomSizes.pageSize
  }

  /// Notes how many rows each entity of a store has.
  func measure(_ store: any Store) throws {
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    for entity in store.schema.entities where !entity.isInternal {
      var counter = CountReader()
      try reader.visit(
        FetchRequest(entity: entity.name, output: .aggregates([Aggregate(.count)])), &counter)
      counts.formUnion(counter.counts)
    }
  }
}

/// Takes the number of rows of an entity.
private struct CountReader: RowVisitor {
  var counts: [Int] = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    if case .int(let count) = try row.value(at: 0) { counts.append(Int(count)) }
    return .next
  }
}
