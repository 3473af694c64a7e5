internal import ORMValues

// From two parts and an operator to a condition, checked.
extension FormatParser {
  func comparison(
    _ left: FormatExpression, _ comparison: FormatComparison, _ options: TextOptions,
    _ right: FormatExpression
  ) throws -> FormatExpression {
    let condition = try condition(left, comparison, right, options)
    // BETWEEN and keys of several attributes are an AND of comparisons.
    return try made(
      .condition(condition), left.range.lowerBound..<right.range.upperBound,
      over: max(left.depth, right.depth) + (comparison == .between ? 1 : 0))
  }

  func condition(
    _ left: FormatExpression, _ comparison: FormatComparison, _ right: FormatExpression,
    _ options: TextOptions
  ) throws -> Condition {
    switch comparison {
    case .order(let comparator): return try order(left, comparator, right, options)
    case .text(.contains) where isList(left):
      return try membership(of: right, in: left, options)
    case .text(let symbol): return try text(left, symbol, right, options)
    case .isIn:
      // A text is in a text that holds it.
      if isText(right) { return try text(right, .contains, left, options) }
      return try membership(of: left, in: right, options)
    case .between: return try range(left, right, options)
    }
  }

  private func isList(_ expression: FormatExpression) -> Bool {
    switch expression.form {
    case .collection, .list, .constant(.array, _), .slot(_, .array): true
    case .value(_, let type): type.isArray || type.kind == .json
    default: false
    }
  }

  private func isText(_ expression: FormatExpression) -> Bool {
    switch expression.form {
    case .value(_, let type): type.kind == .string
    case .constant(.string, _), .slot(_, .string): true
    default: false
    }
  }

  private func order(
    _ left: FormatExpression, _ comparator: Comparator, _ right: FormatExpression,
    _ options: TextOptions
  ) throws -> Condition {
    if isRow(left) || isRow(right) {
      guard comparator == .equal || comparator == .notEqual else {
        throw fault("objects can be compared only with == and !=", left)
      }
      guard options.isEmpty else { throw fault("the options [cdn] apply only to text", left) }
      return try rows(left, right, isEqual: comparator == .equal)
    }
    let (leftOperand, leftType, rightOperand, rightType) = try sides(left, right)
    if comparator != .equal, comparator != .notEqual {
      for (type, expression) in [(leftType, left), (rightType, right)]
      where type.isArray || type.kind == .json {
        throw fault("\(type.words) cannot be ordered: \(text(expression))", expression)
      }
    }
    try checkOptions(options, leftType, rightType, left)
    return .compare(leftOperand, comparator, rightOperand, options)
  }

  /// Both sides as values that can be compared.
  private func sides(
    _ left: FormatExpression, _ right: FormatExpression
  ) throws -> (Operand, FormatType, Operand, FormatType) {
    let (leftOperand, leftType) = try value(left, beside: type(of: right))
    let (rightOperand, rightType) = try value(right, beside: leftType)
    try checkComparable(leftType, rightType, left, right)
    return (leftOperand, leftType, rightOperand, rightType)
  }

  private func range(
    _ left: FormatExpression, _ right: FormatExpression, _ options: TextOptions
  ) throws -> Condition {
    var bounds: [FormatExpression] = []
    switch right.form {
    case .list(let items): bounds = items
    case .constant(.array(let elements), _):
      bounds = elements.map { FormatExpression(.constant($0, number: nil), right.range) }
    case .value(let list, let type) where type.isArray || type.kind == nil:
      bounds = [0, 1].map {
        FormatExpression(.value(.element(list, $0), type.elementType), right.range)
      }
    default: break
    }
    guard bounds.count == 2 else {
      throw fault("BETWEEN takes a list of two values, {lower, upper}", right)
    }
    return .all([
      try order(left, .greaterOrEqual, bounds[0], options),
      try order(left, .lessOrEqual, bounds[1], options),
    ])
  }

  private func text(
    _ left: FormatExpression, _ symbol: TextOperator, _ right: FormatExpression,
    _ options: TextOptions
  ) throws -> Condition {
    let operands = try [left, right].map { expression in
      let (operand, type) = try value(expression)
      guard type.isText else {
        let hint = type.isArray ? "; write ANY to compare its elements" : ""
        throw fault(
          "\(symbol.symbol) needs text; \(self.text(expression)) is \(type.words)\(hint)",
          expression)
      }
      return operand
    }
    if case .value(.string(let pattern)) = operands[1] {
      do {
        try symbol.checkPattern(pattern, options)
      } catch let error as StoreError {
        throw source.fault(
          error.message, at: right.range.lowerBound, code: error.code)
      }
    }
    slots?.notePattern(operands[1], symbol, options)
    return .text(operands[0], symbol, operands[1], options)
  }

