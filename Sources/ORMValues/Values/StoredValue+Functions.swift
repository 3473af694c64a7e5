internal import FoundationEssentials
private import ORMPlatform

/// The functions of one number. Each gives null for null and NaN, the number's own kind for a
/// number, and `.mismatch` for everything else.
extension StoredValue {
  /// The number with the other sign; `.overflow` for `Int64.min`, and for an integer above 2^63.
  ///
  /// With `isUnsigned` the result may be above Int64, as in `arithmetic`.
  package static func negate(_ value: StoredValue, isUnsigned: Bool = false) -> ArithmeticOutcome {
    switch value {
    case .int(let value): integer(-Int128(value), isUnsigned: isUnsigned)
    case .uint(let value): integer(-Int128(value), isUnsigned: true)
    case .double(let value): number(-value)
    case .decimal(let value): rounded(value) { $0.negated }
    case .null: .value(.null)
    default: .mismatch
    }
  }

  /// The number without its sign; `.overflow` for `Int64.min`, unless `isUnsigned`.
  package static func absolute(
    _ value: StoredValue, isUnsigned: Bool = false
  ) -> ArithmeticOutcome {
    switch value {
    case .int(let value): integer(Int128(value.magnitude), isUnsigned: isUnsigned)
    case .uint: .value(value)
    case .double(let value): number(value.magnitude)
    case .decimal(let value): rounded(value) { $0.isNegative ? $0.negated : $0 }
    case .null: .value(.null)
    default: .mismatch
    }
  }

  /// The least whole number that is not less; `.overflow` for a decimal whose next whole one needs
  /// too many digits, which no decimal of this type does.
  package static func ceiling(_ value: StoredValue) -> ArithmeticOutcome {
    whole(value, .up)
  }

  /// The greatest whole number that is not greater.
  package static func floor(_ value: StoredValue) -> ArithmeticOutcome {
    whole(value, .down)
  }

  /// The number without its fraction.
  package static func truncate(_ value: StoredValue) -> ArithmeticOutcome {
    whole(value, .towardZero)
  }

  /// The nearest whole number, ties away from zero.
  package static func round(_ value: StoredValue) -> ArithmeticOutcome {
    whole(value, .toNearestOrAwayFromZero)
  }

  /// The integer with every bit changed, which is `-1 - x`; `.overflow` for an integer above
  /// `Int64.max`.
  package static func bitwiseNot(_ value: StoredValue) -> ArithmeticOutcome {
    switch value {
    case .int(let value): .value(.int(~value))
    case .uint: .overflow
    case .null: .value(.null)
    default: .mismatch
    }
  }

  /// The square root, as a double; null for a number below zero.
  package static func squareRoot(_ value: StoredValue) -> ArithmeticOutcome {
    floating(value) { $0.squareRoot() }
  }

  /// The power of e, as a double.
  package static func exponential(_ value: StoredValue) -> ArithmeticOutcome {
    floating(value) { exp($0) }
  }

  /// The natural logarithm, as a double; null for a number below zero.
  package static func naturalLogarithm(_ value: StoredValue) -> ArithmeticOutcome {
    floating(value) { log($0) }
  }

  /// The logarithm to the base 10, as a double; null for a number below zero.
  package static func commonLogarithm(_ value: StoredValue) -> ArithmeticOutcome {
    floating(value) { log10($0) }
  }

  private static func floating(
    _ value: StoredValue, _ function: (Double) -> Double
  ) -> ArithmeticOutcome {
    switch value {
    case .int(let value): number(function(Double(value)))
    case .uint(let value): number(function(Double(value)))
    case .double(let value): number(function(value))
    case .null: .value(.null)
    default: .mismatch
    }
  }

  private static func whole(
    _ value: StoredValue, _ rule: FloatingPointRoundingRule
  ) -> ArithmeticOutcome {
    switch value {
    case .int, .uint, .null: .value(value)
    case .double(let value): number(value.rounded(rule))
    case .decimal(let value): rounded(value) { $0.whole(rule) }
    default: .mismatch
    }
  }

  private static func rounded(
    _ value: Decimal, _ function: (DecimalParts) -> DecimalParts
  ) -> ArithmeticOutcome {
    guard let parts = DecimalParts(value) else { return .value(.null) }
    guard let decimal = function(parts).decimal else { return .overflow }
    return .value(.decimal(decimal))
  }
}
