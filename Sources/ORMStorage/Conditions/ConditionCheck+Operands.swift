package import ORMValues

extension ConditionCheck {
  /// An operand as stores understand it, and the kind of its values; nil where the kind is known only for
  /// each row (JSON, nil).
  package typealias Typed = (operand: Operand, kind: AttributeType.Kind?)

  /// Checks an operand.
  package mutating func check(_ operand: Operand, depth: Int) throws -> Typed {
    try checkDepth(depth)
    let mayNameExternal = self.mayNameExternal
    self.mayNameExternal = false
    switch operand {
    case .value(let value):
      if case .array(let elements) = value { try countListItems(elements.count) }
      return (operand, value.kind)
    case .invalid(let error): throw error.filling(entity: entity.modelName)
    case .parameter(_, let kind): return (operand, kind)
    case .item, .ofItems, .list, .variable, .now, .output:
      return try checkItem(operand, depth: depth)
    case .parameterList: return (operand, .array)
    case .path(let path):
      return try check(path, operand, depth: depth, mayNameExternal: mayNameExternal)
    case .json(let inner, let steps):
      let (inner, innerKind) = try check(inner, depth: depth + 1)
      guard innerKind == nil || innerKind == .json else {
        throw fault(.invalidCondition, "only JSON has members: \(operand)")
      }
      return (.json(inner, steps), nil)
    case .element(let inner, let index):
      let (checked, innerKind) = try check(inner, depth: depth + 1)
      guard innerKind == nil || innerKind == .array else {
        throw fault(.invalidCondition, "only arrays have elements: \(operand)")
      }
      return (.element(checked, index), elementKindOfList(inner))
    case .arithmetic(let symbol, let left, let right):
      let (left, leftKind) = try check(left, depth: depth + 1)
      let (right, rightKind) = try check(right, depth: depth + 1)
      return (
        .arithmetic(symbol, left, right),
        try arithmeticKind(operand, symbol, leftKind, rightKind)
      )
    case .negated(let inner):
      let (inner, innerKind) = try check(inner, depth: depth + 1)
      guard innerKind?.isNumber ?? true else {
        throw fault(.invalidCondition, "only numbers can be negated: \(operand)")
      }
      return (.negated(inner), innerKind)
    case .function(.last, let inner):
      let (checked, innerKind) = try check(inner, depth: depth + 1)
      _ = try functionKind(operand, .last, innerKind)
      return (.function(.last, checked), elementKindOfList(inner))
    case .function(let function, let inner):
      let (inner, innerKind) = try check(inner, depth: depth + 1)
      return (.function(function, inner), try functionKind(operand, function, innerKind))
    case .choice(let condition, let first, let second):
      return try check(operand, choosing: condition, first, second, depth: depth)
    case .ofElements(let kind, let inner, let elements, let condition):
      return try withRows(of: elements, depth: depth) { check, rows, links in
        let isPlainCount = inner == nil && condition == .constant(true)
        return try check.aggregate(
          kind, of: inner, in: isPlainCount ? links : rows, where: condition, depth: depth)
      }
    case .relatedAggregate(let kind, let inner, let rows, let condition):
      return try withRows(rows) { check, rows in
        try check.aggregate(kind, of: inner, in: rows, where: condition, depth: depth)
      }
    case .relatedValue(let inner, let rows):
      try checkSingle(rows)
      return try withRows(rows) { check, rows in
        check.mayNameExternal = mayNameExternal
        let (inner, kind) = try check.check(inner, depth: depth + 1)
        return (.relatedValue(inner, rows), kind)
      }
    }
  }

  private mutating func aggregate(
    _ kind: Aggregate.Kind, of operand: Operand?, in rows: RelatedRows, where condition: Condition,
    depth: Int
  ) throws -> Typed {
    guard rows.steps.count <= RelatedRows.longestAggregate else {
      throw fault(
        .tooComplex,
        "an aggregate goes through more than \(RelatedRows.longestAggregate) entities")
    }
    let inner = try operand.map { try check($0, depth: depth + 1) }
    try checkAggregate(kind, of: inner)
    let condition = try check(condition, depth: depth + 1)
    let result: AttributeType.Kind? =
      switch kind {
      case .count, .countDistinct: .int
      case .average: .double
      case .sum, .minimum, .maximum: inner?.kind
      }
    return (.relatedAggregate(kind, inner?.operand, rows, condition), result)
  }

  private mutating func check(
    _ operand: Operand, choosing condition: Condition, _ first: Operand, _ second: Operand,
    depth: Int
  ) throws -> Typed {
    let condition = try check(condition, depth: depth + 1)
    let (first, firstKind) = try check(first, depth: depth + 1)
    let (second, secondKind) = try check(second, depth: depth + 1)
    if let firstKind, let secondKind, firstKind != secondKind,
      !(firstKind.isNumber && secondKind.isNumber)
    {
      throw fault(.invalidCondition, "the two values are of different kinds: \(operand)")
    }
    return (
      .choice(condition, first, second),
      Operand.kind(choosing: firstKind, secondKind, first, second)
    )
  }

  private func functionKind(
    _ operand: Operand, _ function: Operand.Function, _ kind: AttributeType.Kind?
  ) throws -> AttributeType.Kind? {
    guard function.takes(kind) else {
      throw fault(
        .invalidCondition,
        "the function cannot be applied to its argument: \(operand); it takes \(function.argument)")
    }
    if case .part(_, let zone) = function, !zone.isKnown {
      throw fault(.invalidCondition, "there is no time zone \(zone.text): \(operand)")
    }
    return function.kind(for: kind)
  }

  private func arithmeticKind(
    _ operand: Operand, _ symbol: ArithmeticOperator, _ left: AttributeType.Kind?,
    _ right: AttributeType.Kind?
  ) throws -> AttributeType.Kind? {
    if symbol.isOfIntegers {
      guard [left, right].allSatisfy({ $0 == nil || $0 == .int || $0 == .unsigned }) else {
        throw fault(.invalidCondition, "\(symbol.symbol) takes integers: \(operand)")
      }
      return .int
    }
    guard let left, let right else { return nil }
    switch (left, right) {
    case (.date, .date) where symbol == .subtract: return .double
    case (.date, let other) where other.isNumber && (symbol == .add || symbol == .subtract),
      (let other, .date) where other.isNumber && symbol == .add:
      return .date
    case (.decimal, .double), (.double, .decimal):
      throw fault(
        .invalidCondition,
        "decimals and doubles cannot be mixed in arithmetic: \(operand)")
    case _ where left.isNumber && right.isNumber:
      if symbol == .power || left == .double || right == .double { return .double }
      return left == .decimal || right == .decimal ? .decimal : .int
    default: throw fault(.invalidCondition, "arithmetic is not defined for these types: \(operand)")
    }
  }
}

extension AttributeType.Kind {
  /// True if values of this kind are numbers, which compare among one another.
  package var isNumber: Bool {
    switch self {
    case .int, .unsigned, .double, .decimal: true
    default: false
    }
  }
}
