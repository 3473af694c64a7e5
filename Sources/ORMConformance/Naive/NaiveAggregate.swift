internal import Foundation
internal import ORM
internal import ORMCore

/// Aggregates as clause 4.1 has them: every value collected, then looked at.
enum NaiveAggregate {
  /// - Parameter kind: the declared kind of the values, which is the kind of a sum; nil for values of JSON,
  ///   whose numbers are summed as they come.
  static func value(
    of aggregate: Aggregate.Kind, over values: [StoredValue], kind: AttributeType.Kind?
  ) throws -> StoredValue {
    let values = values.filter { !$0.isNull }
    switch aggregate {
    case .count: return .int(Int64(values.count))
    case .countDistinct:
      var distinct: [StoredValue] = []
      for value in values where !distinct.contains(where: { NaiveOrder.total($0, value) == 0 }) {
        distinct.append(value)
      }
      return .int(Int64(distinct.count))
    case .minimum: return best(values) { $0 < 0 }
    case .maximum: return best(values) { $0 > 0 }
    case .sum: return try sum(values, kind)
    case .average: return try average(values)
    }
  }

  /// The first of the best; among equal numbers an integer goes before a double and that before a
  /// decimal.
  private static func best(
    _ values: [StoredValue], _ isBetter: (Int) -> Bool
  ) -> StoredValue {
    var best = StoredValue.null
    for value in values {
      let order = best.isNull ? 0 : NaiveOrder.total(value, best)
      if best.isNull || isBetter(order) || order == 0 && rank(value) < rank(best) { best = value }
    }
    return best.withoutNegativeZero
  }

  private static func rank(_ value: StoredValue) -> Int {
    switch value {
    case .int, .uint: 0
    case .double: 1
    default: 2
    }
  }

  private static func sum(
    _ values: [StoredValue], _ kind: AttributeType.Kind?
  ) throws -> StoredValue {
    try check(values)
    if kind == .double || values.contains(where: isDouble) {
      return infinite(values) ?? .double(total(values).nearestDouble)
    }
    let total = total(values)
    if kind == .decimal || values.contains(where: isDecimal) {
      guard let decimal = total.decimal else { throw overflow }
      return .decimal(decimal)
    }
    if let sum = total.integer(Int64.self) { return .int(sum) }
    guard kind == .unsigned || kind == nil && values.contains(where: isPastInt64),
      let sum = total.integer(UInt64.self)
    else { throw overflow }
    return .uint(sum)
  }

  private static func average(_ values: [StoredValue]) throws -> StoredValue {
    try check(values)
    if values.isEmpty { return .null }
    if let infinite = infinite(values) { return infinite }
    let total = total(values)
    // Enough digits that the rest cannot decide how the double is rounded; a last digit stands for the
    // rest.
    let (quotient, rest, _) = total.divided(by: NaiveNumber(Int64(values.count))) { digits, _ in
      digits.groups.count > 130
    }
    var average = quotient
    if !rest.isZero { average = NaiveNumber(text: "\(quotient.digits)1E\(quotient.exponent - 1)") }
    average.isNegative = total.isNegative && !average.isZero
    let double = average.nearestDouble
    return .double(double == 0 ? 0 : double)
  }

  private static func total(_ values: [StoredValue]) -> NaiveNumber {
    values.compactMap { NaiveNumber($0) }.reduce(NaiveNumber(Int64(0)), +)
  }

  private static var overflow: StoreError { StoreError(.overflow, "the sum does not fit") }

  private static func isDouble(_ value: StoredValue) -> Bool {
    if case .double = value { true } else { false }
  }

  private static func isDecimal(_ value: StoredValue) -> Bool {
    if case .decimal = value { true } else { false }
  }

  private static func isPastInt64(_ value: StoredValue) -> Bool {
    if case .uint = value { true } else { false }
  }

  private static func check(_ values: [StoredValue]) throws {
    for value in values {
      switch value {
      case .int, .uint, .double, .decimal: continue
      default: throw StoreError(.invalidCondition, "only numbers have a sum")
      }
    }
  }

  /// The result where infinities decide it: one of them, or none where they are of both signs.
  private static func infinite(_ values: [StoredValue]) -> StoredValue? {
    let signs = values.compactMap { value -> Bool? in
      if case .double(let number) = value, number.isInfinite { number > 0 } else { nil }
    }
    guard let first = signs.first else { return nil }
    return signs.contains(!first) ? .null : .double(first ? .infinity : -.infinity)
  }
}
