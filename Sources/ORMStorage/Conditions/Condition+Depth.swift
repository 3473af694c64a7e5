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
    func add(_ operand: Operand) {
      switch operand {
      case .path(let path) where path.names.count > 2: parts.append(.names(path.names.count - 2))
      case .value, .parameter, .parameterList, .path, .item, .variable, .now, .output, .invalid:
        break
      default: parts.append(.operand(operand))
      }
    }
    switch self {
    case .names(let count): if count > 1 { parts.append(.names(count - 1)) }
    case .condition(let condition):
      condition.forEachPart({ parts.append(.condition($0)) }, { add($0) })
      switch condition {
      case .some(let elements, _): parts.append(.names(elements.path.names.count))
      case .exists(let rows, _): parts.append(.names(rows.steps.count))
      default: break
      }
    case .operand(let operand):
      operand.forEachPart({ parts.append(.condition($0)) }, { add($0) })
      switch operand {
      case .ofElements(_, _, let elements, _): parts.append(.names(elements.path.names.count))
      case .relatedAggregate(_, _, let rows, _): parts.append(.names(rows.steps.count))
      default: break
      }
    }
  }
}
