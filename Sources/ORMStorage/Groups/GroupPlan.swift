package import ORMValues

/// The compiled form of a request for groups: the columns of their rows, their filter and their
/// order.
///
/// Made once a shape. A row of the result holds the keys, then the aggregates; conditions and
/// orders name these columns by ``Operand/output(_:)``.
package struct GroupPlan: Sendable {
  /// The number of keys a group has.
  package let keyCount: Int
  /// The aggregates over nothing yet.
  package let aggregators: [Aggregator]
  /// The columns of a row of the result; JSON stands for values of any kind.
  package let columns: [StoredColumn]
  /// The parts of the condition on groups, which must all hold: first those on keys, then the others.
  ///
  /// A group that its keys exclude computes no aggregate.
  let having: [CompiledCondition]
  package let sort: [Term]
  /// True if the order is had from the keys alone.
  let isSortedByKeys: Bool

  /// One key of the order.
  package struct Term: Sendable {
    package let term: SortTerm
    package let operand: CompiledOperand
  }

  /// Compiles a shape of groups, or one of aggregates over all rows; its names are those of the store.
  ///
  /// - Throws: `invalidCondition` for a shape of another output, and for groups without a key.
  package init(_ shape: FetchShape, entity: StoredEntity, schema: StoredSchema) throws {
    let keys: [Operand]
    let aggregates: [Aggregate]
    var having = Condition.constant(true)
    switch shape.output {
    case .groups(let named, let asked, let condition) where !named.isEmpty:
      keys = named
      aggregates = asked
      having = condition
    case .aggregates(let asked):
      keys = []
      aggregates = asked
    default: throw StoreError(.invalidCondition, "a group needs a key", entity: entity.modelName)
    }
    let kinds = OperandKinds(schema: schema, entities: [0: entity])
    keyCount = keys.count
    let types =
      try keys.map { try kinds.resultType(of: $0) }
      + aggregates.map { try kinds.resultType(of: $0) }
    columns = types.enumerated().map { StoredColumn("\($0)", $1, isOptional: true) }
    aggregators = try aggregates.map { aggregate in
      Aggregator(
        aggregate.kind,
        of: try aggregate.operand.map { try kinds.kind(of: $0) ?? .json } ?? .bool)
    }
    let result = Self.result(of: entity, columns)
    sort = try shape.sort.map {
      Term(term: $0, operand: try CompiledOperand($0.operand, entity: result, schema: schema))
    }
    let keyCount = keyCount
    let parts = try having.parts.map {
      (part: $0, columns: try CompiledCondition($0, entity: result, schema: schema).columns)
    }
    let onKeys = parts.filter { $0.columns.allSatisfy { $0 < keyCount } }.map(\.part)
    let others = parts.filter { $0.columns.contains { $0 >= keyCount } }.map(\.part)
    self.having = try [onKeys, others].filter { !$0.isEmpty }.map {
      try CompiledCondition(.all($0), entity: result, schema: schema)
    }
    isSortedByKeys = sort.allSatisfy { $0.operand.columns.allSatisfy { $0 < keyCount } }
  }

  /// Returns a row of the result as an entity, for conditions and orders on it.
  package func result(of entity: StoredEntity) -> StoredEntity { Self.result(of: entity, columns) }

  private static func result(of entity: StoredEntity, _ columns: [StoredColumn]) -> StoredEntity {
    StoredEntity(name: entity.name, modelName: entity.modelName, columns: columns, key: [])
  }
}

extension OperandKinds {
  /// The type of a column that holds an operand's values; JSON where they may be of any kind.
  fileprivate func resultType(of operand: Operand) throws -> AttributeType {
    switch operand {
    case .path(let path): try type(of: path)
    case .relatedValue(let inner, let rows): try inside(rows).resultType(of: inner)
    default: .json
    }
  }

  fileprivate func resultType(of aggregate: Aggregate) throws -> AttributeType {
    switch aggregate.kind {
    case .count, .countDistinct: return .int64
    case .average: return .double
    case .minimum, .maximum: return try aggregate.operand.map { try resultType(of: $0) } ?? .json
    case .sum:
      switch try aggregate.operand.map({ try resultType(of: $0) })?.kind {
      case .int: return .int64
      case .unsigned: return .uint64
      case .double: return .double
      case .decimal: return .decimal
      default: return .json
      }
    }
  }
}
