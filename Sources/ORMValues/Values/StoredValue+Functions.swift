internal import FoundationEssentials

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
