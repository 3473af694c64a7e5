internal import ORMStorage

/// The part of a request that is answered by the entries of the index it reads.
///
/// Rows that would be dropped are not looked up, or none at all.
struct Coverage: Sendable {
  /// The positions of a row's columns in the entries.
  let columns: EntryColumns
  /// The condition tested of entries; nil when there is none.
  let condition: CompiledCondition?
  /// The same condition, before it was compiled.
  let tested: Condition
  /// The condition that is left to be tested of rows.
  let rest: Condition
  /// True if entries hold all that is asked, so that rows are not looked at.
  let isWhole: Bool
  /// The positions in the entries of the attributes handed out, if entries alone give them in
  /// order.
  let output: EntryColumns?

  /// Finds the part of a request that the plan's entries answer; nil unless it reads a single
  /// index.
  init?(_ plan: Plan, _ shape: FetchShape, _ entity: EntityStorage, _ schema: StoredSchema) throws {
    guard case .one(let one) = plan.access, let number = one.index else { return nil }
    let index = entity.indexes[number]
    let columns = EntryColumns(index, entity)
    var tested: [Condition] = []
    var rest: [Condition] = []
    for part in plan.residual.parts {
      let names = try CompiledCondition(part, entity: entity.declared, schema: schema).columns
      if names.allSatisfy(columns.holds) { tested.append(part) } else { rest.append(part) }
    }
    self.columns = columns
    self.tested = Condition.all(tested).normalized()
    condition =
      tested.isEmpty
      ? nil
      : try CompiledCondition(
        .all(tested), entity: entity.declared, schema: schema)
    self.rest = Condition.all(rest).normalized()
    let asked = try Self.asked(shape.output, entity, schema)
    isWhole = rest.isEmpty && asked.map { $0.allSatisfy(columns.holds) } ?? false
    output = isWhole && plan.isOrdered ? Self.output(shape.output, index, entity) : nil
  }

  /// Returns the columns that an output needs; nil for whole rows and for paths to other rows.
  private static func asked(
    _ output: FetchShape.Output, _ entity: EntityStorage, _ schema: StoredSchema
  ) throws -> [Int]? {
    switch output {
    case .rows, .joined: nil
    case .values, .aggregates, .groups:
      try output.operands.flatMap {
        try CompiledOperand($0, entity: entity.declared, schema: schema).columns
      }
    }
  }

  private static func output(
    _ output: FetchShape.Output, _ index: IndexStorage, _ entity: EntityStorage
  ) -> EntryColumns? {
    guard case .values(let operands) = output else { return nil }
    let columns = operands.compactMap { TermConstraint.column($0, entity) }
    let entryColumns = EntryColumns(index, entity, columns: columns)
    guard columns.count == operands.count, columns.indices.allSatisfy(entryColumns.holdsExactly)
    else {
      return nil
    }
    return entryColumns
  }
}

extension Condition {
  /// The attributes of the request's own row that the condition names; nil where it names others'.
  var ownAttributes: Set<String>? {
    var names: Set<String> = []
    var hasOthers = false
    forEachCondition { condition in
      switch condition {
      case .exists, .some: hasOthers = true
      default: break
      }
    }
    forEachOperand { operand in
      switch operand {
      case .path(let path):
        if path.scope == 0, path.names.count == 1 {
          names.insert(path.names[0])
        } else {
          hasOthers = true
        }
      case .ofElements: hasOthers = true
      default: hasOthers = hasOthers || operand.relatedRows != nil
      }
    }
    return hasOthers ? nil : names
  }
}
