internal import FoundationEssentials
internal import ORMStorage

extension PredicateExpressions.Conjunction: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let left = try bridge.bridged(lhs)
    let right = try bridge.bridged(rhs)
    let first = try left.condition()
    // The right side is evaluated where the left one holds, and may throw only there.
    return try Bridged(
      cases: [.init(value: .condition(.and(first, try right.condition())))],
      needs: .and(left.needs, .or(.negation(first), right.needs)))
  }
}

extension PredicateExpressions.Disjunction: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let left = try bridge.bridged(lhs)
    let right = try bridge.bridged(rhs)
    let first = try left.condition()
    return try Bridged(
      cases: [.init(value: .condition(.or(first, try right.condition())))],
      needs: .and(left.needs, .or(first, right.needs)))
  }
}

extension PredicateExpressions.Negation: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let inner = try bridge.bridged(wrapped)
    return try Bridged(
      cases: [.init(value: .condition(.negation(try inner.condition())))], needs: inner.needs)
  }
}

extension PredicateExpressions.Equal: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try .combining(try bridge.bridged(lhs), try bridge.bridged(rhs)) {
      .condition(try PredicateBridge.equality($0, $1))
    }
  }
}

extension PredicateExpressions.NotEqual: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    try .combining(try bridge.bridged(lhs), try bridge.bridged(rhs)) {
      switch try PredicateBridge.equality($0, $1) {
      case .compare(let left, .equal, let right, let options):
        .condition(.compare(left, .notEqual, right, options))
      case let equality: .condition(.negation(equality))
      }
    }
  }
}

extension PredicateExpressions.Comparison: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let comparator: Comparator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw PredicateBridge.refusal("an unknown comparison")
      }
    return try .combining(try bridge.bridged(lhs), try bridge.bridged(rhs)) {
      .condition(try PredicateBridge.comparison($0, comparator, $1))
    }
  }
}

extension PredicateExpressions.Conditional: PredicateBridge.Expression {
  func bridged(_ bridge: PredicateBridge) throws -> Bridged {
    let test = try bridge.bridged(test)
    let yes = try bridge.bridged(trueBranch)
    let no = try bridge.bridged(falseBranch)
    let holds = try test.condition()
    func cases(_ branch: Bridged, when condition: Condition) -> [Bridged.Case] {
      branch.cases.map { .init(when: .and(condition, $0.when), value: $0.value) }
    }
    return try Bridged(
      cases: cases(yes, when: holds) + cases(no, when: .negation(holds)),
      needs: .and(
        test.needs,
        .and(.or(.negation(holds), yes.needs), .or(holds, no.needs))))
  }
}
