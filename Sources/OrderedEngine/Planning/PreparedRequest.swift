internal import ORMStorage

/// A shape prepared for execution: its plan, the tests of rows, the order and the output, each worked out
/// once.
final class PreparedRequest: Sendable {
  let shape: FetchShape
  let entity: EntityStorage
  let plan: Plan
  /// Other plans, among which statistics of the rows decide; mostly none.
  let alternatives: [PreparedRequest]
  /// The condition tested of each row; nil when no test is left.
  let residual: CompiledCondition?
  /// The part of the request that the entries of the index answer; nil unless a single index is
  /// read.
  let coverage: Coverage?
  /// Aggregates that are had by several requests.
  let split: SplitTotals?
  let output: Output
  /// The sort keys of the rows; empty when they come in order, or are sorted by `sortOperands`.
  let sort: [SortKey]
  /// The sort keys by which several accesses are merged.
  let mergeOrder: [SortKey]
  /// The operands that rows are sorted by, where one of them is no plain attribute; else empty.
  let sortOperands: [CompiledOperand]
  /// The binding that holds the key of the one row, where that is a plain integer.
  let integerKeySlot: Int?

  /// The single values of which the one range of keys is made, where other values make another range
  /// and nothing else; nil where they make more.
  let prefix: [KeyPrefixPart]?

  /// The form of the output.
  enum Output {
    /// Attributes as they are, whole rows among them.
    case columns(RowColumns)
    /// Values computed from each row.
    case values([CompiledOperand])
    /// The row that each row leads to, and attributes of its own.
    case joined(CompiledJoin)
    /// One row of aggregates.
    case totals([TotalPlan])
    /// One row for each group.
    case groups(GroupingPlan)
  }

  /// The plan that is best when nothing is known of the rows, and those that may cost less.
  convenience init(_ shape: FetchShape, _ layout: StoreLayout) throws {
    if let error = shape.condition.firstError { throw error }
    let plans = Planner.plans(shape, try layout.entity(shape.entity), layout.declared)
    try self.init(
      shape, layout, plans[0],
      try plans.dropFirst().map { try PreparedRequest(shape, layout, $0, []) })
  }

  private init(
    _ shape: FetchShape, _ layout: StoreLayout, _ plan: Plan, _ alternatives: [PreparedRequest]
  ) throws {
    self.shape = shape
    let entity = try layout.entity(shape.entity)
    self.entity = entity
    self.alternatives = alternatives
    self.plan = plan
    let coverage = try Coverage(plan, shape, entity, layout.declared)
    self.coverage = coverage
    let rest = coverage?.rest ?? plan.residual
    residual =
      rest == .constant(true)
      ? nil : try CompiledCondition(rest, entity: entity.declared, schema: layout.declared)
    split = try SplitTotals(shape, layout)
    output = try Self.output(shape, entity, layout.declared)
    let isOfGroups = if case .groups = shape.output { true } else { false }
    let sort = plan.isOrdered || isOfGroups ? [] : shape.sort.map { SortKey($0, entity) }
    let isPlain = !sort.contains { $0 == nil }
    self.sort = isPlain ? sort.compactMap { $0 } : []
    sortOperands =
      isPlain
      ? []
      : try shape.sort.map {
        try CompiledOperand($0.operand, entity: entity.declared, schema: layout.declared)
      }
    mergeOrder = Self.mergeOrder(plan, shape, entity)
    integerKeySlot = Self.integerKeySlot(plan, entity)
    let isStream =
      if case .columns = output { alternatives.isEmpty && plan.isOneAccess } else { false }
    let isPlainStream =
      isStream && residual == nil && split == nil && coverage?.output == nil
      && coverage?.condition == nil && self.sort.isEmpty && sortOperands.isEmpty
    prefix = isPlainStream ? plan.prefix(entity) : nil
  }

  /// The rows to be looked at, for the values of one request.
  func stream(_ view: StoreView, _ bindings: [StoredValue]) throws -> RowStream {
    try RowStream(
      view, entity, try plan.bound(entity, to: bindings), by: mergeOrder,
      filter: try entryFilter(view, bindings))
  }

  /// Returns the positions of the aggregated values in the entries; nil where rows are read, or only counted.
  func entryTotals(_ plans: [TotalPlan]) -> EntryColumns? {
    if plan.isExtreme, case .one(let one) = plan.access {
      return EntryColumns(one.index.map { entity.indexes[$0] }, entity)
    }
    guard let coverage, coverage.isWhole, !plans.allSatisfy(\.isRowCount) else { return nil }
    return coverage.columns
  }

