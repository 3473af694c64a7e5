package import ORMValues

/// Groups while rows are added to them: the shown keys of each, and its running aggregates (clause 4.2).
///
/// Counts and sums of integers are stored as plain numbers, one beside the other; other aggregates
/// are stored whole. Groups are numbered in the order of their first rows. One table is looked up in one way:
/// by values, or, with a single key of that kind, by integers or by texts.
package struct GroupTable {
  /// The number of groups.
  package private(set) var count = 0
  private let keyCount: Int
  private let slots: [Slot]
  private let prototypes: [Aggregator]
  private let countWidth: Int
  private let sumWidth: Int
  private var keys: [StoredValue] = []
  private var counts: [Int64] = []
  private var sums: [Int128] = []
  private var totals: [Aggregator] = []
  private var numbers: [GroupKey: Int] = [:]
  private var integers = IntegerKeyTable()
  private var texts = TextPositions()
  private var nullPosition: Int?

  /// The position of a running aggregate among those of its kind.
  private enum Slot {
    case count(Int)
    case sum(Int)
    case total(Int)
  }

  /// A table without groups.
  package init(_ plan: GroupPlan) {
    var slots: [Slot] = []
    var prototypes: [Aggregator] = []
    var (countWidth, sumWidth) = (0, 0)
    for aggregator in plan.aggregators {
      if aggregator.function == .count {
        slots.append(.count(countWidth))
        countWidth += 1
      } else if aggregator.sumsIntegers {
        slots.append(.sum(sumWidth))
        sumWidth += 1
      } else {
        slots.append(.total(prototypes.count))
        prototypes.append(aggregator)
      }
    }
    keyCount = plan.keyCount
    self.slots = slots
    self.prototypes = prototypes
    self.countWidth = countWidth
    self.sumWidth = sumWidth
  }

  // MARK: Groups

  /// The group of a key.
  package mutating func group(of key: [StoredValue]) -> Int {
    let groupKey = GroupKey(key)
    guard let group = numbers[groupKey] else {
      numbers[groupKey] = count
      return add(key.map(\.withPositiveZeros))
    }
    // Equal numbers of several kinds show the first kind, in any order of the rows.
    for (part, value) in key.enumerated()
    where value.numberRank < keys[group * keyCount + part].numberRank {
      keys[group * keyCount + part] = value.withPositiveZeros
    }
    return group
  }

  /// The group of a single key, an integer.
  @inline(__always)
  package mutating func group(ofInteger key: Int64) -> Int {
    let group = integers.position(of: key, next: count)
    return group == count ? add([.int(key)]) : group
  }

  /// The group of a single key, a text by its UTF-8, which was checked to be valid.
  package mutating func group(ofText key: UnsafeRawBufferPointer) -> Int {
    let (group, isNew) = texts.position(of: key)
    return isNew ? add([.string(String(decoding: key, as: UTF8.self))]) : group
  }

  /// The group of a single key, a text, where it was met before.
  package func knownGroup(ofText key: UnsafeRawBufferPointer) -> Int? { texts.known(key) }

  /// The group of a single key, null.
  package mutating func groupOfNull() -> Int {
    if let nullPosition { return nullPosition }
    nullPosition = count
    // The numbers of texts are those of groups.
    texts.skip()
    return add([.null])
  }

  private mutating func add(_ key: [StoredValue]) -> Int {
    keys += key
    counts.append(contentsOf: repeatElement(0, count: countWidth))
    sums.append(contentsOf: repeatElement(0, count: sumWidth))
    totals += prototypes
    count += 1
    return count - 1
  }

  // MARK: Aggregates

  /// Adds a value to an aggregate of a group; null is skipped.
  package mutating func add(_ value: StoredValue, to aggregate: Int, of group: Int) {
    switch slots[aggregate] {
    case .count(let slot): if !value.isNull { counts[group * countWidth + slot] += 1 }
    case .sum(let slot):
      switch value {
      case .int(let value): sums[group * sumWidth + slot] += Int128(value)
      case .uint(let value): sums[group * sumWidth + slot] += Int128(value)
      default: break
      }
    case .total(let slot): totals[group * prototypes.count + slot].add(value)
    }
  }

  /// Adds an integer that is not null.
  @inline(__always)
  package mutating func add(int64 value: Int64, to aggregate: Int, of group: Int) {
    switch slots[aggregate] {
    case .count(let slot): counts[group &* countWidth &+ slot] &+= 1
    case .sum(let slot): sums[group &* sumWidth &+ slot] &+= Int128(value)
    case .total(let slot): totals[group &* prototypes.count &+ slot].add(int64: value)
    }
  }

  /// Adds a double that is not null.
  @inline(__always)
  package mutating func add(double value: Double, to aggregate: Int, of group: Int) {
    switch slots[aggregate] {
    case .count(let slot): counts[group &* countWidth &+ slot] &+= 1
    case .sum: add(.double(value), to: aggregate, of: group)
    case .total(let slot): totals[group &* prototypes.count &+ slot].add(double: value)
    }
  }

  /// Adds integers that are not null, each to its group.
  package mutating func add(
    int64s values: UnsafeBufferPointer<Int64>, to aggregate: Int,
    of groups: UnsafeBufferPointer<Int>
  ) {
    guard case .sum(let slot) = slots[aggregate] else {
      for (value, group) in zip(values, groups) { add(int64: value, to: aggregate, of: group) }
      return
    }
    let width = sumWidth
    sums.withUnsafeMutableBufferPointer { sums in
      for (value, group) in zip(values, groups) {
        sums[group &* width &+ slot] &+= Int128(value)
      }
    }
  }

  /// Adds doubles that are not null, each to its group.
  package mutating func add(
    doubles values: UnsafeBufferPointer<Double>, to aggregate: Int,
    of groups: UnsafeBufferPointer<Int>
  ) {
    for (value, group) in zip(values, groups) { add(double: value, to: aggregate, of: group) }
  }

  /// Adds `rows` values that are not null to a count.
  package mutating func add(rows: Int, to aggregate: Int, of group: Int) {
    switch slots[aggregate] {
    case .count(let slot): counts[group &* countWidth &+ slot] &+= Int64(rows)
    case .sum: break
    case .total(let slot): totals[group &* prototypes.count &+ slot].add(rows: rows)
    }
  }

  /// Adds integers that are not null to one group.
  package mutating func add(
    int64s values: UnsafeBufferPointer<Int64>, to aggregate: Int, of group: Int
  ) {
    switch slots[aggregate] {
    case .count(let slot): counts[group &* countWidth &+ slot] &+= Int64(values.count)
    case .sum(let slot):
      var sum = Int128(0)
      for value in values { sum &+= Int128(value) }
      sums[group &* sumWidth &+ slot] &+= sum
    case .total(let slot): totals[group &* prototypes.count &+ slot].add(int64s: values)
    }
  }

  /// Adds doubles that are not null to one group.
  package mutating func add(
    doubles values: UnsafeBufferPointer<Double>, to aggregate: Int, of group: Int
  ) {
    switch slots[aggregate] {
    case .count(let slot): counts[group &* countWidth &+ slot] &+= Int64(values.count)
    case .sum: for value in values { add(.double(value), to: aggregate, of: group) }
    case .total(let slot): totals[group &* prototypes.count &+ slot].add(doubles: values)
    }
  }

  // MARK: Results

  /// Returns a column of a group's row: a key, or the value of an aggregate.
  ///
  /// - Throws: as ``Aggregator/result()``.
  package func value(of column: Int, in group: Int) throws -> StoredValue {
    if column < keyCount { return keys[group * keyCount + column] }
    switch slots[column - keyCount] {
    case .count(let slot): return .int(counts[group * countWidth + slot])
    case .sum(let slot):
      guard let sum = Int64(exactly: sums[group * sumWidth + slot]) else {
        throw StoreError(.overflow, "the sum does not fit its type")
      }
      return .int(sum)
    case .total(let slot): return try totals[group * prototypes.count + slot].result()
    }
  }
}
