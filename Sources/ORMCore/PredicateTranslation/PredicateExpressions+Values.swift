internal import FoundationEssentials
internal import ORMStorage

extension PredicateExpressions.Value: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged { Bridged(.constant(value)) }
}

extension PredicateExpressions.Variable: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged { try bridge.value(of: key) }
}

extension PredicateExpressions.KeyPath: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(root).map { value in
      if case .constant(let known) = value, let known = known as? Root.Output {
        return Bridged(.constant(known[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]))
      }
      return Bridged(try member(of: value))
    }
  }

  private func member(of value: BridgedValue) throws -> BridgedValue {
    let path = keyPath as AnyKeyPath
    switch value {
    case .row(let row): return LinkTranslation.property(keyPath, of: row)
    case .link(let row): return try LinkTranslation.member(path, of: row)
    case .links(let row): return try LinkTranslation.members(path, of: row)
    case .fieldPath(let fieldPath): return part(of: fieldPath)
    case .rows, .items: return try elementsMember(of: value)
    case .scalars(let text):
      guard path == \String.UnicodeScalarView.count else { throw refusal }
      return .operand(.function(.length, text))
    case .operand(let operand):
      if Root.Output.self is any StringProtocol.Type { return try textMember(of: operand, path) }
      if kind != nil { return try arrayMember(of: operand) }
      throw refusal
    case .condition, .constant, .range: throw refusal
    }
  }

  private func part(of fieldPath: FieldPath) -> BridgedValue {
    guard let part = fieldPath.part(keyPath) else { return .fieldPath(fieldPath) }
    if part.embedded != nil { return .fieldPath(part) }
    if case .invalid = part.operand { return .fieldPath(part) }
    return .operand(part.operand)
  }

  private func textMember(of text: Operand, _ path: AnyKeyPath) throws -> BridgedValue {
    switch kind {
    case .collectionIsEmpty:
      return .condition(.compare(text, .equal, .value(.string("")), []))
    case .collectionCount:
      throw PredicateBridge.refusal(
        "count of a text, which counts characters; unicodeScalars.count")
    default:
      guard path == \String.unicodeScalars else { throw refusal }
      return .scalars(text)
    }
  }

  private func arrayMember(of array: Operand) throws -> BridgedValue {
    switch kind {
    case .collectionCount: return .operand(.function(.count, array))
    case .collectionIsEmpty:
      return .condition(.compare(.function(.count, array), .equal, .value(.int(0)), []))
    case .collectionFirst: return .operand(.element(array, 0))
    case .bidirectionalCollectionLast: return .operand(.function(.last, array))
    default: throw refusal
    }
  }

  private func elementsMember(of elements: BridgedValue) throws -> BridgedValue {
    switch kind {
    case .collectionCount: return .operand(try BridgedElements.count(elements))
    case .collectionIsEmpty: return .condition(.not(try BridgedElements.exists(elements)))
    default: throw refusal
    }
  }

  private var refusal: StoreError {
    PredicateBridge.refusal(
      "a KeyPath to a property of \(PredicateBridge.name(of: Root.Output.self))")
  }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    guard case .constant(let value)? = try bridge.bridged(expression).cases.first?.value,
      let called = value as? Transformation.Output
    else { throw PredicateBridge.refusal("the result of an expression") }
    var inner = bridge
    for (variable, argument) in repeat (each called.variable, each input) {
      inner.bind(variable, to: try bridge.bridged(argument))
    }
    return try inner.bridged(called.expression)
  }
}

// MARK: - Optionals

extension PredicateExpressions.NilLiteral: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged { Bridged(.nothing) }
}

extension PredicateExpressions.NilCoalesce: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let other = try bridge.bridged(rhs)
    return try bridge.bridged(lhs).map { value in
      if value.isNothing { return other }
      switch value {
      case .operand(let operand):
        let isThere = Condition.exists(operand)
        let elsewhere = Condition.compare(operand, .equal, .value(.null), [])
        return try Bridged(
          cases: [.init(when: isThere, value: value)]
            + other.cases.map { .init(when: .and(elsewhere, $0.when), value: $0.value) },
          needs: .or(isThere, other.needs))
      // Links count as loaded.
      case .constant, .condition, .rows, .items: return Bridged(value)
      default: throw PredicateBridge.refusal("?? of an object")
      }
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(wrapped).map { value in
      if value.isNothing { return Bridged(.nothing) }
      var inner = bridge
      inner.bind(variable, to: value)
      let result = try inner.bridged(transform)
      let source: Operand
      switch value {
      case .operand(let operand): source = operand
      case .row(let row): source = row.linkPath.operand
      case .fieldPath(let fieldPath) where fieldPath.embedded != nil: source = fieldPath.operand
      // Links count as loaded, and constants here are not nil.
      default: return result
      }
      if result.cases.count == 1, result.needs == .constant(true),
        result.cases[0].value.isNil(where: source)
      {
        return result
      }
      let isThere = Condition.exists(source)
      return try Bridged(
        cases: result.cases.map { .init(when: .and(isThere, $0.when), value: $0.value) }
          + [.init(when: .compare(source, .equal, .value(.null), []), value: .nothing)],
        needs: .or(.negation(isThere), result.needs))
    }
  }
}

extension BridgedValue {
  /// Returns whether it is nil wherever another value is.
  fileprivate func isNil(where source: Operand) -> Bool {
    guard case .operand(let operand) = self else { return false }
    return operand.isNil(where: source)
  }
}

extension Operand {
  fileprivate func isNil(where source: Operand) -> Bool {
    if self == source { return true }
    switch self {
    case .path(let path):
      // Values beyond a to-one are nil where it has no target.
      guard case .path(let link) = source, link.scope == path.scope else { return false }
      return path.names.starts(with: link.names)
        || path.names.dropLast() == link.names.dropLast()
          && (path.names.last ?? "").lies(in: link.names.last ?? "")
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      return inner.isNil(where: source)
    case .arithmetic(_, let left, let right):
      return left.isNil(where: source) || right.isNil(where: source)
    default: return false
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(inner).map { try $0.unwrapped() }
  }
}

extension BridgedValue {
  /// It where it is not nil; the evaluation of nil throws.
  fileprivate func unwrapped() throws -> Bridged {
    var result = Bridged(self)
    switch self {
    case _ where isNothing: result.needs = .constant(false)
    case .operand(let operand): result.needs = .exists(operand)
    case .row(let row): result.needs = .exists(row.linkPath.operand)
    case .fieldPath(let fieldPath) where fieldPath.embedded?.isOptional == true:
      result.needs = .exists(fieldPath.operand)
    default: break
    }
    return result
  }
}

// MARK: - Types

extension PredicateExpressions.TypeCheck: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    if Input.Output.self == Desired.self || Optional<Input.Output>.self == Desired.self {
      return .condition(.constant(true))
    }
    guard Input.Output.self == Optional<Desired>.self else {
      throw PredicateBridge.refusal("TypeCheck of a \(Input.Output.self) as a \(Desired.self)")
    }
    return try bridge.bridged(input).map { value in
      .condition(value.isNothing ? .constant(false) : .exists(try value.operand()))
    }
  }
}

extension PredicateExpressions.ConditionalCast: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    guard Input.Output.self == Desired.self || Input.Output.self == Optional<Desired>.self
    else {
      throw PredicateBridge.refusal(
        "ConditionalCast of a \(Input.Output.self) to a \(Desired.self)")
    }
    return try bridge.bridged(input)
  }
}

extension PredicateExpressions.ForceCast: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let input = try bridge.bridged(input)
    if Input.Output.self == Desired.self || Optional<Input.Output>.self == Desired.self {
      return input
    }
    guard Input.Output.self == Optional<Desired>.self else {
      throw PredicateBridge.refusal("ForceCast of a \(Input.Output.self) to a \(Desired.self)")
    }
    return try input.map { try $0.unwrapped() }
  }
}
