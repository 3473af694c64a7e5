internal import FoundationEssentials

/// One aggregate over a run of values, the same on every store (clause 4.1).
///
/// Nulls are skipped. Two aggregators of one function over parts of the rows can be merged, and no
/// result depends on the order of the rows.
package struct Aggregator: Sendable {
  /// The aggregate function.
  package let function: AggregateKind
  private let kind: ExactSum.ResultKind
  private var count: Int64 = 0
  private var sum = ExactSum()
  private var distinct: Set<GroupKey> = []
  private var best = StoredValue.null
  private var hasMisfit = false

  /// Makes an aggregate over values of a kind.
  ///
  /// The kind is that of a sum, also over nothing. Without one, and for JSON, numbers are summed
  /// as they come: to a double if one was met, else to a decimal if one was, else to an integer.
  package init(_ function: AggregateKind, of kind: AttributeType.Kind? = nil) {
    self.function = function
    self.kind =
      switch kind {
      case .int: .int
      case .unsigned: .unsigned
      case .double: .double
      case .decimal: .decimal
      default: .any
      }
  }

  /// True if it is a sum of integers below `UInt64`, all there is to keep being the total.
  package var sumsIntegers: Bool { function == .sum && kind == .int }

  /// Adds a value; null is skipped.
  package mutating func add(_ value: StoredValue) {
    switch value {
    case .null: return
    case .int(let value): add(int64: value)
    case .double(let value): add(double: value)
    default:
      switch function {
      case .count: count += 1
      case .countDistinct: distinct.insert(GroupKey([value]))
      case .minimum, .maximum: compete(value)
      case .sum, .average:
        switch value {
        case .uint(let value): sum.add(uint64: value)
        case .decimal(let value): sum.add(decimal: value)
        default: hasMisfit = true
        }
      }
    }
  }

  /// Adds an integer that is not null.
  @inline(__always)
  package mutating func add(int64 value: Int64) {
    switch function {
    case .sum, .average: sum.add(int64: value)
    case .count: count += 1
    case .countDistinct: distinct.insert(GroupKey([.int(value)]))
    case .minimum, .maximum: compete(.int(value))
    }
  }

  /// Adds a double that is not null.
  @inline(__always)
  package mutating func add(double value: Double) {
    switch function {
    case .sum, .average: sum.add(double: value)
    case .count: count += 1
    case .countDistinct: distinct.insert(GroupKey([.double(value)]))
    case .minimum, .maximum: compete(.double(value))
    }
  }

  /// Adds integers that are not null; the function is looked at once for all of them.
  package mutating func add(int64s values: UnsafeBufferPointer<Int64>) {
    switch function {
    case .count: count += Int64(values.count)
    case .sum, .average: for value in values { sum.add(int64: value) }
    default: for value in values { add(int64: value) }
    }
  }

  /// Adds doubles that are not null.
  package mutating func add(doubles values: UnsafeBufferPointer<Double>) {
    switch function {
    case .count: count += Int64(values.count)
    case .sum, .average: sum.add(doubles: values)
    default: for value in values { add(double: value) }
    }
  }

  /// Adds a number of rows to a count of rows.
  package mutating func add(rows: Int) { count += Int64(rows) }

  /// Adds all that another aggregator of the same function has taken.
  package mutating func merge(_ other: Aggregator) {
    count += other.count
    sum.add(other.sum)
    distinct.formUnion(other.distinct)
    compete(other.best)
    hasMisfit = hasMisfit || other.hasMisfit
  }

  /// Merges as `merge(_:)` does, for rows that several paths lead to, possibly more than any count holds.
  ///
  /// - Throws: `overflow`.
  package mutating func merge(checked other: Aggregator) throws {
    guard !count.addingReportingOverflow(other.count).overflow,
      !sum.count.addingReportingOverflow(other.sum.count).overflow
    else { throw Self.tooMany }
    merge(other)
  }

  /// The error that more rows were added up than a count holds.
  package static var tooMany: StoreError {
    StoreError(.overflow, "the number of related rows does not fit a count")
  }

  /// The result so far.
  ///
  /// Throws `overflow` when a sum does not fit its kind, `invalidCondition` for a sum or average
  /// of values that are not numbers, or of decimals among doubles.
  package func result() throws -> StoredValue {
    switch function {
    case .count: return .int(count)
    case .countDistinct: return .int(Int64(distinct.count))
    case .minimum, .maximum: return best.withPositiveZeros
    case .sum, .average:
      guard !hasMisfit else {
        throw StoreError(.invalidCondition, "only numbers have a sum and an average")
      }
      return function == .sum ? try sum.sum(as: kind) : try sum.average()
    }
  }

  /// Keeps the better one.
  ///
  /// Among equal numbers of different kinds it is the one whose kind comes first in int, uint,
  /// double, decimal, so that the order of rows does not show.
  private mutating func compete(_ value: StoredValue) {
    if value.isNull { return }
    if best.isNull {
      best = value
      return
    }
    let order = StoredValue.order(value, best)
    if order == 0 {
      if value.numberRank < best.numberRank { best = value }
    } else if (order < 0) == (function == .minimum) {
      best = value
    }
  }
}

extension StoredValue {
  /// The rank of a number's kind among those that may be equal; after them for all else.
  package var numberRank: Int {
    switch self {
    case .int: 0
    case .uint: 1
    case .double: 2
    case .decimal: 3
    default: 4
    }
  }
}
