internal import ORMValues

// Parts as values: their types are settled beside the other operand of a comparison or an operator.
extension FormatParser {
  /// Returns the type of a part, as far as it is known before the part is settled.
  func type(of expression: FormatExpression) throws -> FormatType {
    switch expression.form {
    case .value(_, let type): return type
    case .embedded: return FormatType(.bool)
    case .constant(let value, _), .slot(_, let value): return FormatType(of: value)
    case .list(let items):
      for item in items {
        let type = try type(of: item)
        if type.kind != nil { return type.listed }
      }
      return FormatType(kind: .array)
    case .row(let entity, _), .toOne(_, let entity):
      return entity.onlyKey.map { FormatType($0.type) } ?? .unknown
    case .text, .key, .condition, .collection: return .unknown
    }
  }

  /// A part as a value, read beside a type.
  func value(
    _ expression: FormatExpression, beside type: FormatType = .unknown
  ) throws -> (operand: Operand, type: FormatType) {
    switch expression.form {
    case .value(let operand, let type): return (operand, type)
    case .embedded(let path, _, let isOptional):
      guard isOptional else {
        throw fault(
          "\(text(expression)) is a struct that is never nil; name one of its attributes",
          expression)
      }
      return (.path(path), FormatType(.bool))
    case .constant(let value, let number):
      guard let value = FormatCoercion.value(value, number: number, beside: type) else {
        throw fault("\(text(expression)) does not read as \(type.words)", expression)
      }
      return (.value(value), FormatType(of: value))
    case .slot(let name, let value):
      guard let slots, let value = FormatCoercion.value(value, beside: type) else {
        throw FormatSlots.Unsuitable()
      }
      let read = FormatType(of: value)
      return (slots.add(FormatSlot(name: name, other: type, type: read)), read)
    case .text(let text):
      guard let value = FormatText.value(text, beside: type) else {
        throw fault(
          "the text given for \(self.text(expression)) does not read as \(type.words)",
          expression)
      }
      return (.value(value), FormatType(of: value))
    case .list(let items): return try list(items, beside: type)
    case .condition:
      throw fault("expected a value; \(text(expression)) is a condition", expression)
    case .collection:
      throw fault(
        "\(text(expression)) is a to-many: write ANY, ALL or NONE before it, or an aggregate "
          + "such as @count", expression)
    case .row, .toOne, .key:
      throw fault(
        "\(text(expression)) is an object, which can be compared only with objects, keys and "
          + "nil", expression)
    }
  }

  /// A list; of constants alone it is an array.
  private func list(
    _ items: [FormatExpression], beside type: FormatType
  ) throws -> (operand: Operand, type: FormatType) {
    var wanted = type.elementType
    var operands: [Operand] = []
    operands.reserveCapacity(items.count)
    var first: (FormatType, FormatExpression)?
    for item in items {
      let (operand, itemType) = try value(item, beside: wanted)
      if let first {
        try checkComparable(first.0, itemType, first.1, item)
      } else if itemType.kind != nil {
        first = (itemType, item)
        if wanted.kind == nil { wanted = itemType }
      }
      operands.append(operand)
    }
    let values = operands.compactMap { if case .value(let value) = $0 { value } else { nil } }
    let element = first?.0 ?? .unknown
    // With their values, these may be an array.
    if slots != nil, operands.contains(where: FormatSlots.isSlot) { throw FormatSlots.Unsuitable() }
    guard values.count == operands.count else { return (.list(operands), element.listed) }
    return (.value(.array(values)), element.listed)
  }

  func checkComparable(
    _ left: FormatType, _ right: FormatType, _ leftPart: FormatExpression,
    _ rightPart: FormatExpression
  ) throws {
    guard !left.isComparable(with: right) else { return }
    let hint = left.isArray || right.isArray ? "; write ANY to compare the elements of a list" : ""
    throw fault(
      "\(text(leftPart)) is \(left.words) and \(text(rightPart)) is \(right.words), which cannot "
        + "be compared\(hint)", rightPart)
  }

  func checkOptions(
    _ options: TextOptions, _ left: FormatType, _ right: FormatType, _ expression: FormatExpression
  ) throws {
    guard !options.isEmpty else { return }
    guard left.isText, right.isText else {
      throw fault("the options \(options) apply only to text", expression)
    }
  }

  /// Arithmetic, its constants in the kind of the other side.
  func arithmetic(
    _ symbol: ArithmeticOperator, _ left: FormatExpression, _ right: FormatExpression
  ) throws -> FormatExpression {
    let leftType = try type(of: left)
    let (leftOperand, leftKind) = try value(
      left, beside: Self.besides(try type(of: right), symbol, isRight: false))
    let (rightOperand, rightKind) = try value(
      right, beside: Self.besides(leftType, symbol, isRight: true))
    let range = left.range.lowerBound..<right.range.upperBound
    guard let type = Self.result(symbol, leftKind, rightKind) else {
      throw source.fault(
        "\(text(left)) is \(leftKind.words) and \(text(right)) is \(rightKind.words): "
          + "\(symbol.symbol) cannot be applied to them", at: range.lowerBound)
    }
    return try made(
      .value(.arithmetic(symbol, leftOperand, rightOperand), type), range,
      over: max(left.depth, right.depth))
  }

  /// The type in which a constant is read beside a value in arithmetic.
  private static func besides(
    _ type: FormatType, _ symbol: ArithmeticOperator, isRight: Bool
  ) -> FormatType {
    if symbol == .power { return FormatType(.double) }
    if symbol.isOfIntegers { return .unknown }
    switch type.kind {
    // Seconds are doubles.
    case .date: return FormatType(.double)
    case .double: return FormatType(.double)
    case .decimal: return FormatType(.decimal)
    default: return .unknown
    }
  }

  /// The type of a result; nil where the operator has no meaning.
  private static func result(
    _ symbol: ArithmeticOperator, _ left: FormatType, _ right: FormatType
  ) -> FormatType? {
    if symbol.isOfIntegers {
      return left.isInteger && right.isInteger ? FormatType(.int64) : nil
    }
    guard let leftKind = left.kind, let rightKind = right.kind else {
      let known = left.kind ?? right.kind
      guard known?.isNumber ?? true || known == .date else { return nil }
      return .unknown
    }
    switch (leftKind, rightKind) {
    case (.date, .date) where symbol == .subtract: return FormatType(.double)
    case (.date, let other) where other.isNumber && (symbol == .add || symbol == .subtract):
      return FormatType(.date)
    case (let other, .date) where other.isNumber && symbol == .add: return FormatType(.date)
    case (.decimal, .double), (.double, .decimal): return nil
    case _ where leftKind.isNumber && rightKind.isNumber:
      if symbol == .power {
        return leftKind == .decimal || rightKind == .decimal ? nil : FormatType(.double)
      }
      if leftKind == .double || rightKind == .double { return FormatType(.double) }
      return FormatType(leftKind == .decimal || rightKind == .decimal ? .decimal : .int64)
    default: return nil
    }
  }
}
