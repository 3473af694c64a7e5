internal import ORM
internal import ORMCore

/// The parts of a store that a request reads, computed once for its shape.
final class ShapeFootprint: Sendable {
  /// A term of an order that the row itself decides.
  struct OwnTerm: Sendable {
    let term: SortTerm
    let operand: CompiledOperand

    /// The term with the values of a request.
    func bound(to bindings: [StoredValue]) throws -> BoundSortTerm {
      BoundSortTerm(term, try operand.bound(to: bindings))
    }
  }

  /// Columns that are read of an entity's rows, whichever rows these are.
  struct Related: Sendable {
    let entity: RecordedEntity
    let columns: ColumnSet
  }

  let shape: FetchShape
  /// The entity of the request's own rows; nil if its changes are not recorded.
  let entity: RecordedEntity?
  /// The columns of the request's own rows that decide about the result.
  let columns: ColumnSet
  /// The parts of the condition that the row itself decides, all of which must hold; nil without any.
  let condition: CompiledCondition?
  /// True if that is the whole condition.
  let isOwnCondition: Bool
  /// The order, if the row itself decides it; else nil.
  let order: [OwnTerm]?
  /// The rows that are reached through relationships.
  let related: [Related]
  /// True if the shape reads rows that are not known here.
  let readsUnknown: Bool

  init(_ shape: FetchShape, _ schema: StoredSchema, _ recorded: RecordedSchema) throws {
    self.shape = shape
    entity = recorded.entities[shape.entity]
    guard let stored = schema[shape.entity] else {
      columns = ColumnSet()
      condition = nil
      isOwnCondition = false
      order = nil
      related = []
      readsUnknown = true
      return
    }
    var collector = FootprintColumns(schema, root: stored)
    collector.add(shape)
    columns = collector.own
    related = collector.related.compactMap { name, columns in
      recorded.entities[name].map { Related(entity: $0, columns: columns) }
    }
    readsUnknown =
      collector.isUnknown || entity == nil || related.count < collector.related.count
    let parts: [Condition] =
      if case .all(let parts) = shape.condition { parts } else { [shape.condition] }
    let own = try parts.filter {
      try CompiledCondition($0, entity: stored, schema: schema).relatedShapes.isEmpty
    }
    isOwnCondition = own.count == parts.count
    condition =
      own.allSatisfy { $0 == .constant(true) }
      ? nil : try CompiledCondition(.all(own), entity: stored, schema: schema)
    let isGrouped = if case .groups = shape.output { true } else { false }
    let terms =
      isGrouped
      ? []
      : try shape.sort.map {
        OwnTerm(
          term: $0, operand: try CompiledOperand($0.operand, entity: stored, schema: schema))
      }
    order =
      !isGrouped && terms.allSatisfy { $0.operand.relatedShapes.isEmpty } ? terms : nil
  }
}

/// Collects the columns that a shape reads, entity by entity.
private struct FootprintColumns {
  private let schema: StoredSchema
  private let root: StoredEntity
  /// The entities of the rows that the shape names, by their scopes.
  private var scopes: [Int: StoredEntity]
  private(set) var own = ColumnSet()
  private(set) var related: [String: ColumnSet] = [:]
  private(set) var isUnknown = false

  init(_ schema: StoredSchema, root: StoredEntity) {
    self.schema = schema
    self.root = root
    scopes = [0: root]
  }

  mutating func add(_ shape: FetchShape) {
    add(shape.condition)
    for term in shape.sort { add(term.operand) }
    for operand in shape.output.operands { add(operand) }
    switch shape.output {
    case .rows: for column in root.columns.indices { own.insert(column) }
    case .values, .aggregates: break
    case .groups(_, _, let having): add(having)
    case .joined(let step, let attributes):
      for attribute in attributes { add(Operand.attribute(attribute)) }
      add(RelatedRows([step]))
      if let entity = schema[step.entity] {
        for column in entity.columns.indices {
          related[entity.name, default: ColumnSet()].insert(column)
        }
      }
    }
  }

  private mutating func add(_ condition: Condition) {
    if case .some = condition { return isUnknown = true }
    if case .exists(let rows, _) = condition { add(rows) }
    condition.forEachPart({ add($0) }, { add($0) })
  }

  private mutating func add(_ operand: Operand) {
    switch operand {
    case .path(let path): add(path)
    case .ofElements: return isUnknown = true
    default: if let rows = operand.relatedRows { add(rows) }
    }
    operand.forEachPart({ add($0) }, { add($0) })
  }

  private mutating func add(_ rows: RelatedRows) {
    for step in rows.steps {
      guard let entity = schema[step.entity] else {
        isUnknown = true
        continue
      }
      scopes[step.scope] = entity
      // A row that comes or goes matters even if none of its columns is read.
      related[entity.name, default: ColumnSet()].formUnion(ColumnSet())
      for link in step.links {
        add(Operand.Path([link.attribute], scope: step.scope))
        add(link.other)
      }
      if let name = step.nullAttribute { add(Operand.Path([name], scope: step.scope)) }
    }
  }

  private mutating func add(_ path: Operand.Path) {
    guard path.names.count == 1, let entity = scopes[path.scope],
      let column = entity.column(ofAttribute: path.names[0])
    else {
      isUnknown = true
      return
    }
    if path.scope == 0 {
      own.insert(column)
    } else {
      related[entity.name, default: ColumnSet()].insert(column)
    }
  }
}

/// The footprints of a store's shapes, each computed once.
final class ShapeFootprints: Sendable {
  private let known = Lock<[FetchShape: ShapeFootprint]>([:])
  private let schema: StoredSchema
  private let recorded: RecordedSchema
  /// The most cached footprints; beyond them the cache is emptied.
  private static let capacity = 1_000

  init(_ schema: StoredSchema, _ recorded: RecordedSchema) {
    self.schema = schema
    self.recorded = recorded
  }

  subscript(shape: FetchShape) -> ShapeFootprint {
    get throws {
      if let found = known.withLock({ $0[shape] }) { return found }
      let made = try ShapeFootprint(shape, schema, recorded)
      known.withLock { known in
        if known.count >= Self.capacity { known.removeAll() }
        known[shape] = made
      }
      return made
    }
  }
}

extension Store {
  /// The footprints of the shapes that observations read.
  func shapeFootprints() throws -> ShapeFootprints {
    try runtime.plan(for: ShapeFootprints.self) {
      ShapeFootprints(schema, try recordedSchema())
    }
  }
}
