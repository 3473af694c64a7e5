internal import ORMStorage

/// The plan of a request's groups: the sources of their keys and aggregates.
struct GroupingPlan: Sendable {
  let plan: GroupPlan
  let keys: [TotalPlan.Source]
  let totals: [TotalPlan]
  let lookUp: LookUp
  /// True if all groups are wanted, so that a page is full after as many.
  let isWhole: Bool

  /// The method by which the group of a row is found.
  enum LookUp: Sendable {
    /// A single integer.
    case integer(RecordField)
    /// A single text.
    case text(RecordField)
    /// Values of any kinds.
    case values
  }

  init(
    _ shape: FetchShape, keys: [Operand], _ aggregates: [Aggregate], _ entity: EntityStorage,
    _ schema: StoredSchema
  ) throws {
    plan = try GroupPlan(shape, entity: entity.declared, schema: schema)
    let sources = try keys.map { key -> TotalPlan.Source in
      if let column = TermConstraint.column(key, entity) {
        return .field(entity.layout.fields[column])
      }
      return .operand(try CompiledOperand(key, entity: entity.declared, schema: schema))
    }
    self.keys = sources
    totals = try aggregates.map { try TotalPlan($0, entity, schema) }
    lookUp = Self.lookUp(sources)
    isWhole = shape.wantsAllGroups
  }

  private static func lookUp(_ keys: [TotalPlan.Source]) -> LookUp {
    guard keys.count == 1, case .field(let field) = keys[0] else { return .values }
    if field.encoding.isInteger { return .integer(field) }
    return field.encoding == .string ? .text(field) : .values
  }

  /// The requests by which keys and aggregates find related rows.
  var relatedShapes: [FetchShape] {
    (keys + totals.map(\.source)).flatMap { source -> [FetchShape] in
      if case .operand(let operand) = source { operand.relatedShapes } else { [] }
    }
  }
}

extension FetchShape {
  /// True if no condition is put on groups.
  var wantsAllGroups: Bool {
    if case .groups(_, _, .constant(true)) = output { true } else { false }
  }

  /// The order of rows in which groups come one after another as they are asked for; nil where they are
  /// sorted by anything but plain keys.
  func groupOrder(_ entity: EntityStorage) -> [SortTerm]? {
    guard case .groups(let keys, _, _) = output else { return nil }
    var order: [SortTerm] = []
    for term in sort {
      guard case .output(let number) = term.operand, keys.indices.contains(number),
        term.options.isEmpty, TermConstraint.column(keys[number], entity) != nil
      else { return nil }
      var term = term
      term.operand = keys[number]
      order.append(term)
    }
    return order.count >= keys.count ? order : nil
  }
}
