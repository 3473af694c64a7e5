internal import FoundationEssentials
internal import ORMStorage

extension PredicateBridge {
  /// Arithmetic on two expressions whose values are of a type.
  fileprivate func arithmetic(
    _ left: some PredicateExpression, _ right: some PredicateExpression, of type: Any.Type,
    _ make: (Operand, Operand) -> Operand
  ) throws -> Bridged {
    // A store works in Double, which rounds otherwise.
    if type == Float.self { throw Self.refusal("arithmetic of Float") }
    return try Bridged.combining(try bridged(left), try bridged(right)) {
      .operand(make(try $0.operand(), try $1.operand()))
    }.fitting(type)
  }
}

extension Bridged {
  /// The result of arithmetic on a type, without which Swift traps if the type is narrower than the
  /// integers that a store works in.
  fileprivate func fitting(_ type: Any.Type) throws -> Bridged {
    guard let type = type as? any FixedWidthInteger.Type, let bounds = type.narrowBounds else {
      return self
    }
    return try map { value in
      var result = Bridged(value)
      let operand = try value.operand()
      result.needs = .and(
        .compare(operand, .greaterOrEqual, .value(.int(bounds.lowerBound)), []),
        .compare(operand, .lessOrEqual, .value(.int(bounds.upperBound)), []))
      return result
    }
  }
}

extension FixedWidthInteger {
  /// The least and the greatest value of a type of fewer than 64 bits.
  fileprivate static var narrowBounds: Swift.ClosedRange<Int64>? {
    bitWidth < 64 ? Int64(min)...Int64(max) : nil
  }
}

extension PredicateExpressions.Arithmetic: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let symbol: ArithmeticOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw PredicateBridge.refusal("unknown arithmetic")
      }
    return try bridge.arithmetic(lhs, rhs, of: LHS.Output.self) { .arithmetic(symbol, $0, $1) }
  }
}

extension PredicateExpressions.IntDivision: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.arithmetic(lhs, rhs, of: LHS.Output.self) { .arithmetic(.divide, $0, $1) }
  }
}

extension PredicateExpressions.IntRemainder: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    // Division truncates, so this is the remainder that Swift gives, its sign included. Swift traps
    // where the quotient does not fit, although the remainder does.
    var result = try bridge.arithmetic(lhs, rhs, of: LHS.Output.self) { whole, part in
      .arithmetic(
        .subtract, whole,
        .arithmetic(.multiply, .arithmetic(.divide, whole, part), part))
    }
    if (LHS.Output.self as? any FixedWidthInteger.Type)?.narrowBounds != nil {
      let quotient = try bridge.arithmetic(lhs, rhs, of: LHS.Output.self) {
        .arithmetic(.divide, $0, $1)
      }
      result.needs = .and(result.needs, quotient.needs)
    }
    return result
  }
}

extension PredicateExpressions.FloatDivision: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.arithmetic(lhs, rhs, of: LHS.Output.self) { .arithmetic(.divide, $0, $1) }
  }
}

extension PredicateExpressions.UnaryMinus: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(wrapped).map { Bridged(.operand(.negated(try $0.operand()))) }
      .fitting(Wrapped.Output.self)
  }
}

// MARK: - Ranges

extension PredicateExpressions.Range: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    var range = try Bridged.combining(try bridge.bridged(lower), try bridge.bridged(upper)) {
      .range(lower: try $0.operand(), upper: try $1.operand(), includesUpper: false)
    }
    for one in range.cases {
      guard case .range(let lower?, let upper?, _) = one.value else { continue }
      range.needs = .and(
        range.needs, .or(.negation(one.when), .compare(lower, .lessOrEqual, upper, [])))
    }
    return range
  }
}

extension PredicateExpressions.ClosedRange: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try .combining(try bridge.bridged(lower), try bridge.bridged(upper)) {
      .range(lower: try $0.operand(), upper: try $1.operand(), includesUpper: true)
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try .combining(try bridge.bridged(range), try bridge.bridged(element)) { range, element in
      var range = range
      if case .constant(let known as any BridgedRange) = range { range = try known.bridged() }
      guard case .range(let lower, let upper, let includesUpper) = range else {
        throw PredicateBridge.refusal("a range of another kind")
      }
      let value = try element.operand()
      var condition = Condition.constant(true)
      if let lower { condition = .compare(value, .greaterOrEqual, lower, []) }
      if let upper {
        condition = .and(
          condition, .compare(value, includesUpper ? .lessOrEqual : .less, upper, []))
      }
      return .condition(condition)
    }
  }
}

/// A range that is known already.
private protocol BridgedRange {
  func bridged() throws -> BridgedValue
}

extension Swift.Range: BridgedRange {
  fileprivate func bridged() throws -> BridgedValue {
    .range(
      lower: try BridgedValue.constant(lowerBound).operand(),
      upper: try BridgedValue.constant(upperBound).operand(), includesUpper: false)
  }
}

extension Swift.ClosedRange: BridgedRange {
  fileprivate func bridged() throws -> BridgedValue {
    .range(
      lower: try BridgedValue.constant(lowerBound).operand(),
      upper: try BridgedValue.constant(upperBound).operand(), includesUpper: true)
  }
}

extension PartialRangeFrom: BridgedRange {
  fileprivate func bridged() throws -> BridgedValue {
    .range(
      lower: try BridgedValue.constant(lowerBound).operand(), upper: nil, includesUpper: false)
  }
}

extension PartialRangeThrough: BridgedRange {
  fileprivate func bridged() throws -> BridgedValue {
    .range(
      lower: nil, upper: try BridgedValue.constant(upperBound).operand(), includesUpper: true)
  }
}

extension PartialRangeUpTo: BridgedRange {
  fileprivate func bridged() throws -> BridgedValue {
    .range(
      lower: nil, upper: try BridgedValue.constant(upperBound).operand(), includesUpper: false)
  }
}
