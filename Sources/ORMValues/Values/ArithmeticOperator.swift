/// An operator of two numbers in a condition or a set-based update.
public enum ArithmeticOperator: String, Hashable, Codable, Sendable {
  /// `+`, also a date and seconds.
  case add
  /// `-`, also a date and seconds, and two dates.
  case subtract
  /// `*`
  case multiply
  /// `/`; of integers it truncates.
  case divide
  /// `**`, always in doubles.
  case power
  /// `%`, of integers: the rest of the division that truncates.
  case remainder
  /// `&`, of integers.
  case bitwiseAnd
  /// `|`, of integers.
  case bitwiseOr
  /// `^`, of integers.
  case bitwiseXor
  /// `<<`, of integers; a negative distance shifts to the right.
  case shiftLeft
  /// `>>`, of integers, rounding down; a negative distance shifts to the left.
  case shiftRight

  /// True if the operator takes integers alone.
  package var isOfIntegers: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .power: false
    case .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight: true
    }
  }

  /// The operator as formats write it.
  public var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .power: "**"
    case .remainder: "%"
    case .bitwiseAnd: "&"
    case .bitwiseOr: "|"
    case .bitwiseXor: "^"
    case .shiftLeft: "<<"
    case .shiftRight: ">>"
    }
  }
}

/// The outcome of an arithmetic operation.
package enum ArithmeticOutcome: Hashable, Sendable {
  /// A result; null where an operand is null, where something is divided by zero, and where the
  /// result is no number.
  case value(StoredValue)
  /// The exact result does not fit its kind: nil in a filter, `overflow` in an update.
  case overflow
  /// The operator does not go with these kinds: `invalidCondition`.
  case mismatch
}
