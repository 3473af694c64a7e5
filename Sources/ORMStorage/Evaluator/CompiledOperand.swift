public import ORMValues

/// An operand whose names were looked up in one entity, for caching with a shape.
///
/// Bind the values of a request to it, then evaluate it for rows:
///
/// ```swift
/// let operand = try CompiledOperand(assignment.value, entity: entity, schema: stored)
///   .bound(to: request.bindings, related: reader)
/// let value = try operand.evaluateForUpdate(row)
/// ```
public struct CompiledOperand: Sendable {
  /// The columns it reads, ascending.
  public let columns: [Int]
  /// The requests by which it finds related rows, in the order in which it names them.
  package let relatedShapes: [FetchShape]
  private let node: Node
  private let slotCount: Int

  private let itemCount: Int

  indirect enum Node: Sendable {
    case value(StoredValue)
    case parameter(Int)
    case column(Int)
    /// The captured value of an outer row, by its slot.
    case captured(Int)
    case related(RelatedPlan)
    case json(Node, [JSONStep])
    case element(Node, Int)
    case arithmetic(ArithmeticOperator, Node, Node, isUnsigned: Bool)
    case negated(Node, isUnsigned: Bool)
    case function(Operand.Function, Node, isUnsigned: Bool)
    /// One of two values by a condition.
    case choice(CompiledCondition.Node, Node, Node)
    /// The element of an array that is looked at, by its slot.
    case item(Int)
    case ofItems(Node, slot: Int, CompiledCondition.Node, Aggregator)
    case list([Node])
  }

  /// Looks up the names of an operand, which are those of the store: `ofElements` was lowered.
  ///
  /// - Throws: `unknownAttribute`, `unknownEntity`, or `invalidCondition` for a path that leaves the entity's
  ///   own rows.
  public init(_ operand: Operand, entity: StoredEntity, schema: StoredSchema) throws {
    var compiler = EvaluationCompiler(entity: entity, schema: schema)
    node = try compiler.compile(operand)
    columns = compiler.columns
    relatedShapes = compiler.shapes
    slotCount = compiler.slotCount
    itemCount = compiler.itemCount
  }

  /// The operand with the values of its parameters.
  ///
  /// - Parameters:
  ///   - bindings: the values of the request.
  ///   - reader: answers for the related rows that the operand names; without one, such an operand
  ///     is `invalidCondition`.
  public func bound(
    to bindings: [StoredValue], related reader: (any StoreReader)? = nil
  ) throws -> BoundOperand {
    let environment =
      relatedShapes.isEmpty ? nil : reader.map { RelatedEnvironment($0, slotCount: slotCount) }
    return BoundOperand(
      node: try EvaluationBinder(
        bindings, kinds: [], environment, items: ItemSlots(count: itemCount)
      ).bind(node))
  }
}

extension StoredEntity {
  /// The column that a path of the request's own row names.
  package func column(of path: Operand.Path) throws -> Int {
    guard path.scope == 0, path.names.count == 1 else {
      throw StoreError(
        .invalidCondition, "\(path.names.joined(separator: ".")) is not an attribute of the entity",
        entity: modelName, attributes: path.names)
    }
    guard let column = column(ofAttribute: path.names[0]) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name", entity: modelName,
        attributes: path.names)
    }
    return column
  }
}
