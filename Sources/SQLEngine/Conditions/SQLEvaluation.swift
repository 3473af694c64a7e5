package import ORMCore

/// What is left to core's evaluator, as a value: each becomes an ``SQLEvaluator`` when it is bound.
package enum SQLEvaluation: Hashable, Sendable {
  /// Whether a condition holds.
  case test(Condition)
  /// The value of an operand, as a column of this type keeps it.
  case value(Operand, StoredColumn)
  /// A value that orders as a sort term does; nil for nil.
  case order(Operand, TextOptions)
  /// The folded text of an operand.
  case folded(Operand)
  /// An aggregate over all rows.
  case aggregate(Aggregate)
  /// Nothing: it only remembers whether, and how often, it was asked.
  case tally
}

/// Names of attributes that a condition or operand reads.
struct AttributeNames {
  /// In the order in which they are met first.
  private(set) var names: [String] = []

  mutating func add(_ condition: Condition) {
    switch condition {
    case .constant, .invalid, .some, .exists: break
    case .not(let inner): add(inner)
    case .all(let conditions), .any(let conditions): for inner in conditions { add(inner) }
    case .compare(let left, _, let right, _):
      add(left)
      add(right)
    case .isIn(let element, let list, _):
      add(element)
      add(list)
    case .text(let text, _, let other, _):
      add(text)
      add(other)
    }
  }

  mutating func add(_ operand: Operand) {
    switch operand {
    case .value, .parameter, .parameterList, .invalid, .ofElements, .relatedAggregate,
      .relatedValue:
      break
    case .path(let path):
      if let name = path.names.first, !names.contains(name) { names.append(name) }
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      add(inner)
    case .arithmetic(_, let left, let right):
      add(left)
      add(right)
    }
  }
}
