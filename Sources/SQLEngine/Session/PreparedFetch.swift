internal import ORMStorage

/// A compiled shape on one connection, with the statements prepared for it.
///
/// More than one statement exists only while several cursors of the shape are open at once.
package final class PreparedFetch {
  package let table: SQLTable
  package let plan: FetchPlan
  /// The layout of the statement's rows.
  package let layout: SQLRowLayout
  /// The operands that core computes from each row of the statement.
  let operands: [CompiledOperand]
  /// The groups that core forms of the statement's rows.
  let groups: CompiledGroups?
  /// The part of core over the rows of the statement; nil for none.
  let residual: ResidualPlan?
  private let evaluations: [PreparedEvaluation]
  /// True if the statement's rows are the result, with nothing for core to do.
  let givesRows: Bool
  /// The statement's one parameter, if it takes an integer stored as one; nil otherwise.
  let integerParameter: Int?
  /// The idle statements, used by the connection's one user alone, so that access is not checked while the
  /// program runs.
  @exclusivity(unchecked) private var idle: [any SQLStatement] = []

  /// Groups that core forms.
  struct CompiledGroups {
    let plan: GroupPlan
    let keys: [CompiledOperand]
    let operands: [CompiledOperand?]
  }

  init(
    _ table: SQLTable, _ plan: FetchPlan, _ shape: FetchShape, _ schema: StoredSchema
  ) throws {
    self.table = table
    self.plan = plan
    let entity = table.entity
    var shown = entity
    var columns: [SQLRowLayout.Column] = []
    var key: [Int] = []
    var operands: [CompiledOperand] = []
    var groups: CompiledGroups?
    switch plan.output {
    case .columns(let positions):
      columns = positions.map { SQLRowLayout.Column(entity.columns[$0]) }
      key = entity.key.compactMap { positions.firstIndex(of: $0) }
    case .joined(let name, let positions):
      guard let other = schema[name] else {
        throw StoreError(.unknownEntity, "the schema has no entity \(name)", entity: name)
      }
      shown = other
      columns = other.columns.map { SQLRowLayout.Column($0) }
      key = other.key
      for position in positions {
        columns.append(SQLRowLayout.Column(entity.columns[position]))
        columns[columns.count - 1].entity = entity.modelName
      }
    case .operands(let list, let frame):
      columns = frame.columns.map(\.source)
      operands = try list.map {
        try CompiledOperand($0, entity: frame.described, schema: schema)
      }
    case .aggregates(let sources):
      columns = Self.columns(of: sources)
    case .groups(let list): columns = list
    case .collected(let keys, let values, let frame):
      columns = frame.columns.map(\.source)
      func compiled(_ operand: Operand) throws -> CompiledOperand {
        try CompiledOperand(operand, entity: frame.described, schema: schema)
      }
      groups = CompiledGroups(
        plan: try GroupPlan(shape, entity: entity, schema: schema), keys: try keys.map(compiled),
        operands: try values.map { try $0.map(compiled) })
    }
    layout = SQLRowLayout(
      entity: shown.modelName, columns: columns, key: key.count == shown.key.count ? key : [],
      intact: plan.intact)
    self.operands = operands
    self.groups = groups
    residual = try plan.residue.map {
      try ResidualPlan($0.shape, entity: $0.entity, schema: schema, isInKeyOrder: false)
    }
    evaluations = try plan.evaluations.map { try PreparedEvaluation($0, schema) }
    switch plan.output {
    case .columns, .joined: givesRows = evaluations.isEmpty && residual == nil
    case .operands, .aggregates, .groups, .collected: givesRows = false
    }
    integerParameter = givesRows ? Self.integerParameter(plan.query) : nil
  }

  /// The number of the only parameter, if an integer can be bound there as it is.
  private static func integerParameter(_ query: SQLQuery) -> Int? {
    guard query.parameters.count == 1, let only = query.parameters.first, only.listCount == nil,
      case .parameter(0, .stored(.int)) = only.binding
    else { return nil }
    return only.first
  }

  private static func columns(
    of sources: [FetchPlan.AggregateSource]
  ) -> [SQLRowLayout.Column] {
    var types: [Int: AttributeType] = [:]
    for source in sources {
      switch source {
      case .column(let column, let type): types[column] = type
      case .sum(let column): types[column] = .int64
      case .average(let sum, let count):
        types[sum] = .int64
        types[count] = .int64
      case .evaluator: break
      }
    }
    // The column of an evaluator is null, whose type does not matter.
    return (0...(types.keys.max() ?? 0)).map {
      SQLRowLayout.Column("aggregate", types[$0] ?? .int64)
    }
  }

  /// The evaluators of one run.
  func evaluators(
    _ request: FetchRequest, _ connection: any SQLConnection
  ) throws -> [SQLEvaluator] {
    evaluations.isEmpty ? [] : try evaluations.map { try $0.bound(to: request, connection) }
  }

  /// Visits the rows of a run whose values `bind` sets, where `givesRows`.
  @inline(__always)
  func visit<V: RowVisitor>(
    _ connection: any SQLConnection, _ visitor: inout V, bind: (any SQLStatement) throws -> Void
  ) throws {
    let statement = try idle.popLast() ?? connection.statement(plan.query.sql)
    defer {
      statement.rewind()
      giveBack(statement)
    }
    try bind(statement)
    _ = try statement.visitRows(layout, &visitor)
  }

  /// Takes an idle statement, or prepares one.
  func take(_ prepare: (String) throws -> any SQLStatement) throws -> any SQLStatement {
    if let statement = idle.popLast() { return statement }
    return try prepare(plan.query.sql)
  }

  /// Gives back a statement that was taken, rewound.
  func giveBack(_ statement: any SQLStatement) {
    // Two serve a cursor inside a cursor of the same shape; more would only hold memory.
    if idle.count < 2 { idle.append(statement) }
  }
}
