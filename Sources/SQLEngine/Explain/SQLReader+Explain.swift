package import ORMStorage

extension SQLReader {
  /// Counts the rows for which the engine reaches the part of the condition that no range decides; a row that
  /// two indexes of an OR find counts once.
  package final func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    var explanation = try explanation(of: request)
    guard analyze, session.dialect.countsCalls else { return explanation }
    let fetch = try session.countedFetch(request.shape)
    let run = try FetchRun(session, fetch, request, related: batchReader(for: fetch))
    defer { run.close() }
    var visitor = RowCounter()
    session.connection.rowCounter = 0
    _ = try run.visit(&visitor)
    explanation.rowsRead = session.connection.rowCounter
    return explanation
  }

  /// Returns the explanation of a request that is not run.
  private func explanation(of request: FetchRequest) throws -> Explanation {
    let fetch = try self.fetch(request.shape)
    let shape = request.shape
    let text = fetch.plan.query.sql
    if case .constant(false) = shape.condition {
      return Explanation(access: .nothing, isOrderFromAccess: true, detail: text)
    }
    let isQualified = shape.namesRelatedRows
    let access = try self.access(
      of: text, to: fetch.table, alias: isQualified ? ConditionCompiler.plainAlias(0) : nil)
    var compiler = ConditionCompiler(
      fetch.table, session.schema, session.dialect, isQualified: isQualified)
    let (engine, core) = try compiler.split(shape.condition)
    let inner = try shape.relatedSteps.map { step in
      let table = try session.schema.table(step.entity)
      return (
        step,
        try self.access(
          of: text, to: table,
          alias: ConditionCompiler.plainAlias(fetch.plan.aliases[step.scope] ?? step.scope))
      )
    }
    let first = Set(inner.filter(\.1.isOnce).map(\.0.scope))
    let related = inner.map { step, access in
      Explanation.Related(
        entity: step.entity,
        Explanation(
          access: access.access, index: access.index, ranges: access.ranges,
          isOrderFromAccess: true, detail: "as \(ConditionCompiler.plainAlias(step.scope))"),
        isOnce: access.isOnce)
    }
    let bounded = Set(access.bounds.map(\.attribute))
    let tested = engine.filter { condition in
      if case .constant(true) = condition { return false }
      // A semi-join driven from the inner side bounds the range by the columns that lead there.
      if let semiJoin = SemiJoin(condition), first.contains(semiJoin.steps[0].scope) {
        return !bounded.isSuperset(of: semiJoin.ownAttributes)
      }
      // A comparison of the range's column is one that bounds the range.
      var leaves = FrameLeaves()
      leaves.add(condition)
      return !condition.isBound
        || leaves.leaves.contains { leaf in
          guard case .path(let path) = leaf else { return true }
          return !bounded.contains(path.names[0])
        }
    }
    var explanation = Explanation(
      access: access.access, index: access.index,
      ranges: access.ranges, parts: access.parts.map(\.part),
      engineConditions: tested.map { "\($0)" }, coreConditions: core.map { "\($0)" },
      isOrderFromAccess: !access.isSorted && fetch.plan.residue?.shape.sort.isEmpty != false,
      detail: ([text] + access.lines).joined(separator: "\n"), related: related)
    explanation.groups =
      switch fetch.plan.output {
      // Groups that are filtered or sorted are all formed before.
      case .groups:
        Explanation.Groups(.engine, areInOrder: !access.sortsGroups && !access.isSorted)
      case .collected: Explanation.Groups(.core, areInOrder: false)
      case .columns where fetch.plan.residue?.shape.givesGroups == true:
        Explanation.Groups(.core, areInOrder: false)
      case .columns, .operands, .aggregates, .joined: nil
      }
    return explanation
  }

  /// The path to the rows of a table; a scan where the database does not say.
  private func access(of sql: String, to table: SQLTable, alias: String?) throws -> SQLAccess {
    try session.connection.access(of: sql, to: SQLAccess.Table(table, alias: alias))
      ?? SQLAccess(.scan, isSorted: true, lines: [])
  }
}

extension FetchShape {
  /// True if a row of the result is a group.
  fileprivate var givesGroups: Bool { if case .groups = output { true } else { false } }
}

extension SQLAccess {
  /// One of several accesses.
  fileprivate var part: Explanation.Part {
    Explanation.Part(access: access, index: index, ranges: ranges)
  }

  /// The bounds as conditions a person can read.
  fileprivate var ranges: [String] { bounds.map { "\($0.attribute) \($0.symbol) ?" } }
}

extension Condition {
  /// True if the condition can bound a range.
  fileprivate var isBound: Bool {
    switch self {
    case .compare(_, .notEqual, _, _): false
    case .compare, .isIn: true
    case .text(_, .beginsWith, _, _): true
    default: false
    }
  }
}
