public import ORMValues

/// One key of an order.
public struct SortTerm: Hashable, Codable, Sendable {
  /// The operand by whose values rows are sorted.
  public var operand: Operand
  /// True if from the greatest to the least.
  public var isDescending: Bool
  /// The position of nil values; nil means first when ascending and last when descending (semantics
  /// 3.1).
  public var nils: NilPlacement?
  /// The options for texts, which are compared after `TextFolding.fold` with these options.
  public var options: TextOptions

  /// Makes a key.
  public init(
    _ operand: Operand, isDescending: Bool = false, nils: NilPlacement? = nil,
    options: TextOptions = []
  ) {
    self.operand = operand
    self.isDescending = isDescending
    self.nils = nils
    self.options = options
  }

  /// The position of nil values in an order.
  public enum NilPlacement: String, Hashable, Codable, Sendable {
    /// Before every value.
    case first
    /// After every value.
    case last
  }

  /// The order with the primary key last, in the direction of the last term (clause 3.2).
  package static func total(_ order: [SortTerm], entity: StoredEntity) -> [SortTerm] {
    var sort = order
    let isDescending = order.last?.isDescending ?? false
    for position in entity.key {
      let operand = Operand.attribute(entity.columns[position].attribute)
      if !sort.contains(where: { $0.operand == operand && $0.options.isEmpty }) {
        sort.append(SortTerm(operand, isDescending: isDescending))
      }
    }
    return sort
  }

  /// True if nil comes before every value, the default worked in.
  public var nilsComeFirst: Bool {
    switch nils {
    case .first: true
    case .last: false
    case nil: !isDescending
    }
  }
}

/// One aggregate over rows.
public struct Aggregate: Hashable, Codable, Sendable {
  /// The aggregate function.
  public var kind: Kind
  /// The operand; nil only for a count of rows.
  public var operand: Operand?

  /// Makes an aggregate.
  public init(_ kind: Kind, _ operand: Operand? = nil) {
    self.kind = kind
    self.operand = operand
  }

  /// The kinds of aggregates.
  public typealias Kind = AggregateKind
}
