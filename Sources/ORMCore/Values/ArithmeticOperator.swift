/// An arithmetic operator of conditions and updates; semantics 2.6 says what each gives.
public enum ArithmeticOperator: String, Hashable, Codable, Sendable {
  /// `+`
  case add
  /// `-`
  case subtract
  /// `*`
  case multiply
  /// `/`, truncating between integers.
  case divide
  /// `**`, always in doubles.
  case power

  /// The operator as formats write it.
  public var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .power: "**"
    }
  }
}