  /// True if rows are looked at, and not the entries of an index alone.
  var readsRows: Bool {
    if plan.isExtreme || coverage?.isWhole == true { return false }
    if case .totals(let plans) = output, residual == nil, plans.allSatisfy(\.isRowCount) {
      return false
    }
    return true
  }

  /// True if the values read are added up, and not returned.
  var addsUp: Bool {
    switch output {
    case .totals, .groups: true
    case .columns, .values, .joined: false
    }
  }

  /// The condition tested of entries.
  var filter: CompiledCondition? { coverage?.condition }

  /// The test of entries, for the values of one request.
  func entryFilter(_ view: StoreView, _ bindings: [StoredValue]) throws -> EntryFilter? {
    guard let coverage, let condition = coverage.condition else { return nil }
    return EntryFilter(coverage.columns, try condition.bound(to: bindings, related: view))
  }

  /// The requests by which related rows are found, those of the condition first.
  var relatedShapes: [FetchShape] {
    var shapes = (filter?.relatedShapes ?? []) + (residual?.relatedShapes ?? [])
    shapes += sortOperands.flatMap(\.relatedShapes)
    switch output {
    case .columns: break
    case .joined(let join): shapes.append(join.shape)
    case .values(let operands): shapes += operands.flatMap(\.relatedShapes)
    case .totals(let plans):
      for case .operand(let operand) in plans.map(\.source) { shapes += operand.relatedShapes }
    case .groups(let grouping): shapes += grouping.relatedShapes
    }
    return shapes
  }

  private static func output(
    _ shape: FetchShape, _ entity: EntityStorage, _ schema: StoredSchema
  ) throws -> Output {
    switch shape.output {
    case .rows: return .columns(entity.columns)
    case .values(let operands):
      let columns = operands.compactMap { TermConstraint.column($0, entity) }
      if columns.count == operands.count { return .columns(RowColumns(entity.layout, columns)) }
      return .values(
        try operands.map { try CompiledOperand($0, entity: entity.declared, schema: schema) })
    case .joined(let step, let attributes):
      return .joined(
        try CompiledJoin(step, attributes, entity: entity.declared, schema: schema))
    case .aggregates(let aggregates):
      return .totals(try aggregates.map { try TotalPlan($0, entity, schema) })
    case .groups(let keys, let aggregates, _):
      return .groups(try GroupingPlan(shape, keys: keys, aggregates, entity, schema))
    }
  }

  private static func mergeOrder(
    _ plan: Plan, _ shape: FetchShape, _ entity: EntityStorage
  ) -> [SortKey] {
    guard case .union(_, .merge) = plan.access else { return [] }
    let keys = entity.declared.key.map {
      SortTerm(.attribute(entity.declared.columns[$0].attribute))
    }
    return (shape.sort.isEmpty ? keys : shape.sort).compactMap { SortKey($0, entity) }
  }

  private static func integerKeySlot(_ plan: Plan, _ entity: EntityStorage) -> Int? {
    guard case .one(let one) = plan.access, one.index == nil, one.part.isKeys,
      one.part.points.count == 1, entity.key.isInteger,
      case .equal(.parameter(let slot, .int)) = one.part.points[0].test
    else { return nil }
    return slot
  }
}

/// One aggregate of a request: its function, and the source of its values in a row.
struct TotalPlan: Sendable {
  let aggregator: Aggregator
  let source: Source

  /// The source of a row's value.
  enum Source: Sendable {
    /// Every row counts.
    case row
    /// An attribute, as its field.
    case field(RecordField)
    /// A computed value.
    case operand(CompiledOperand)
  }

  init(_ aggregate: Aggregate, _ entity: EntityStorage, _ schema: StoredSchema) throws {
    guard let operand = aggregate.operand else {
      aggregator = Aggregator(aggregate.kind, of: .bool)
      source = .row
      return
    }
    aggregator = Aggregator(
      aggregate.kind, of: try schema.kind(of: operand, in: entity.declared) ?? .json)
    if let column = TermConstraint.column(operand, entity) {
      source = .field(entity.layout.fields[column])
    } else {
      source = .operand(
        try CompiledOperand(operand, entity: entity.declared, schema: schema))
    }
  }
}
