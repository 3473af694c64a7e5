internal import ORMStorage

/// Requests that are split between the engine and core: where the engine calls no functions, and
/// where an aggregate goes round a cycle.
extension FetchCompiler {
  /// Compiles what the engine does exactly of a shape, and leaves the rest to core.
  ///
  /// The conditions under the outermost AND are tested one by one. A pattern on an indexed column is
  /// tested by core, and bounds the rows that the engine reads.
  mutating func residual(_ shape: FetchShape) throws -> FetchPlan {
    let parts = shape.condition.parts
    var isCores = Array(repeating: false, count: parts.count)
    var engines: [Int] = []
    for (number, part) in parts.enumerated() {
      let isExact = try isExact(part, of: shape)
      isCores[number] = !isExact
      if try isExact || bounds(part, of: shape) { engines.append(number) }
    }
    var sort = try isOrderExact(shape) ? shape.sort : []
    while true {
      let core = parts.indices.filter { isCores[$0] }.map { parts[$0] }
      let isOrdered = sort == shape.sort && shape.givesRows
      let isPaged = shape.isLimited && core.isEmpty && isOrdered
      let rest = FetchShape(
        entity: shape.entity, output: shape.output, condition: .joining(core),
        sort: isOrdered ? [] : shape.sort, isLimited: shape.isLimited && !isPaged)
      let positions = try columns(of: rest)
      let plan = try whole(
        FetchShape(
          entity: shape.entity,
          output: .values(positions.map { .attribute(table.entity.columns[$0].attribute) }),
          condition: .joining(engines.map { parts[$0] }), sort: isOrdered ? sort : [],
          isLimited: isPaged), leavesPatterns: true)
      if plan.evaluations.isEmpty {
        var plan = plan
        plan.residue = FetchPlan.Residue(shape: rest, entity: table.entity.having(positions))
        return plan
      }
      // Together they make a text that is too large.
      if let last = engines.popLast() {
        isCores[last] = true
      } else if !sort.isEmpty {
        sort = []
      } else {
        throw StoreError(
          .invalidCondition, "the database cannot give the rows of the entity",
          entity: table.entity.modelName)
      }
    }
  }

  /// Returns whether the engine tests a part of a shape's condition exactly.
  private func isExact(_ part: Condition, of shape: FetchShape) throws -> Bool {
    if part.aggregatesRound { return false }
    var compiler = compiler(of: shape)
    _ = try compiler.condition(part)
    return compiler.evaluations.isEmpty
  }

  /// Returns whether a pattern bounds the rows that the engine reads.
  private func bounds(_ part: Condition, of shape: FetchShape) throws -> Bool {
    switch part {
    case .text(let text, .like, _, _), .text(let text, .matches, _, _):
      if text.aggregatesRound { return false }
    default: return false
    }
    var compiler = compiler(of: shape)
    compiler.leavesPatterns = true
    _ = try compiler.condition(part)
    return compiler.evaluations.isEmpty
  }

  private func isOrderExact(_ shape: FetchShape) throws -> Bool {
    guard shape.givesRows, !shape.sort.contains(where: \.operand.aggregatesRound) else {
      return false
    }
    var compiler = compiler(of: shape)
    for term in shape.sort { _ = try compiler.sortTerm(term) }
    return compiler.evaluations.isEmpty
  }

  /// The columns that a shape reads, ascending; at least one.
  private func columns(of shape: FetchShape) throws -> [Int] {
    let entity = table.entity
    if case .rows = shape.output { return Array(entity.columns.indices) }
    var names: Set<String> = []
    func note(_ path: Operand.Path) -> Operand.Path {
      if path.scope == 0 { names.formUnion(path.names) }
      return path
    }
    _ = shape.condition.mappingPaths(note)
    var operands = shape.givesRows ? shape.sort.map(\.operand) : []
    switch shape.output {
    case .rows: break
    case .values(let values): operands += values
    case .joined(let step, let attributes):
      for link in step.links { _ = note(link.other) }
      names.formUnion(attributes)
    case .aggregates(let aggregates): operands += aggregates.compactMap(\.operand)
    case .groups(let keys, let aggregates, _):
      operands += keys + aggregates.compactMap(\.operand)
    }
    for operand in operands { _ = operand.mappingPaths(note) }
    let found = entity.columns.indices.filter { names.contains(entity.columns[$0].attribute) }
    return found.isEmpty ? Array(entity.key.prefix(1)) : found
  }
}

extension FetchShape {
  /// True if a row of the result is made of one row of the entity.
  fileprivate var givesRows: Bool {
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
