internal import ORMStorage

/// Values that are looked for among related rows before the rows themselves are, and bound as a
/// list.
struct MaterializedList: CustomStringConvertible {
  /// The requests; each but the first gets the result of the one before as its only list.
  let requests: [RelatedTargets.Request]
  /// The position of the list among the bindings.
  let slot: Int

  var description: String {
    let texts = requests.map { "\($0.shape.entity) where \($0.shape.condition)" }
    return "$\(slot) from \(texts.joined(separator: ", then "))"
  }
}

extension Planner {
  /// Returns the parts of a condition with one semi-join inverted, once for each part that has any.
  static func inverted(
    _ shape: FetchShape, _ schema: StoredSchema
  ) -> [(parts: [Condition], lists: [MaterializedList])] {
    let parts = shape.condition.parts
    let slot = shape.slotCount
    return parts.indices.compactMap { number in
      var lists: [MaterializedList] = []
      guard let part = inverted(parts[number], schema, from: slot, &lists) else { return nil }
      var inverted = parts
      inverted[number] = part
      return (inverted, lists)
    }
  }

  private static func inverted(
    _ condition: Condition, _ schema: StoredSchema, from slot: Int,
    _ lists: inout [MaterializedList]
  ) -> Condition? {
    if let targets = RelatedTargets(condition, schema: schema) {
      let list = MaterializedList(requests: targets.requests, slot: slot + lists.count)
      lists.append(list)
      return targets.condition(
        of: .parameterList(list.slot, targets.kind, capacity: RelatedTargets.listCapacity))
    }
    switch condition {
    case .all(let parts): return inverted(parts, schema, from: slot, &lists).map { .all($0) }
    case .any(let parts): return inverted(parts, schema, from: slot, &lists).map { .any($0) }
    default: return nil
    }
  }

  private static func inverted(
    _ parts: [Condition], _ schema: StoredSchema, from slot: Int, _ lists: inout [MaterializedList]
  ) -> [Condition]? {
    let before = lists.count
    let all = parts.map { inverted($0, schema, from: slot, &lists) ?? $0 }
    return lists.count > before ? all : nil
  }
}

extension FetchShape {
  /// One more than the highest slot of the bindings that the shape names.
  fileprivate var slotCount: Int {
    var highest = -1
    let note = { (operand: Operand) in
      switch operand {
      case .parameter(let slot, _), .parameterList(let slot, _, capacity: _):
        highest = max(highest, slot)
      default: break
      }
    }
    condition.forEachOperand(note)
    for term in sort { term.operand.forEachOperand(note) }
    for operand in output.operands { operand.forEachOperand(note) }
    if case .groups(_, _, let having) = output { having.forEachOperand(note) }
    return highest + 1
  }
}
