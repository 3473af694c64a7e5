internal import ORMValues

// The parts behind a value: names, aggregates and positions.
extension FormatParser {
  /// Reads `.name`, `.@count` and `[0]` behind a value.
  mutating func postfix(_ first: FormatExpression) throws -> FormatExpression {
    var expression = first
    while true {
      switch token.kind {
      case .sign(.dot): try dot(&expression)
      case .sign(.openIndex) where !isAtOptions: try index(&expression)
      default: return expression
      }
      expression.range = first.range.lowerBound..<end
      expression.isGrouped = false
    }
  }

  private mutating func dot(_ expression: inout FormatExpression) throws {
    if case .value(let operand, let type) = expression.form, !isOpenPath(operand) {
      if isJSON(operand, type), !expression.isGrouped {
        return try steps(&expression, from: operand)
      }
      // A path into a value whose type is known only for each row.
      if type.kind == nil || type.kind == .json, expression.isGrouped || !operand.isVariable {
        return try steps(&expression, below: operand)
      }
    }
    try advance()
    let offset = token.range.lowerBound
    switch token.kind {
    case .name(let name, _), .key(let name):
      try advance()
      expression.form = try follow(name, from: expression.form, at: offset)
    case .collectionOperator(let name):
      try advance()
      try aggregate(name, &expression, at: offset)
    default: throw unexpected("a name")
    }
  }

  /// Follows a name from a form and returns the form that it leads to.
  mutating func follow(
    _ name: String, from form: FormatForm, at offset: Int
  ) throws -> FormatForm {
    switch form {
    case .row(let entity, let scope):
      return try member(name, of: entity, after: Operand.Path([], scope: scope), at: offset)
    case .toOne(let path, let target): return try member(name, of: target, after: path, at: offset)
    case .embedded(let path, let entity, isOptional: _):
      let container = Operand.Path(path.names.dropLast(), scope: path.scope)
      return try member(
        "\(path.names.last ?? "").\(name)", of: entity, after: container, at: offset)
    case .collection(var collection):
      if name.lowercased() == "self" { return form }
      let value = try follow(name, from: collection.value, at: offset)
      guard case .collection(let further) = value else {
        collection.value = value
        return .collection(collection)
      }
      return .collection(try flattened(collection, further, at: offset))
    case .value(let operand, let type):
      if type.kind == .string, name.lowercased() == "length" {
        return .value(.function(.length, operand), FormatType(.int64))
      }
      if type.kind == .array, name.lowercased() == "self" { return form }
      if isOpenPath(operand), case .path(let path) = operand {
        return try member(name, of: entity, after: path, at: offset)
      }
      throw source.fault(
        "\(type.words) has no \(name): only relationships and structs can be followed by a "
          + "dot", at: offset)
    case .constant, .slot, .text, .key, .list, .condition:
      throw source.fault("no name can follow here", at: offset)
    }
  }

  /// The elements of a collection of each element.
  private func flattened(
    _ collection: FormatCollection, _ further: FormatCollection, at offset: Int
  ) throws -> FormatCollection {
    guard case .related(let path) = collection.source, case .related(let next) = further.source,
      collection.condition == nil
    else {
      throw source.fault(
        "no to-many can follow a SUBQUERY; write the condition on it inside the "
          + "SUBQUERY", at: offset)
    }
    var flat = further
    flat.source = .related(Operand.Path(path.names + next.names, scope: path.scope))
    flat.isDistinct = collection.isDistinct
    guard path.names.count + next.names.count <= limits.depth else {
      throw source.fault(
        "the path is longer than \(limits.depth) names", at: offset, code: .tooComplex)
    }
    return flat
  }

  /// Returns whether a value is a path of an entity whose names are not known, which goes on with
  /// names.
  private func isOpenPath(_ operand: Operand) -> Bool {
    if case .unknown = entity, case .path = operand { true } else { false }
  }

  private func isJSON(_ operand: Operand, _ type: FormatType) -> Bool {
    if case .json = operand { return true }
    return type.kind == .json
  }

  /// The steps of a path into JSON, all of them.
  private mutating func steps(
    _ expression: inout FormatExpression, from operand: Operand
  ) throws {
    if case .json(let inner, let before) = operand {
      try steps(&expression, below: inner, after: before)
    } else {
      try steps(&expression, below: operand)
    }
  }

