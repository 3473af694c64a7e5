internal import ORMValues

/// A condition that an attribute of a step's rows equals a given value, or one of given values.
///
/// A step's rows are tied to those before it by links, so the same holds for the attribute at the
/// other end of the link.
package struct LinkEquality {
  /// The attribute of the step's rows.
  package var attribute: String
  private let values: Values

  private enum Values {
    case one(Operand)
    case list(Operand)
  }

  /// Reads a part of the condition on a step's rows; nil if it says something else.
  package init?(_ condition: Condition, on step: RelatedRows.Step) {
    switch condition {
    case .compare(.path(let path), .equal, let value, []),
      .compare(let value, .equal, .path(let path), []):
      guard Self.isGiven(value), path.scope == step.scope, path.names.count == 1 else {
        return nil
      }
      attribute = path.names[0]
      values = .one(value)
    case .isIn(.path(let path), let list, []):
      guard Self.isGiven(list), path.scope == step.scope, path.names.count == 1 else { return nil }
      attribute = path.names[0]
      values = .list(list)
    default: return nil
    }
  }

  private static func isGiven(_ operand: Operand) -> Bool {
    switch operand {
    case .value, .parameter, .parameterList: true
    default: false
    }
  }

  /// The condition on the attribute of a step's rows.
  func condition(of step: RelatedRows.Step) -> Condition {
    let operand = Operand.path(.init([attribute], scope: step.scope))
    return switch values {
    case .one(let value): .compare(operand, .equal, value, [])
    case .list(let list): .isIn(operand, list: list, [])
    }
  }
}

extension RelatedRows {
  /// Returns whether a condition on the last step's rows leaves one of the links that lead to them.
  package func isPinned(by condition: Condition) -> Bool {
    guard let last = steps.last else { return false }
    return condition.parts.contains { part in
      guard let equality = LinkEquality(part, on: last) else { return false }
      return last.links.contains { $0.attribute == equality.attribute }
    }
  }
}
