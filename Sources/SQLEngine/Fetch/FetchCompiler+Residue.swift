internal import ORMStorage

/// Requests that are split between the engine and core: where the engine calls no functions, and
/// where an aggregate goes round a cycle.
extension FetchCompiler {
  /// Compiles the part of a shape that the engine does exactly, and leaves the rest to core.
  ///
  /// The conditions under the outermost AND are tested one by one. A pattern on an indexed column is
  /// tested by core, and bounds the rows that the engine reads. The work grows with the length of the
  /// condition: if its parts do not fit one text together, the greatest number that does is found by
  /// halving.
  mutating func residual(_ shape: FetchShape) throws -> FetchPlan {
    let parts = shape.condition.parts
    let compiler = try compiler(of: shape)
    var split = Split(parts: parts, sort: try isOrderExact(shape, compiler) ? shape.sort : [])
    var check = StopCheck()
    for (number, part) in parts.enumerated() {
      try check.step()
      let isExact = try isExact(part, compiler)
      if !isExact { split.cores.insert(number) }
      if try isExact || bounds(part, compiler) { split.engines.append(number) }
    }
    var most = split.engines.count
    if let plan = try plan(of: shape, split, most) { return plan }
    guard var best = try plan(of: shape, split, 0) else {
      // The order alone makes a text that is too large.
      split.sort = []
      if let plan = try plan(of: shape, split, 0) { return plan }
      throw StoreError(
        .invalidCondition, "the database cannot give the rows of the entity",
        entity: table.entity.modelName)
    }
    var count = 0
    while most - count > 1 {
      let middle = (count + most) / 2
      if let plan = try plan(of: shape, split, middle) {
        (best, count) = (plan, middle)
      } else {
        most = middle
      }
    }
    return best
  }

  /// The conditions under the outermost AND of a shape, split between the engine and core.
  private struct Split {
    let parts: [Condition]
    /// The order that the engine makes; empty for none.
    var sort: [SortTerm]
    /// The numbers of the parts that the engine tests, or whose rows it bounds.
    var engines: [Int] = []
    /// The numbers of the parts that core tests.
    var cores: Set<Int> = []
  }

  /// The plan by which the engine tests the first `count` of its parts and core the rest; nil where
  /// the engine's make a text that is too large.
  private mutating func plan(
    of shape: FetchShape, _ split: Split, _ count: Int
  ) throws -> FetchPlan? {
    let cores = split.cores.union(split.engines[count...])
    let core = split.parts.indices.filter(cores.contains).map { split.parts[$0] }
    let isOrdered = split.sort == shape.sort && shape.givesRows
    let isPaged = shape.isLimited && core.isEmpty && isOrdered
    let rest = FetchShape(
      entity: shape.entity, output: shape.output, condition: .joining(core),
      sort: isOrdered ? [] : shape.sort, isLimited: shape.isLimited && !isPaged)
    let positions = try columns(of: rest)
    var plan = try whole(
      FetchShape(
        entity: shape.entity,
        output: .values(positions.map { .attribute(table.entity.columns[$0].attribute) }),
        condition: .joining(split.engines[..<count].map { split.parts[$0] }),
        sort: isOrdered ? split.sort : [], isLimited: isPaged), leavesPatterns: true)
    guard plan.evaluations.isEmpty else { return nil }
    plan.residue = FetchPlan.Residue(shape: rest, entity: table.entity.having(positions))
    return plan
  }

  /// Returns whether the engine tests a part of a shape's condition exactly.
  private func isExact(_ part: Condition, _ compiler: ConditionCompiler) throws -> Bool {
    if part.aggregatesRound { return false }
    var compiler = compiler
    _ = try compiler.condition(part)
    return compiler.evaluations.isEmpty
  }

  /// Returns whether a pattern bounds the rows that the engine reads.
  private func bounds(_ part: Condition, _ compiler: ConditionCompiler) throws -> Bool {
    switch part {
    case .text(let text, .like, _, _), .text(let text, .matches, _, _):
      if text.aggregatesRound { return false }
    default: return false
    }
    var compiler = compiler
    compiler.leavesPatterns = true
    _ = try compiler.condition(part)
    return compiler.evaluations.isEmpty
  }

  private func isOrderExact(_ shape: FetchShape, _ compiler: ConditionCompiler) throws -> Bool {
    guard shape.givesRows, !shape.sort.contains(where: \.operand.aggregatesRound) else {
      return false
    }
    var compiler = compiler
    for term in shape.sort { _ = try compiler.sortTerm(term) }
    return compiler.evaluations.isEmpty
  }

  /// The columns that a shape reads, ascending; at least one.
  private func columns(of shape: FetchShape) throws -> [Int] {
    let entity = table.entity
    if case .rows = shape.output { return Array(entity.columns.indices) }
    var names: Set<ExactText> = []
    func note(_ path: Operand.Path) -> Operand.Path {
      if path.scope == 0 { names.formUnion(path.names.map { ExactText($0) }) }
      return path
    }
    _ = shape.condition.mappingPaths(note)
    var operands = shape.givesRows ? shape.sort.map(\.operand) : []
    if case .joined(let step, let attributes) = shape.output {
      for link in step.links { _ = note(link.other) }
      names.formUnion(attributes.map { ExactText($0) })
    }
    operands += shape.output.operands
    for operand in operands { _ = operand.mappingPaths(note) }
    let found = entity.columns.indices.filter { names.contains(entity.columns[$0].attribute) }
    return found.isEmpty ? Array(entity.key.prefix(1)) : found
  }
}

extension FetchShape {
  /// True if a row of the result is made of one row of the entity.
  var givesRows: Bool {
    switch output {
    case .rows, .values, .joined: true
    case .aggregates, .groups: false
    }
  }
}

extension Condition {
  /// Conditions that must all hold.
  static func joining(_ parts: [Condition]) -> Condition {
    switch parts.count {
    case 0: .constant(true)
    case 1: parts[0]
    default: .all(parts)
    }
  }
}

extension StoredEntity {
  /// The entity with some of its columns, and its key if they hold it.
  fileprivate func having(_ positions: [Int]) -> StoredEntity {
    let key = key.compactMap { positions.firstIndex(of: $0) }
    return StoredEntity(
      name: name, modelName: modelName, columns: positions.map { columns[$0] },
      key: key.count == self.key.count ? key : [])
  }
}
