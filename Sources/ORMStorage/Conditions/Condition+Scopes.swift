internal import ORMValues

extension Condition {
  /// The condition with every path in it changed, those to elements and in links among them.
  package func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> Condition {
    mapParts(
      { $0.mappingPaths(change) }, { $0.mappingPaths(change) },
      elements: { $0.mappingPaths(change) }, rows: { $0.mappingPaths(change) })
  }

  /// The highest number that an inner condition or aggregate gives to its rows; 0 without any.
  package var highestScope: Int {
    var highest =
      switch self {
      case .some(let elements, _): elements.scope
      case .exists(let rows, _): rows.highestScope
      case .someItem(of: _, let scope, _): scope
      default: 0
      }
    forEachPart(
      { highest = max(highest, $0.highestScope) }, { highest = max(highest, $0.highestScope) })
    return highest
  }
}

extension Operand {
  /// The operand with every path in it changed.
  package func mappingPaths(_ change: (Path) -> Path) -> Operand {
    if case .path(let path) = self { return .path(change(path)) }
    return mapParts(
      { $0.mappingPaths(change) }, { $0.mappingPaths(change) },
      elements: { $0.mappingPaths(change) }, rows: { $0.mappingPaths(change) })
  }

  /// The highest number that an aggregate gives to its rows; 0 without any.
  package var highestScope: Int {
    var highest =
      switch self {
      case .ofItems(_, _, let scope, _): scope
      case .ofElements(_, _, let elements, _): elements.scope
      default: relatedRows?.highestScope ?? 0
      }
    forEachPart(
      { highest = max(highest, $0.highestScope) }, { highest = max(highest, $0.highestScope) })
    return highest
  }
}

extension Elements {
  fileprivate func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> Elements {
    Elements(change(path), scope: scope)
  }
}

extension RelatedRows {
  fileprivate func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> RelatedRows {
    RelatedRows(
      steps.map { step in
        Step(
          entity: step.entity, scope: step.scope,
          links: step.links.map { Link($0.attribute, equals: change($0.other)) },
          nullAttribute: step.nullAttribute)
      })
  }

  fileprivate var highestScope: Int { steps.map(\.scope).max() ?? 0 }
}
