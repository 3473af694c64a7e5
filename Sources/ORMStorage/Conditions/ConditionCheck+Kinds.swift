package import ORMValues

extension ConditionCheck {
  /// The kind of the elements of a list that was checked right before.
  ///
  /// Lists inside lists are not checked again for it: at each level that would double the work.
  func elementKindOfList(_ list: Operand) -> AttributeType.Kind? {
    switch list {
    case .value(.array(let elements)): return elements.first { !$0.isNull }?.kind
    case .parameterList(_, let kind, capacity: _): return kind
    case .list: return lastListKind
    case .path(let path):
      guard case .array(let element) = column(of: path)?.type else { return nil }
      return element.kind
    case .relatedValue(let inner, let rows):
      var inside = self
      return try? inside.withRows(rows) { check, _ in check.elementKindOfList(inner) }
    default: return nil
    }
  }

  func checkComparable(
    _ left: AttributeType.Kind?, _ right: AttributeType.Kind?, _ condition: Condition
  ) throws {
    guard let left, let right, left != right else { return }
    guard left.isNumber && right.isNumber else {
      throw fault(
        .invalidCondition,
        "\(left.rawValue) and \(right.rawValue) cannot be compared: \(condition)")
    }
  }

  func checkOrdered(_ kind: AttributeType.Kind?, _ condition: Condition) throws {
    if kind == .array || kind == .json {
      throw fault(.invalidCondition, "\(kind?.rawValue ?? "") cannot be ordered: \(condition)")
    }
  }

  func checkOptions(
    _ options: TextOptions, _ kind: AttributeType.Kind?, _ condition: Condition
  ) throws {
    guard !options.isEmpty, let kind, kind != .string else { return }
    throw fault(.invalidCondition, "the options [cdn] apply only to text: \(condition)")
  }

  /// A text beside a normalized attribute in the attribute's form.
  func normalize(_ operand: Operand, beside other: Operand) -> Operand {
    guard operand.isLiteral, case .path(let path) = other, column(of: path)?.isNormalized == true
    else { return operand }
    switch operand {
    case .value(let value): return .value(value.normalizedNFC)
    case .parameter(let slot, .string):
      return .parameter(NumberedLiteral(slot: slot)?.normalized.slot ?? slot, .string)
    case .parameterList(let slot, .string, let capacity):
      let literal = NumberedLiteral(slot: slot)
      return .parameterList(literal?.normalized.slot ?? slot, .string, capacity: capacity)
    default: return operand
    }
  }
}

extension StoredValue {
  /// The value with its text, or the texts among its elements, in NFC.
  package var normalizedNFC: StoredValue {
    switch self {
    case .string(let text): .string(TextFolding.normalizeNFC(text))
    case .array(let elements):
      .array(
        elements.map { element in
          guard case .string(let text) = element else { return element }
          return .string(TextFolding.normalizeNFC(text))
        })
    default: self
    }
  }
}

extension ConditionCheck {
  /// Reads the pattern of a MATCHES, which is therefore a value and no attribute; measures that of
  /// a LIKE.
  package func checkPattern(
    _ pattern: Operand, _ symbol: TextOperator, _ options: TextOptions
  ) throws {
    switch pattern {
    case .value(.string(let pattern)):
      do {
        try symbol.checkPattern(pattern, options)
      } catch let error as StoreError {
        throw error.filling(entity: entity.modelName)
      }
    case .value(.null): return
    case _ where symbol == .like: return
    default: throw fault(.invalidCondition, "the pattern of MATCHES must be a text, not \(pattern)")
    }
  }
}

extension ConditionLimits {
  fileprivate static var none: ConditionLimits {
    var limits = ConditionLimits()
    limits.depth = .max
    limits.listItems = .max
    return limits
  }
}

extension StoredEntity {
  /// Returns the kind of value that an operand of the request's own row gives.
  ///
  /// The result is nil if the kind is known only for each row (JSON, nil).
  package func kind(
    of operand: Operand, schema: StoredSchema? = nil
  ) throws -> AttributeType.Kind? {
    var check = ConditionCheck(entity: self, schema: schema, limits: .none)
    check.allowsExternal = true
    return try check.check(operand, depth: 1).kind
  }
}
