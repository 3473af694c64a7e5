public import ORMValues

/// A condition whose names were looked up in one entity, for caching with a shape.
///
/// With ``BoundCondition`` it is the reference for the meaning of every condition, on every store:
///
/// ```swift
/// let condition = try CompiledCondition(request.shape.condition, entity: entity, schema: stored)
///   .bound(to: request.bindings, related: reader)
/// let isSelected = try condition.matches(row)
/// ```
public struct CompiledCondition: Sendable {
  /// The columns it reads, ascending.
  public let columns: [Int]
  /// The requests by which it finds related rows, in the order in which it names them.
  package let relatedShapes: [FetchShape]
  private let root: Node
  private let kinds: [AttributeType.Kind]
  private let slotCount: Int
  private let itemCount: Int

  indirect enum Node: Sendable {
    case constant(Bool)
    case not(Node)
    case all([Node])
    case any([Node])
    case compare(CompiledOperand.Node, Comparator, CompiledOperand.Node, TextOptions)
    case isIn(CompiledOperand.Node, CompiledOperand.Node, TextOptions)
    case text(CompiledOperand.Node, TextOperator, CompiledOperand.Node, TextOptions)
    case exists(RelatedPlan)
    case someItem(CompiledOperand.Node, slot: Int, Node)
  }

  /// Looks up the names of a condition, which are those of the store: `some` and `ofElements` were
  /// lowered.
  ///
  /// - Throws: `unknownAttribute`, `unknownEntity`, `invalidCondition`, or the error an invalid
  ///   condition carries.
  public init(_ condition: Condition, entity: StoredEntity, schema: StoredSchema) throws {
    var compiler = EvaluationCompiler(entity: entity, schema: schema)
    root = try compiler.compile(condition)
    columns = compiler.columns
    relatedShapes = compiler.shapes
    slotCount = compiler.slotCount
    itemCount = compiler.itemCount
    kinds = entity.columns.map(\.type.kind)
  }

  /// The condition with the values of its parameters: lists become sets, texts are folded once.
  ///
  /// - Parameters:
  ///   - bindings: the values of the request.
  ///   - reader: answers for the related rows that the condition names; without one, such a
  ///     condition is `invalidCondition`.
  public func bound(
    to bindings: [StoredValue], related reader: (any StoreReader)? = nil
  ) throws -> BoundCondition {
    let environment =
      relatedShapes.isEmpty ? nil : reader.map { RelatedEnvironment($0, slotCount: slotCount) }
    return BoundCondition(
      root: try EvaluationBinder(
        bindings, kinds: kinds, environment, items: ItemSlots(count: itemCount)
      ).bind(root))
  }
}
