internal import ORMStorage

/// The key that identifies a compiled change.
struct ChangeKey: Hashable {
  var shape: FetchShape
  /// nil for a delete.
  var assignments: [StoreChange.Assignment]?
  var checksValues = false
  var changesAll = false
}

/// A compiled change on one connection.
final class PreparedChange {
  let plan: ChangePlan
  private let evaluations: [PreparedEvaluation]
  private let connection: any SQLConnection
  /// The statement; nil where core makes the change.
  private let statement: (any SQLStatement)?
  /// The statement that counts rows and sizes, where there is one.
  private let sizes: (any SQLStatement)?

  init(
    _ plan: ChangePlan, _ schema: StoredSchema, _ connection: any SQLConnection,
    maximumValueSize: Int
  ) throws {
    self.plan = plan
    self.connection = connection
    statement = plan.isExact ? try connection.statement(plan.query.sql) : nil
    sizes = try plan.isExact ? plan.sizes.map { try connection.statement($0.sql) } : nil
    evaluations = try plan.evaluations.map {
      try PreparedEvaluation($0, schema, maximumValueSize: maximumValueSize)
    }
  }

  /// Runs the change; gives how many rows it selected, where it counts them itself.
  func run(_ request: FetchRequest) throws -> Int? {
    guard let statement else {
      throw StoreError(.engine, "a change that core makes has no statement")
    }
    let evaluators = try evaluations.map { try $0.bound(to: request, connection) }
    defer { statement.rewind() }
    try statement.bind(plan.query, request, evaluators)
    connection.rowCounter = 0
    try statement.run()
    return plan.countsSelected ? connection.rowCounter : nil
  }

  /// Counts the rows that the change selects, and those that would get too large a value; nil if no
  /// value has a size.
  func counts(_ request: FetchRequest) throws -> (selected: Int, tooLarge: Int)? {
    guard let sizes, let query = plan.sizes else { return nil }
    defer { sizes.rewind() }
    try sizes.bind(query, request, [])
    guard try sizes.step() else { throw StoreError(.engine, "a count gave no row") }
    return (Int(sizes.int64(at: 0)), Int(sizes.int64(at: 1)))
  }
}

extension SQLSession {
  /// The compiled form of a change.
  func change(_ key: ChangeKey) throws -> PreparedChange {
    if let change = changes.value(for: key) { return change }
    let table = try schema.table(key.shape.entity)
    var compiler = ChangeCompiler(table, schema, dialect)
    let plan =
      if let assignments = key.assignments {
        try compiler.update(
          key.shape, assignments, checksValues: key.checksValues, changesAll: key.changesAll,
          largestValue: options.maximumValueSize)
      } else {
        try compiler.delete(key.shape)
      }
    let change = try PreparedChange(
      plan, schema.declared, connection, maximumValueSize: options.maximumValueSize)
    changes.insert(change, for: key)
    return change
  }
}
