/// A condition whose names were looked up in one entity: what a shape keeps.
///
/// With ``BoundCondition`` it is the reference for what every condition means, on every store.
package struct CompiledCondition: Sendable {
  /// The columns it reads, ascending.
  package let columns: [Int]
  private let root: Node

  fileprivate indirect enum Node: Sendable {
    case constant(Bool)
    case not(Node)
    case all([Node])
    case any([Node])
    case compare(CompiledOperand.Node, Comparator, CompiledOperand.Node, TextOptions)
    case isIn(CompiledOperand.Node, CompiledOperand.Node, TextOptions)
    case text(CompiledOperand.Node, TextOperator, CompiledOperand.Node, TextOptions)
  }

  private let kinds: [AttributeType.Kind]

  /// Looks up the names of a condition.
  ///
  /// - Throws: `unknownAttribute`, `invalidCondition`, or the error an invalid condition carries.
  package init(_ condition: Condition, entity: StoredEntity, schema: StoredSchema) throws {
    var columns: Set<Int> = []
    root = try Self.compile(condition, entity, &columns)
    self.columns = columns.sorted()
    kinds = entity.columns.map(\.type.kind)
  }

  private static func compile(
    _ condition: Condition, _ entity: StoredEntity, _ columns: inout Set<Int>
  ) throws -> Node {
    switch condition {
    case .constant(let value): return .constant(value)
    case .not(let inner): return .not(try compile(inner, entity, &columns))
    case .all(let parts): return .all(try parts.map { try compile($0, entity, &columns) })
    case .any(let parts): return .any(try parts.map { try compile($0, entity, &columns) })
    case .compare(let left, let comparator, let right, let options):
      return .compare(
        try CompiledOperand.compile(left, entity, &columns), comparator,
        try CompiledOperand.compile(right, entity, &columns), options)
    case .isIn(let element, let list, let options):
      return .isIn(
        try CompiledOperand.compile(element, entity, &columns),
        try CompiledOperand.compile(list, entity, &columns), options)
    case .text(let text, let symbol, let other, let options):
      return .text(
        try CompiledOperand.compile(text, entity, &columns), symbol,
        try CompiledOperand.compile(other, entity, &columns), options)
    case .some, .exists:
      throw StoreError(.invalidCondition, "a condition on related objects: \(condition)")
    case .invalid(let error): throw error
    }
  }

  /// The condition with the values of its parameters: lists become sets, texts are folded once.
  package func bound(to bindings: [StoredValue]) throws -> BoundCondition {
    BoundCondition(root: try bind(root, bindings))
  }

  private func bind(_ node: Node, _ bindings: [StoredValue]) throws -> BoundCondition.Node {
    switch node {
    case .constant(let value): return .constant(value)
    case .not(let inner): return .not(try bind(inner, bindings))
    case .all(let parts): return .all(try parts.map { try bind($0, bindings) })
    case .any(let parts): return .any(try parts.map { try bind($0, bindings) })
    case .compare(let left, let comparator, let right, let options):
      return bindCompare(
        try CompiledOperand.bind(left, bindings), comparator,
        try CompiledOperand.bind(right, bindings), options)
    case .isIn(let element, let list, let options):
      let element = try CompiledOperand.bind(element, bindings)
      let list = try CompiledOperand.bind(list, bindings)
      if case .value(let value) = list {
        return .isInSet(element, BoundCondition.ListSet(value, options: options))
      }
      return .isIn(element, list, options)
    case .text(let text, let symbol, let other, let options):
      let text = try CompiledOperand.bind(text, bindings)
      let other = try CompiledOperand.bind(other, bindings)
      if case .value(let value) = other {
        guard case .string(let needle) = value else { return .constant(false) }
        let matcher = TextMatcher(symbol.matcherKind, needle: needle, options: options)
        if case .column(let column) = text { return .textColumn(column, matcher) }
        return .textValue(text, matcher)
      }
      return .text(text, symbol, other, options)
    }
  }

  /// Picks the fast form for a column beside a value of its own kind.
  private func bindCompare(
    _ left: CompiledOperand.Node, _ comparator: Comparator, _ right: CompiledOperand.Node,
    _ options: TextOptions
  ) -> BoundCondition.Node {
    if case .value = left, case .column = right {
      return bindCompare(right, comparator.swapped, left, options)
    }
    if case .column(let column) = left, case .value(let value) = right {
      switch (kinds[column], value) {
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
