internal import Foundation
internal import ORMCore

/// The order of values, from clause 2.1 to 2.3 and 3.1, written a second time.
enum NaiveOrder {
  /// Returns whether two values are equal in a condition; nil equals nil, a NaN nothing.
  static func equals(_ a: StoredValue, _ b: StoredValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { equals($0, $1) }
    case (.json(let a), .json(let b)): bytes(a) == bytes(b)
    default: comparison(a, b) == 0
    }
  }

  /// The sign of the order of two values of kinds that compare; nil for all others, with nil and
  /// with a NaN.
  static func comparison(_ a: StoredValue, _ b: StoredValue) -> Int? {
    switch (a, b) {
    case (.string(let a), .string(let b)): return order(bytes(a), bytes(b))
    case (.bool(let a), .bool(let b)): return order(a ? 1 : 0, b ? 1 : 0)
    case (.data(let a), .data(let b)): return order([UInt8](a), [UInt8](b))
    case (.uuid(let a), .uuid(let b)):
      // The text of a UUID is its bytes in hexadecimal digits, all of one length.
      return order(bytes(a.uuidString), bytes(b.uuidString))
    case (.date(let a), .date(let b)):
      return order(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    case (.int(let a), .int(let b)): return order(a, b)
    case (.double(let a), .double(let b)): return order(a, b)
    // Arrays and JSON know equality alone: equal ones are neither less nor greater.
    case (.array, .array), (.json, .json): return equals(a, b) ? 0 : nil
    default: return numbers(a, b)
    }
  }

  private static func numbers(_ a: StoredValue, _ b: StoredValue) -> Int? {
    if let one = NaiveNumber(a), let other = NaiveNumber(b) {
      return NaiveNumber.order(one, other)
    }
    // An infinity is beyond every other number.
    guard rank(a) == numberRank, rank(b) == numberRank, !isNaN(a), !isNaN(b) else { return nil }
    if case .double(let double) = a, double.isInfinite { return double > 0 ? 1 : -1 }
    if case .double(let double) = b { return double > 0 ? -1 : 1 }
    return nil
  }

  /// A total order of all values: nil, then the kinds one after another, each by its own order;
  /// arrays by their elements, JSON by its bytes.
  static func total(_ a: StoredValue, _ b: StoredValue) -> Int {
    if let order = comparison(a, b) { return order }
    switch (a, b) {
    case (.json(let a), .json(let b)): return order(bytes(a), bytes(b))
    case (.array(let a), .array(let b)):
      for (one, other) in zip(a, b) {
        let order = total(one, other)
        if order != 0 { return order }
      }
      return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
    default: return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0
    }
  }

  static func isNaN(_ value: StoredValue) -> Bool {
    switch value {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }

  private static let numberRank = 2

  private static func rank(_ value: StoredValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .uint, .double, .decimal: numberRank
    case .date: 3
    case .string: 4
    case .uuid: 5
    case .data: 6
    case .array: 7
    case .json: 8
    }
  }

  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int? {
    a < b ? -1 : a > b ? 1 : a == b ? 0 : nil
  }

  /// Bytes one after another, the shorter first on a tie.
  private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    for (one, other) in zip(a, b) where one != other { return one < other ? -1 : 1 }
    return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
  }

  /// The UTF-8 of a text, whose order is that of the code points.
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

extension StoredValue {
  /// The value with `0.0` for `-0.0`, as aggregates give it (clause 1.2).
  var withoutNegativeZero: StoredValue {
    switch self {
    case .double(let number) where number == 0: .double(0)
    case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
      .date(Date(timeIntervalSinceReferenceDate: 0))
    case .array(let elements): .array(elements.map(\.withoutNegativeZero))
    default: self
    }
  }
}
