internal import ORM
internal import ORMCore
internal import ORMObservation

/// Clause 2.7 for the elements of arrays: each is looked at by itself.
extension NaiveEvaluator {
  /// The elements of an array, or of a JSON text that is one; nil for anything else.
  func elements(_ array: Operand) throws -> [StoredValue]? {
    NaiveJSON.elements(of: try value(array))
  }

  /// The evaluator for one element.
  private func with(
    _ element: StoredValue, as scope: Int, of array: Operand
  ) -> NaiveEvaluator {
    var copy = self
    copy.items[scope] = element
    if hasUnsignedElements(array) { copy.unsignedItems.insert(scope) }
    return copy
  }

  func someItem(of array: Operand, _ scope: Int, _ condition: Condition) throws -> Bool {
    try elements(array)?.contains { try with($0, as: scope, of: array).holds(condition) } ?? false
  }

  func aggregate(
    _ kind: Aggregate.Kind, of array: Operand, _ scope: Int, _ condition: Condition
  ) throws -> StoredValue {
    guard let elements = try elements(array) else { return .null }
    let chosen = try elements.filter { try with($0, as: scope, of: array).holds(condition) }
    if kind == .count { return .int(Int64(chosen.count)) }
    do {
      return try NaiveAggregate.value(of: kind, over: chosen, kind: elementKind(of: array))
    } catch let error as StoreError where error.code == .overflow && !throwsOverflow {
      return .null
    }
  }

  /// Returns the declared kind of an array's elements.
  ///
  /// It is nil where only the elements themselves have a kind, as those of lists do.
  private func elementKind(of array: Operand) -> AttributeType.Kind? {
    if case .list = array { return hasUnsignedElements(array) ? .unsigned : nil }
    guard case .path(let path) = array,
      case .array(let element)? = entity.attributes.first(where: { $0.name == path.names[0] })?.type
    else { return nil }
    return element.kind
  }
}
