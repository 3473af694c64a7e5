internal import ORMValues

/// Puts the values of a request into compiled conditions and operands: lists become sets, texts are
/// folded once, columns beside values of their own kind take a fast form.
struct EvaluationBinder {
  private let bindings: [StoredValue]
  /// The kinds of the columns of the row asked about.
  private let kinds: [AttributeType.Kind]
  /// The environment of requests for inner rows; nil if there is no store to ask.
  private let environment: RelatedEnvironment?

  /// The slots that hold the array elements being tested.
  private let items: ItemSlots

  init(
    _ bindings: [StoredValue], kinds: [AttributeType.Kind], _ environment: RelatedEnvironment?,
    items: ItemSlots
  ) {
    self.items = items
    self.bindings = bindings
    self.kinds = kinds
    self.environment = environment
  }

  /// The same for rows with columns of other kinds.
  func of(_ kinds: [AttributeType.Kind]) -> EvaluationBinder {
    EvaluationBinder(bindings, kinds: kinds, environment, items: items)
  }

  /// The value of a parameter.
  func value(of slot: Int) throws -> StoredValue {
    guard bindings.indices.contains(slot) else {
      throw StoreError(.invalidCondition, "the request has no value for one of its parameters")
    }
    return bindings[slot]
  }

  private func related(_ plan: RelatedPlan) throws -> BoundRelated {
    try BoundRelated(plan, reachable(), by: self)
  }

  private func reachable() throws -> RelatedEnvironment {
    guard let environment else {
      throw StoreError(
        .invalidCondition, "only a store can evaluate a condition on related objects")
    }
    return environment
  }

  func bind(_ node: CompiledOperand.Node) throws -> BoundOperand.Node {
    switch node {
    case .value(let value): return .value(value)
    case .parameter(let slot): return .value(try value(of: slot))
    case .column(let column): return .column(column)
    case .captured(let slot): return .captured(try reachable(), slot)
    case .related(let plan): return .related(try related(plan))
    case .json(let inner, let steps): return .json(try bind(inner), steps)
    case .element(let inner, let index): return .element(try bind(inner), index)
    case .arithmetic(let symbol, let left, let right, let isUnsigned):
      return .arithmetic(symbol, try bind(left), try bind(right), isUnsigned: isUnsigned)
    case .negated(let inner, let isUnsigned):
      return .negated(try bind(inner), isUnsigned: isUnsigned)
    case .choice(let condition, let first, let second):
      return .choice(try bind(condition), try bind(first), try bind(second))
    case .function(let function, let inner, let isUnsigned):
      return .function(function, try bind(inner), isUnsigned: isUnsigned)
    case .item(let slot): return .item(items, slot)
    case .ofItems(let array, let slot, let condition, let aggregator):
      return .ofItems(try bind(array), items, slot, try bind(condition), aggregator)
    case .list(let parts): return .list(try parts.map { try bind($0) })
    }
  }

  func bind(_ node: CompiledCondition.Node) throws -> BoundCondition.Node {
    switch node {
    case .constant(let value): return .constant(value)
    case .not(let inner): return .not(try bind(inner))
    case .all(let parts): return .all(try parts.map { try bind($0) })
    case .any(let parts): return .any(try parts.map { try bind($0) })
    case .exists(let plan): return .exists(try related(plan))
    case .someItem(let array, let slot, let condition):
      return .someItem(try bind(array), items, slot, try bind(condition))
    case .compare(let left, let comparator, let right, let options):
      return compare(try bind(left), comparator, try bind(right), options)
    case .isIn(let element, let list, let options):
      let element = try bind(element)
      let list = try bind(list)
      if case .value(let value) = list {
        if case .column(let column) = element, kind(of: column) == .int,
          let list = IntegerList(value)
        {
          return .intColumnAmong(column, list)
        }
        return .isInSet(element, BoundCondition.ListSet(value, options: options))
      }
      return .isIn(element, list, options)
    case .text(let text, let symbol, let other, let options):
      let text = try bind(text)
      let other = try bind(other)
      if case .value(let value) = other {
        guard case .string(let needle) = value else { return .constant(false) }
        let matcher = try symbol.matcher(needle, options)
        if case .column(let column) = text, kind(of: column) == .string {
          return .textColumn(column, matcher)
        }
        return .textValue(text, matcher)
      }
      return .text(text, symbol, other, options)
    }
  }

  /// The kind of a column; nil where it is unknown.
  private func kind(of column: Int) -> AttributeType.Kind? {
    kinds.indices.contains(column) ? kinds[column] : nil
  }

  /// Picks the fast form for a column beside a value of its own kind.
  private func compare(
    _ left: BoundOperand.Node, _ comparator: Comparator, _ right: BoundOperand.Node,
    _ options: TextOptions
  ) -> BoundCondition.Node {
    switch (left, right) {
    case (.value, .column), (.value, .related):
      return compare(right, comparator.swapped, left, options)
    case (.related(let related), .value(.int(let number))): related.count(upTo: number)
    default: break
    }
    if case .column(let column) = left, case .value(let value) = right {
      switch (kind(of: column), value) {
      case (_, .null):
        switch comparator {
        case .equal: return .isNull(column)
        case .notEqual: return .not(.isNull(column))
        default: return .constant(false)
        }
      case (.int, .int(let number)): return .intColumn(column, comparator, number)
      case (.double, .double(let number)): return .doubleColumn(column, comparator, number)
      case (.string, .string(let text)) where options.isEmpty:
        return .stringColumn(column, comparator, Array(text.utf8))
      default: break
      }
    }
    if !options.isEmpty {
      return .compareTexts(left, comparator, right, options)
    }
    return .compare(left, comparator, right)
  }
}