  private mutating func steps(
    _ expression: inout FormatExpression, below root: Operand, after before: [JSONStep] = []
  ) throws {
    var steps = before
    while true {
      if try take(.dot) {
        switch token.kind {
        case .name(let name, _), .key(let name): steps.append(.key(name))
        case .collectionOperator(let name):
          let offset = token.range.lowerBound
          try advance()
          expression.form = .value(steps.isEmpty ? root : .json(root, steps), .unknown)
          return try aggregate(name, &expression, at: offset)
        default: throw unexpected("a name")
        }
        try advance()
      } else if token.kind == .sign(.openIndex), !isAtOptions {
        try advance()
        switch try position() {
        case .index(let index): steps.append(.index(index))
        case .name(let name): steps.append(.key(name))
        case let end:
          let value: Operand = steps.isEmpty ? root : .json(root, steps)
          try expect(.closeIndex)
          expression.form = .value(
            .function(end == .last ? .last : .count, value),
            end == .last ? .unknown : FormatType(.int64))
          expression = try made(expression.form, expression.range, over: expression.depth)
          return
        }
        try expect(.closeIndex)
      } else {
        expression = try made(
          .value(.json(root, steps), .unknown), expression.range, over: expression.depth)
        return
      }
    }
  }

  private enum Position: Equatable {
    case index(Int)
    case name(String)
    case last, size
  }

  /// Parses the position in brackets behind a value, such as an index, a name or `LAST`.
  private mutating func position() throws -> Position {
    let isNegative = try take(.minus)
    let offset = token.range.lowerBound
    let position: Position
    switch token.kind {
    case .integer(let value):
      guard let index = Int(exactly: value) else {
        throw source.fault("the position does not fit 64 bits", at: offset)
      }
      position = .index(isNegative ? -index : index)
    case .string(let name) where !isNegative: position = .name(name)
    case .name(let name, _) where !isNegative && name.lowercased() == "first": position = .index(0)
    case .name(let name, _) where !isNegative && name.lowercased() == "last": position = .last
    case .name(let name, _) where !isNegative && name.lowercased() == "size": position = .size
    case .argument where !isNegative:
      switch try primary().form {
      case .constant(.int(let index), _): return .index(Int(index))
      case .constant(.string(let name), _): return .name(name)
      default: throw source.fault("expected a position or a name", at: offset)
      }
    default: throw unexpected("a position, FIRST, LAST or SIZE")
    }
    try advance()
    return position
  }

  /// Reads `[0]`, `[FIRST]`, `[LAST]` or `[SIZE]`.
  private mutating func index(_ expression: inout FormatExpression) throws {
    if case .value(let operand, let type) = expression.form, !expression.isGrouped,
      isJSON(operand, type)
    {
      return try steps(&expression, from: operand)
    }
    let offset = token.range.lowerBound
    try advance()
    let position = try position()
    try expect(.closeIndex)
    switch (expression.form, position) {
    case (.collection(let collection), .size):
      expression.form = try total(.count, of: collection, at: offset)
    case (.collection, _):
      throw source.fault(
        "a to-many cannot be indexed; only [SIZE], its count, is possible", at: offset)
    case (.value, .name), (.list, .name), (.constant, .name):
      throw source.fault("only JSON has named members", at: offset)
    case (.value, _), (.list, _), (.constant, _):
      let (operand, type) = try listed(expression)
      let form: FormatForm =
        switch position {
        case .index(let index): .value(.element(operand, index), type.elementType)
        case .last: .value(.function(.last, operand), type.elementType)
        default: .value(.function(.count, operand), FormatType(.int64))
        }
      expression = try made(form, expression.range, over: expression.depth)
    case (.row, _), (.toOne, _), (.embedded, _), (.key, _), (.condition, _), (.text, _), (.slot, _):
      throw source.fault("only lists can be indexed", at: offset)
    }
  }

  /// A part as a list.
  func listed(
    _ expression: FormatExpression
  ) throws -> (operand: Operand, type: FormatType) {
    let (operand, type) = try value(expression)
    guard type.isListLike else {
      throw fault("expected a list; \(text(expression)) is \(type.words)", expression)
    }
    return (operand, type)
  }
}

extension Operand {
  fileprivate var isVariable: Bool { if case .variable = self { true } else { false } }
}
