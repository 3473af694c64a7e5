internal import FoundationEssentials

/// The key of a group or of a distinct row: values that are one key when they are equal in meaning.
///
/// Two keys are equal when `StoredValue.order` finds no difference (clauses 2.2, 2.3, 4.2): `1`,
/// `1.0` and the decimal 1 are one key, so are `-0.0` and `0.0`; composed and decomposed é are two;
/// null is a key of its own. A NaN, which no store keeps, would be one key with every other NaN.
@usableFromInline
package struct GroupKey: Hashable, Sendable {
  /// The values as they came; a group shows their ``StoredValue/withPositiveZeros``.
  package let values: [StoredValue]

  /// Makes a key of values.
  package init(_ values: [StoredValue]) {
    self.values = values
  }

  @usableFromInline
  package static func == (a: GroupKey, b: GroupKey) -> Bool {
    guard a.values.count == b.values.count else { return false }
    for (a, b) in zip(a.values, b.values) {
      if case .int(let a) = a, case .int(let b) = b {
        // Most keys are integers, and an order is more than is asked.
        if a != b { return false }
      } else if StoredValue.order(a, b) != 0 {
        return false
      }
    }
    return true
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    for value in values { value.hashMeaning(into: &hasher) }
  }
}

extension StoredValue {
  /// The value with `0.0` for `-0.0`, in arrays too, as groups, distinct, minimum and maximum return it
  /// (clause 1.2).
  package var withPositiveZeros: StoredValue {
    switch self {
    case .double(let value) where value == 0: .double(0)
    case .date(let value) where value.timeIntervalSinceReferenceDate == 0:
      .date(Date(timeIntervalSinceReferenceDate: 0))
    case .array(let elements): .array(elements.map(\.withPositiveZeros))
    default: self
    }
  }

  /// Feeds a hasher so that values between which `order` finds no difference hash alike.
  ///
  /// A number that is a 64-bit integer goes as that integer, any other as its nearest double,
  /// which two equal numbers share.
  fileprivate func hashMeaning(into hasher: inout Hasher) {
    hasher.combine(kindRank)
    switch self {
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .double(let value):
      if let integer = Int64(exactly: value) {
        hasher.combine(integer)
      } else if let integer = UInt64(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
      }
    case .decimal(let value):
      guard let parts = DecimalParts(value)?.canonical else {
        return hasher.combine(Double.nan.bitPattern)
      }
      if let integer = parts.integer(as: Int64.self) {
        hasher.combine(integer)
      } else if let integer = parts.integer(as: UInt64.self) {
        hasher.combine(integer)
      } else {
        hasher.combine(parts.nearestDouble.bitPattern)
      }
    case .date(let value):
      let timestamp = value.timeIntervalSinceReferenceDate
      hasher.combine(timestamp.isNaN ? 0 : timestamp)
    case .array(let elements):
      hasher.combine(elements.count)
      for element in elements { element.hashMeaning(into: &hasher) }
    default: hash(into: &hasher)
    }
  }
}

extension DecimalParts {
  /// The number as an integer, when it is one and fits.
  func integer<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    let parts = canonical
    guard (0..<Self.powersOfTen.count).contains(parts.exponent) else { return nil }
    let (magnitude, overflow) = parts.coefficient.multipliedReportingOverflow(
      by: Self.powersOfTen[parts.exponent])
    guard !overflow, let value = Int128(exactly: magnitude) else { return nil }
    return Integer(exactly: parts.isNegative ? -value : value)
  }
}
