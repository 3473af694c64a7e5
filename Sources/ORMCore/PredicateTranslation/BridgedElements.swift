internal import ORMStorage

/// The elements of arrays and to-manys in predicates, for `contains`, `allSatisfy` and `filter`.
enum BridgedElements {
  /// The elements for which a test holds too; the test names an element by its argument.
  static func filtered(
    _ elements: BridgedValue, _ test: (BridgedValue) throws -> Condition
  ) throws -> BridgedValue {
    switch elements {
    case .operand(let array): return try filtered(.items(array, scope: nil, .constant(true)), test)
    case .items(let array, let scope, let condition):
      let open = scope ?? ElementScope.open()
      return .items(
        array, scope: open, .and(condition, try test(.operand(.item(open)))))
    case .rows(let row, let scope, let condition):
      let open = scope ?? ElementScope.open()
      let element = BridgedValue.row(BridgedRow(LinkPath(scope: open), row.model))
      return .rows(row, scope: open, .and(condition, try test(element)))
    default:
      throw PredicateBridge.refusal(
        "elements of a value that is neither an array nor a to-many")
    }
  }

  /// Returns whether there is an element.
  static func exists(_ elements: BridgedValue) throws -> Condition {
    switch elements {
    case .items(let array, let open, let condition):
      let (condition, scope) = closed(condition, open)
      return .someItem(of: array, scope: scope, condition)
    case .rows(let row, let open, let condition):
      if let error = row.linkPath.error { return .invalid(error) }
      let (condition, scope) = closed(condition, open)
      return .some(Elements(row.linkPath.path, scope: scope), condition)
    default:
      throw PredicateBridge.refusal(
        "elements of a value that is neither an array nor a to-many")
    }
  }

  /// Returns the number of elements.
  static func count(_ elements: BridgedValue) throws -> Operand {
    switch elements {
    case .operand(let array): return .function(.count, array)
    case .items(let array, nil, _): return .function(.count, array)
    case .items(let array, let open, let condition):
      let (condition, scope) = closed(condition, open)
      return .ofItems(.count, array, scope: scope, condition)
    case .rows(let row, let open, let condition):
      if let error = row.linkPath.error { return .invalid(error) }
      let (condition, scope) = closed(condition, open)
      return .ofElements(.count, nil, Elements(row.linkPath.path, scope: scope), condition)
    default:
      throw PredicateBridge.refusal(
        "elements of a value that is neither an array nor a to-many")
    }
  }

  /// The condition with the number that typed conditions would give its elements: one more than the
  /// highest in it.
  private static func closed(_ condition: Condition, _ open: Int?) -> (Condition, Int) {
    let scope = condition.highestScope + 1
    guard let open else { return (condition, scope) }
    let closed = condition.rewriting { $0 == .item(open) ? .item(scope) : nil }
      .mappingPaths { $0.scope == open ? Operand.Path($0.names, scope: scope) : $0 }
    return (closed, scope)
  }
}
