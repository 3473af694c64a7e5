internal import FoundationEssentials
internal import ORMStorage

extension PredicateExpressions.SequenceContains: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try .combining(try bridge.bridged(sequence), try bridge.bridged(element)) {
      sequence, element in
      switch sequence {
      case .operand(let text) where LHS.Output.self is any StringProtocol.Type:
        return .condition(.text(text, .contains, try element.operand(), []))
      case .constant(let text as String):
        return .condition(.text(.value(.string(text)), .contains, try element.operand(), []))
      case .operand, .constant:
        return .condition(.isIn(try element.operand(), list: try sequence.operand(), []))
      default:
        let equal = try BridgedElements.filtered(sequence) {
          try PredicateBridge.equality($0, element)
        }
        return .condition(try BridgedElements.exists(equal))
      }
    }
  }
}

extension PredicateBridge {
  /// Returns whether an element of a sequence satisfies a test, which may be negated.
  fileprivate func contains<Element>(
    _ sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
    _ test: some PredicateExpression, isNegated: Bool, isText: Bool, _ name: String
  ) throws -> Bridged {
    if isText { throw Self.refusal("\(name) of the characters of a text") }
    return try bridged(sequence).map { sequence in
      func condition(_ element: BridgedValue) throws -> Condition {
        var inner = self
        inner.bind(variable, to: element)
        let condition = try inner.test(test, of: name)
        return isNegated ? .negation(condition) : condition
      }
      var found = Condition.constant(false)
      if case .constant(let known as any Sequence) = sequence {
        var count = 0
        for element in known {
          count += 1
          guard count <= Self.elementLimit else {
            throw StoreError(.tooComplex, "\(name) of more than \(Self.elementLimit) values")
          }
          found = .or(found, try condition(.constant(element)))
        }
      } else {
        found = try BridgedElements.exists(
          try BridgedElements.filtered(sequence) { try condition($0) })
      }
      return .condition(isNegated ? .negation(found) : found)
    }
  }

  /// The maximum number of values for which a test is written out.
  private static let elementLimit = 1000
}

extension PredicateExpressions.SequenceContainsWhere: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.contains(
      sequence, variable, test, isNegated: false,
      isText: LHS.Output.self is any StringProtocol.Type,
      "SequenceContainsWhere")
  }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.contains(
      sequence, variable, test, isNegated: true, isText: LHS.Output.self is any StringProtocol.Type,
      "SequenceAllSatisfy")
  }
}

extension PredicateExpressions.Filter: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    if LHS.Output.self is any StringProtocol.Type {
      throw PredicateBridge.refusal("Filter of the characters of a text")
    }
    return try bridge.bridged(sequence).map { sequence in
      Bridged(
        try BridgedElements.filtered(sequence) { element in
          var inner = bridge
          inner.bind(variable, to: element)
          return try inner.test(filter, of: "Filter")
        })
    }
  }
}

extension PredicateExpressions.SequenceStartsWith: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type
    else { throw PredicateBridge.refusal("SequenceStartsWith of a value that is not a text") }
    return try .combining(try bridge.bridged(base), try bridge.bridged(prefix)) {
      .condition(.text(try $0.operand(), .beginsWith, try $1.operand(), []))
    }
  }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type
    else {
      throw PredicateBridge.refusal(
        "CollectionContainsCollection of a value that is not a text")
    }
    return try .combining(try bridge.bridged(base), try bridge.bridged(other)) {
      .condition(.text(try $0.operand(), .contains, try $1.operand(), []))
    }
  }
}

extension PredicateExpressions.SequenceMinimum: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(elements).map { elements in
      if case .constant(let known) = elements, let known = known as? Elements.Output {
        return Bridged(known.min().map { .constant($0) } ?? .nothing)
      }
      return Bridged(try elements.extreme(.minimum, Elements.Output.self))
    }
  }
}

extension PredicateExpressions.SequenceMaximum: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.bridged(elements).map { elements in
      if case .constant(let known) = elements, let known = known as? Elements.Output {
        return Bridged(known.max().map { .constant($0) } ?? .nothing)
      }
      return Bridged(try elements.extreme(.maximum, Elements.Output.self))
    }
  }
}

extension BridgedValue {
  /// The least or the greatest element.
  fileprivate func extreme(_ kind: Aggregate.Kind, _ type: Any.Type) throws -> BridgedValue {
    guard case .operand(let array) = self, !(type is any StringProtocol.Type) else {
      throw PredicateBridge.refusal("the minimum or maximum of a value that is not an array")
    }
    return .operand(.ofItems(kind, array, scope: 1, .constant(true)))
  }
}

// MARK: - Subscripts

extension PredicateExpressions.CollectionIndexSubscript: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    guard case .constant(let index as Int)? = try bridge.bridged(index).cases.first?.value else {
      throw PredicateBridge.refusal("CollectionIndexSubscript with an index that is not a constant")
    }
    return try bridge.bridged(wrapped).map { value in
      var result: Bridged
      switch value {
      case .operand(let array) where !(Wrapped.Output.self is any StringProtocol.Type):
        result = Bridged(.operand(.element(array, index)))
        result.needs =
          index < 0
          ? .constant(false)
          : .compare(.function(.count, array), .greater, .value(.int(Int64(index))), [])
      case .constant(let known as [Any]) where known.indices.contains(index):
        result = Bridged(.constant(known[index]))
      case .constant(_ as [Any]):
        result = Bridged(.nothing)
        result.needs = .constant(false)
      default:
        throw PredicateBridge.refusal("CollectionIndexSubscript of a value that is not an array")
      }
      return result
    }
  }
}

extension PredicateBridge {
  /// Translates the lookup of a name in a JSON attribute that is a dictionary.
  fileprivate func member(
    of wrapped: some PredicateExpression, at key: some PredicateExpression, as type: Any.Type
  ) throws -> Bridged {
    guard case .constant(let name as String)? = try bridged(key).cases.first?.value else {
      throw Self.refusal("a DictionaryKeySubscript with a key that is not a constant text")
    }
    let types: [Any.Type] = [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self,
      UInt32.self, Double.self, String.self,
    ]
    guard types.contains(where: { $0 == type }) else {
      throw Self.refusal("a DictionaryKeySubscript to a \(type)")
    }
    return try bridged(wrapped).map { value in
      switch value {
      case .operand(let json): Bridged(.operand(.json(json, [.key(name)])))
      case .constant(let known as [String: Any]):
        Bridged(known[name].map { .constant($0) } ?? .nothing)
      default: throw Self.refusal("a DictionaryKeySubscript of a value that is not a dictionary")
      }
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try bridge.member(of: wrapped, at: key, as: Value.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let other = try bridge.bridged(`default`)
    return try bridge.member(of: wrapped, at: key, as: Default.Output.self).map { value in
      if value.isNothing { return other }
      guard case .operand(let operand) = value else { return Bridged(value) }
      let isThere = Condition.exists(operand)
      let elsewhere = Condition.compare(operand, .equal, .value(.null), [])
      return try Bridged(
        cases: [.init(when: isThere, value: value)]
          + other.cases.map { .init(when: .and(elsewhere, $0.when), value: $0.value) },
        needs: .or(isThere, other.needs))
    }
  }
}