  /// Returns whether a list or a to-many holds a value.
  private func membership(
    of element: FormatExpression, in list: FormatExpression, _ options: TextOptions
  ) throws -> Condition {
    if case .collection(let collection) = list.form {
      return try condition(
        .any, collection, .order(.equal), element, options, list.range)
    }
    guard isRow(element) else {
      let elementType = try type(of: element)
      let (listOperand, listType) = try value(list, beside: elementType.listed)
      guard listType.kind == nil || listType.isArray || listType.kind == .json else {
        throw fault("expected a list; \(text(list)) is \(listType.words)", list)
      }
      let (operand, type) = try value(element, beside: listType.elementType)
      try checkComparable(type, listType.elementType, element, list)
      try checkOptions(options, type, listType.elementType, element)
      return .isIn(operand, list: listOperand, options)
    }
    guard options.isEmpty else { throw fault("the options [cdn] apply only to text", element) }
    let (operand, type) = try onlyKey(of: element)
    let (listOperand, listType) = try value(list, beside: type.listed)
    guard listType.kind == nil || listType.isArray else {
      throw fault("expected a list; \(text(list)) is \(listType.words)", list)
    }
    try checkComparable(type, listType.elementType, element, list)
    return .isIn(operand, list: listOperand, [])
  }
}

// Rows, which compare by their keys.
extension FormatParser {
  private func isRow(_ expression: FormatExpression) -> Bool {
    switch expression.form {
    case .row, .toOne, .key: true
    default: false
    }
  }

  /// A row or a to-one as the one attribute of its key.
  private func onlyKey(
    of expression: FormatExpression
  ) throws -> (operand: Operand, type: FormatType) {
    switch expression.form {
    case .row(let entity, let scope):
      let key = try onlyKey(of: entity, at: expression.range.lowerBound)
      return (.path(Operand.Path([key.name], scope: scope)), FormatType(key.type))
    case .toOne(let path, let target):
      let key = try onlyKey(of: target, at: expression.range.lowerBound)
      return (.path(path), FormatType(key.type))
    case .key(let values, _) where values.count == 1:
      return (.value(values[0]), FormatType(of: values[0]))
    default: throw fault("expected a key of one attribute", expression)
    }
  }

  private func target(_ expression: FormatExpression) -> FormatEntity? {
    switch expression.form {
    case .row(let entity, _), .toOne(_, let entity): entity
    default: nil
    }
  }

  /// Returns whether two rows are one, or a row has a key.
  private func rows(
    _ left: FormatExpression, _ right: FormatExpression, isEqual: Bool
  ) throws -> Condition {
    guard let entity = target(left) else {
      guard target(right) != nil else {
        throw fault("an object can be compared only with a to-one or SELF", left)
      }
      return try rows(right, left, isEqual: isEqual)
    }
    let comparator: Comparator = isEqual ? .equal : .notEqual
    var values: [Operand] = []
    switch right.form {
    case .constant(.null, _):
      // That there is no target is asked of the to-one itself.
      if case .toOne(let path, _) = left.form {
        return .compare(.path(path), comparator, .value(.null), [])
      }
      let first = try keys(of: left, entity)
      return .compare(first.first ?? .value(.null), comparator, .value(.null), [])
    case .row(let other, _), .toOne(_, let other):
      guard other.name == entity.name else {
        throw fault("\(entity.name) and \(other.name) are never the same object", right)
      }
      values = try keys(of: right, other)
    case .key(let parts, let name):
      guard name ?? entity.name == entity.name, parts.count == entity.key.count else {
        throw fault("this is not a key of \(entity.name)", right)
      }
      values = parts.map { .value($0) }
      if parts.count == 1 {
        return .compare(try onlyKey(of: left).operand, comparator, values[0], [])
      }
    default:
      let (operand, type) = try onlyKey(of: left)
      let (value, valueType) = try value(right, beside: type)
      try checkComparable(type, valueType, left, right)
      return .compare(operand, comparator, value, [])
    }
    let parts = zip(try keys(of: left, entity), values).map {
      Condition.compare($0, values.count == 1 ? comparator : .equal, $1, [])
    }
    if parts.count == 1 { return parts[0] }
    return isEqual ? .all(parts) : .not(.all(parts))
  }

  /// The attributes of the key of a row or a to-one's target.
  private func keys(of expression: FormatExpression, _ entity: FormatEntity) throws -> [Operand] {
    let names = entity.key
    guard !names.isEmpty else {
      throw fault("\(entity.name) has no key attribute to name", expression)
    }
    return names.map { name in
      switch expression.form {
      case .toOne(let path, _): .path(Operand.Path(path.names + [name], scope: path.scope))
      case .row(_, let scope): .path(Operand.Path([name], scope: scope))
      default: .value(.null)
      }
    }
  }
}
