import FoundationEssentials
import TestSupport

@testable import ORMValues

extension SeededGenerator {
  /// A finite double of any size and sign.
  mutating func anyDouble() -> Double {
    while true {
      let double = Double(bitPattern: next())
      if double.isFinite { return double }
    }
  }

  /// A decimal of any size and sign.
  mutating func anyDecimal() -> Decimal {
    let width = Int.random(in: 0...127, using: &self)
    let coefficient = (UInt128(next()) << 64 | UInt128(next())) >> UInt128(width)
    let parts = DecimalParts(
      isNegative: Bool.random(using: &self), coefficient: coefficient,
      exponent: Int.random(in: -128...127, using: &self))
    return DecimalLayout.make(parts) ?? 0
  }
}

/// A decimal from its text; tests give only texts that are decimals.
func dec(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }
