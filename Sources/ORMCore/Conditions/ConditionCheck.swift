/// Checks requests against an entity before any store is asked: names exist, kinds fit, limits
/// hold; and brings texts beside a normalized attribute into its form.
package struct ConditionCheck {
  private let entity: StoredEntity
  private let limits: ConditionLimits
  private var listItems = 0

  /// Checks against one entity, inside these limits.
  package init(entity: StoredEntity, limits: ConditionLimits) {
    self.entity = entity
    self.limits = limits
  }

  /// The condition, its values brought into the form of the attributes beside them.
  ///
  /// - Throws: `unknownAttribute`, `invalidCondition`, `tooComplex`, or the error that a condition
  ///   which could not be made carries.
  package mutating func checked(_ condition: Condition) throws -> Condition {
    try check(condition, depth: 1)
  }

  /// The operand of an aggregate or an assignment.
  package mutating func checked(_ operand: Operand) throws -> Operand {
    _ = try kind(of: operand, depth: 1)
    return operand
  }

  /// A key of an order: what it sorts by has one, and its options fit.
  package mutating func checked(_ term: SortTerm) throws -> SortTerm {
    let kind = try kind(of: term.operand, depth: 1)
    if kind == .array || kind == .json {
      throw fault(.invalidCondition, "\(kind?.rawValue ?? "") has no order: \(term)")
    }
    if !term.options.isEmpty, let kind, kind != .string {
      throw fault(.invalidCondition, "[cdn] concern text alone: \(term)")
    }
    return term
  }

  /// Checks an aggregate: there is something to aggregate, and its kind fits.
  package mutating func check(_ aggregate: Aggregate) throws {
    guard let operand = aggregate.operand else {
      guard aggregate.kind == .count else {
        throw fault(.invalidCondition, "only a count can do without an attribute")
      }
      return
    }
    let kind = try kind(of: operand, depth: 1)
    let fits =
      switch aggregate.kind {
      case .count, .countDistinct: true
      case .sum, .average: kind?.isNumber ?? true
      case .minimum, .maximum: kind != .array && kind != .json
      }
    guard fits else {
      throw fault(
        .invalidCondition, "\(aggregate.kind.rawValue) does not fit \(operand)")
    }
  }

  private mutating func check(_ condition: Condition, depth: Int) throws -> Condition {
    guard depth <= limits.depth else {
      throw fault(.tooComplex, "the condition nests deeper than \(limits.depth)")
    }
    switch condition {
    case .constant: return condition
    case .invalid(let error): throw error.filling(entity: entity.modelName)
    case .not(let inner): return .not(try check(inner, depth: depth + 1))
    case .all(let parts): return .all(try check(parts, depth: depth + 1))
    case .any(let parts): return .any(try check(parts, depth: depth + 1))
    case .compare(let left, let comparator, let right, let options):
      let leftKind = try kind(of: left, depth: depth + 1)
      let rightKind = try kind(of: right, depth: depth + 1)
      try checkComparable(leftKind, rightKind, condition)
      if comparator != .equal, comparator != .notEqual {
        try checkOrdered(leftKind ?? rightKind, condition)
      }
      try checkOptions(options, leftKind ?? rightKind, condition)
      return .compare(
        normalize(left, beside: right), comparator, normalize(right, beside: left), options)
    case .isIn(let element, let list, let options):
      let elementKind = try kind(of: element, depth: depth + 1)
      guard let listKind = try kind(of: list, depth: depth + 1) else { return condition }
      guard listKind == .array else {
        throw fault(.invalidCondition, "the right side of IN is no list: \(condition)")
      }
      try checkComparable(elementKind, elementKindOfList(list), condition)
      try checkOptions(options, elementKind, condition)
      return .isIn(element, list: normalize(list, beside: element), options)
    case .text(let text, let symbol, let other, let options):
      for operand in [text, other] {
        let operandKind = try kind(of: operand, depth: depth + 1)
        guard operandKind == nil || operandKind == .string else {
          throw fault(.invalidCondition, "a text operator needs text: \(condition)")
        }
      }
      return .text(
        normalize(text, beside: other), symbol, normalize(other, beside: text), options)
    case .some, .exists:
      throw fault(.invalidCondition, "a condition on related objects: \(condition)")
    }
  }

  private mutating func check(_ parts: [Condition], depth: Int) throws -> [Condition] {
    var checked: [Condition] = []
    checked.reserveCapacity(parts.count)
    for part in parts { checked.append(try check(part, depth: depth)) }
    return checked
  }

  /// What kind of value an operand gives; nil where that is known only for each row (JSON, nil).
  fileprivate mutating func kind(of operand: Operand, depth: Int) throws -> AttributeType.Kind? {
    guard depth <= limits.depth else {
      throw fault(.tooComplex, "the condition nests deeper than \(limits.depth)")
    }
    switch operand {
    case .value(let value):
      if case .array(let elements) = value {
        listItems += elements.count
        guard listItems <= limits.listItems else {
          throw fault(.tooComplex, "the condition lists more than \(limits.listItems) values")
        }
      }
      return value.kind
    case .invalid(let error): throw error.filling(entity: entity.modelName)
    case .parameter(_, let kind): return kind
    case .parameterList: return .array
    case .path(let path): return entity.columns[try entity.column(of: path)].type.kind
    case .json(let inner, _):
      let innerKind = try kind(of: inner, depth: depth + 1)
      guard innerKind == nil || innerKind == .json else {
        throw fault(.invalidCondition, "only JSON has paths: \(operand)")
      }
      return nil
    case .element(let inner, _):
      let innerKind = try kind(of: inner, depth: depth + 1)
      guard innerKind == nil || innerKind == .array else {
        throw fault(.invalidCondition, "only arrays have elements: \(operand)")
      }
      return elementKindOfList(inner)
    case .arithmetic(let symbol, let left, let right):
      return try arithmeticKind(
        operand, symbol, try kind(of: left, depth: depth + 1),
        try kind(of: right, depth: depth + 1))
    case .negated(let inner):
      let innerKind = try kind(of: inner, depth: depth + 1)
      guard innerKind?.isNumber ?? true else {
        throw fault(.invalidCondition, "only numbers can be negated: \(operand)")
      }
      return innerKind
    case .function(let function, let inner):
      let innerKind = try kind(of: inner, depth: depth + 1)
      let fits =
        switch function {
        case .length, .uppercase, .lowercase: innerKind == nil || innerKind == .string
        case .abs, .ceiling, .floor, .trunc: innerKind?.isNumber ?? true
        case .count: innerKind == nil || innerKind == .array
        }
      guard fits else {
        throw fault(.invalidCondition, "the function does not fit its argument: \(operand)")
      }
      switch function {
      case .length, .count: return .int
      case .uppercase, .lowercase: return .string
      case .abs, .ceiling, .floor, .trunc: return innerKind
      }
    case .ofElements, .relatedAggregate, .relatedValue:
      throw fault(.invalidCondition, "a value of related objects: \(operand)")
    }
  }

  private func arithmeticKind(
    _ operand: Operand, _ symbol: ArithmeticOperator, _ left: AttributeType.Kind?,
    _ right: AttributeType.Kind?
  ) throws -> AttributeType.Kind? {
    guard let left, let right else { return nil }
    switch (left, right) {
    case (.date, .date) where symbol == .subtract: return .double
    case (.date, let other) where other.isNumber && (symbol == .add || symbol == .subtract),
      (let other, .date) where other.isNumber && symbol == .add:
      return .date
    case (.decimal, .double), (.double, .decimal):
      throw fault(.invalidCondition, "decimals and doubles do not mix in arithmetic: \(operand)")
    case _ where left.isNumber && right.isNumber:
      if symbol == .power || left == .double || right == .double { return .double }
      return left == .decimal || right == .decimal ? .decimal : .int
    default: throw fault(.invalidCondition, "this arithmetic has no meaning: \(operand)")
    }
  }

  private func elementKindOfList(_ list: Operand) -> AttributeType.Kind? {
    switch list {
    case .value(.array(let elements)): return elements.first { !$0.isNull }?.kind
    case .parameterList(_, let kind, capacity: _): return kind
    case .path(let path):
      guard let column = try? entity.column(of: path),
        case .array(let element) = entity.columns[column].type
      else { return nil }
      return element.kind
    default: return nil
    }
  }

  private func checkComparable(
    _ left: AttributeType.Kind?, _ right: AttributeType.Kind?, _ condition: Condition
  ) throws {
    guard let left, let right, left != right else { return }
    guard left.isNumber && right.isNumber else {
      throw fault(
        .invalidCondition,
        "\(left.rawValue) and \(right.rawValue) cannot be compared: \(condition)")
    }
  }

  private func checkOrdered(_ kind: AttributeType.Kind?, _ condition: Condition) throws {
    if kind == .array || kind == .json {
      throw fault(.invalidCondition, "\(kind?.rawValue ?? "") has no order: \(condition)")
    }
  }

  private func checkOptions(
    _ options: TextOptions, _ kind: AttributeType.Kind?, _ condition: Condition
  ) throws {
    guard !options.isEmpty, let kind, kind != .string else { return }
    throw fault(.invalidCondition, "[cdn] concern text alone: \(condition)")
  }

  /// A text beside a normalized attribute in the attribute's form.
  private func normalize(_ operand: Operand, beside other: Operand) -> Operand {
    guard case .path(let path) = other, let column = try? entity.column(of: path),
      entity.columns[column].isNormalized, case .value(let value) = operand
    else { return operand }
    switch value {
    case .string(let text): return .value(.string(TextFolding.normalizeNFC(text)))
    case .array(let elements):
      return .value(
        .array(
          elements.map { element in
            guard case .string(let text) = element else { return element }
            return .string(TextFolding.normalizeNFC(text))
          }))
    default: return operand
    }
  }

  private func fault(_ code: StoreError.Code, _ message: String) -> StoreError {
    StoreError(code, message, entity: entity.modelName)
  }
}

extension AttributeType.Kind {
  /// Whether values of this kind are numbers, which compare among one another.
  package var isNumber: Bool {
    switch self {
    case .int, .unsigned, .double, .decimal: true
    default: false
    }
  }
}

extension StoredEntity {
  /// What kind of value an operand gives; nil where that is known only for each row (JSON, nil).
  package func kind(of operand: Operand) throws -> AttributeType.Kind? {
    var limits = ConditionLimits()
    limits.depth = .max
    limits.listItems = .max
    var check = ConditionCheck(entity: self, limits: limits)
    return try check.kind(of: operand, depth: 1)
  }
}
