internal import ORMValues

extension Condition {
  /// The number of levels of the condition, counted to a limit, level by level: without recursion.
  package func depth(upTo limit: Int) -> Int {
    var level = [ConditionPart.condition(self)]
    var depth = 0
    while !level.isEmpty, depth < limit {
      depth += 1
      var next: [ConditionPart] = []
      for part in level { part.addParts(to: &next) }
      level = next
    }
    return depth
  }
}

/// A condition or an operand, as a part of another.
private enum ConditionPart {
  case condition(Condition)
  case operand(Operand)
  /// The rest of a path, each of whose steps is a level.
  case names(Int)

  /// Adds the parts that nest further; constants and names do not.
  func addParts(to parts: inout [ConditionPart]) {
    func add(_ operands: Operand?...) {
      for case let operand? in operands {
        switch operand {
        case .path(let path) where path.names.count > 2: parts.append(.names(path.names.count - 2))
        case .value, .parameter, .parameterList, .path, .item, .variable, .now, .output, .invalid:
          break
        default: parts.append(.operand(operand))
        }
      }
    }
    switch self {
    case .condition(.constant), .condition(.invalid): break
    case .names(let count): if count > 1 { parts.append(.names(count - 1)) }
    case .condition(.not(let inner)): parts.append(.condition(inner))
    case .condition(.some(let elements, let inner)):
      parts.append(.condition(inner))
      parts.append(.names(elements.path.names.count))
    case .condition(.exists(let rows, let inner)):
      parts.append(.condition(inner))
      parts.append(.names(rows.steps.count))
    case .condition(.all(let inner)), .condition(.any(let inner)):
      parts += inner.map { .condition($0) }
    case .condition(.compare(let left, _, let right, _)),
      .condition(.isIn(let left, let right, _)), .condition(.text(let left, _, let right, _)):
      add(left, right)
    case .condition(.someItem(let array, _, let inner)):
      add(array)
      parts.append(.condition(inner))
    case .operand(.json(let inner, _)), .operand(.element(let inner, _)),
      .operand(.negated(let inner)), .operand(.function(_, let inner)),
      .operand(.relatedValue(let inner, _)):
      add(inner)
    case .operand(.arithmetic(_, let left, let right)): add(left, right)
    case .operand(.choice(let condition, let left, let right)):
      add(left, right)
      parts.append(.condition(condition))
    case .operand(.list(let inner)): for part in inner { add(part) }
    case .operand(.ofElements(_, let inner, let elements, let condition)):
      add(inner)
      parts.append(.condition(condition))
      parts.append(.names(elements.path.names.count))
    case .operand(.relatedAggregate(_, let inner, let rows, let condition)):
      add(inner)
      parts.append(.condition(condition))
      parts.append(.names(rows.steps.count))
    case .operand(.ofItems(_, let list, _, let condition)):
      add(list)
      parts.append(.condition(condition))
    case .operand(.value), .operand(.parameter), .operand(.parameterList), .operand(.path),
      .operand(.item), .operand(.variable), .operand(.now), .operand(.output), .operand(.invalid):
      break
    }
  }
}
