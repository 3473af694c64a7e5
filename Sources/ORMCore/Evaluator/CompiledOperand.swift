/// An operand whose names were looked up in one entity: what a shape keeps.
package struct CompiledOperand: Sendable {
  /// The columns it reads, ascending.
  package let columns: [Int]
  let node: Node

  indirect enum Node: Sendable {
    case value(StoredValue)
    case parameter(Int)
    case column(Int)
    case json(Node, [JSONStep])
    case element(Node, Int)
    case arithmetic(ArithmeticOperator, Node, Node, isUnsigned: Bool)
    case negated(Node, isUnsigned: Bool)
    case function(Operand.Function, Node, isUnsigned: Bool)
  }

  /// Looks up the names of an operand.
  ///
  /// - Throws: `unknownAttribute`, or `invalidCondition` for a path that leaves the entity.
  package init(_ operand: Operand, entity: StoredEntity, schema: StoredSchema) throws {
    var columns: Set<Int> = []
    node = try Self.compile(operand, entity, &columns)
    self.columns = columns.sorted()
  }

  static func compile(
    _ operand: Operand, _ entity: StoredEntity, _ columns: inout Set<Int>
  ) throws -> Node {
    switch operand {
    case .value(let value): return .value(value)
    case .invalid(let error): throw error
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _):
      return .parameter(slot)
    case .path(let path):
      let column = try entity.column(of: path)
      columns.insert(column)
      return .column(column)
    case .json(let inner, let steps): return .json(try compile(inner, entity, &columns), steps)
    case .element(let inner, let index):
      return .element(try compile(inner, entity, &columns), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(
        symbol, try compile(left, entity, &columns), try compile(right, entity, &columns),
        isUnsigned: left.isUnsigned(in: entity) || right.isUnsigned(in: entity))
    case .negated(let inner):
      return .negated(
        try compile(inner, entity, &columns), isUnsigned: inner.isUnsigned(in: entity))
    case .function(let function, let inner):
      return .function(
        function, try compile(inner, entity, &columns), isUnsigned: inner.isUnsigned(in: entity))
    case .ofElements, .relatedAggregate, .relatedValue:
      throw StoreError(.invalidCondition, "a value of related objects: \(operand)")
    }
  }

  /// The operand with the values of its parameters.
  package func bound(to bindings: [StoredValue]) throws -> BoundOperand {
    BoundOperand(node: try Self.bind(node, bindings))
  }

  static func bind(_ node: Node, _ bindings: [StoredValue]) throws -> Node {
    switch node {
    case .value, .column: return node
    case .parameter(let slot):
      guard bindings.indices.contains(slot) else {
        throw StoreError(.invalidCondition, "the request lacks the value of a parameter")
      }
      return .value(bindings[slot])
    case .json(let inner, let steps): return .json(try bind(inner, bindings), steps)
    case .element(let inner, let index): return .element(try bind(inner, bindings), index)
    case .arithmetic(let symbol, let left, let right, let isUnsigned):
      return .arithmetic(
        symbol, try bind(left, bindings), try bind(right, bindings), isUnsigned: isUnsigned)
    case .negated(let inner, let isUnsigned):
      return .negated(try bind(inner, bindings), isUnsigned: isUnsigned)
    case .function(let function, let inner, let isUnsigned):
      return .function(function, try bind(inner, bindings), isUnsigned: isUnsigned)
    }
  }
}

extension StoredEntity {
  /// The column that a path of the request's own row names.
  package func column(of path: Operand.Path) throws -> Int {
    guard path.scope == 0, path.names.count == 1 else {
      throw StoreError(
        .invalidCondition, "\(path.names.joined(separator: ".")) is no attribute of the entity",
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

/// An operand ready to be worked out for rows.
package struct BoundOperand: Sendable {
  let node: CompiledOperand.Node

  /// The operand's value for a row whose columns are the entity's.
  ///
  /// Arithmetic that overflows is null, as in a condition.
  package func evaluate<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> StoredValue {
    try Self.evaluate(node, row, throwsOverflow: false)
  }

  /// As `evaluate`, for an assignment: arithmetic that overflows throws `overflow`.
  package func evaluateForUpdate<R: RowReader & ~Copyable>(
    _ row: borrowing R
  ) throws -> StoredValue {
    try Self.evaluate(node, row, throwsOverflow: true)
  }

  static func evaluate<R: RowReader & ~Copyable>(
    _ node: CompiledOperand.Node, _ row: borrowing R, throwsOverflow: Bool
  ) throws -> StoredValue {
    switch node {
    case .value(let value): return value
    case .parameter: throw StoreError(.invalidCondition, "a parameter was never bound")
    case .column(let column): return try row.value(at: column)
    case .json(let inner, let steps):
      if case .column(let column) = inner {
        if try row.isNull(at: column) { return .null }
        return try row.withBytes(at: column) { JSONText.value(at: steps, in: $0) }
      }
      guard case .json(var text) = try evaluate(inner, row, throwsOverflow: throwsOverflow) else {
        return .null
      }
      return text.withUTF8 { JSONText.value(at: steps, in: UnsafeRawBufferPointer($0)) }
    case .element(let inner, let index):
      let list = try evaluate(inner, row, throwsOverflow: throwsOverflow)
      guard case .array(let elements) = list, elements.indices.contains(index) else {
        return .null
      }
      return elements[index]
    case .arithmetic(let symbol, let left, let right, let isUnsigned):
      let outcome = StoredValue.arithmetic(
        symbol, try evaluate(left, row, throwsOverflow: throwsOverflow),
        try evaluate(right, row, throwsOverflow: throwsOverflow), isUnsigned: isUnsigned)
      return try value(of: outcome, throwsOverflow: throwsOverflow)
    case .negated(let inner, let isUnsigned):
      let operand = try evaluate(inner, row, throwsOverflow: throwsOverflow)
      return try value(
        of: StoredValue.negate(operand, isUnsigned: isUnsigned), throwsOverflow: throwsOverflow)
    case .function(let function, let inner, let isUnsigned):
      let operand = try evaluate(inner, row, throwsOverflow: throwsOverflow)
      return try value(
        of: function.applied(to: operand, isUnsigned: isUnsigned), throwsOverflow: throwsOverflow)
    }
  }

  private static func value(
    of outcome: ArithmeticOutcome, throwsOverflow: Bool
  ) throws -> StoredValue {
    switch outcome {
    case .value(let value): return value
    case .overflow:
      if throwsOverflow { throw StoreError(.overflow, "the arithmetic does not fit its type") }
      return .null
    case .mismatch:
      throw StoreError(.invalidCondition, "decimals and doubles do not mix in arithmetic")
    }
  }
}

extension Operand {
  /// Whether whole-number arithmetic on the operand may go up to `UInt64.max`: it names a `uint64`
  /// attribute.
  fileprivate func isUnsigned(in entity: StoredEntity) -> Bool {
    switch self {
    case .path(let path):
      guard let column = try? entity.column(of: path) else { return false }
      return entity.columns[column].type.kind == .unsigned
    case .parameter(_, let kind): return kind == .unsigned
    case .arithmetic(_, let left, let right):
      return left.isUnsigned(in: entity) || right.isUnsigned(in: entity)
    case .negated(let inner), .function(_, let inner): return inner.isUnsigned(in: entity)
    case .value, .parameterList, .json, .element, .invalid, .ofElements, .relatedAggregate,
      .relatedValue:
      return false
    }
  }
}

extension Operand.Function {
  /// The function's value; nil for nil.
  fileprivate func applied(to value: StoredValue, isUnsigned: Bool) -> ArithmeticOutcome {
    switch (self, value) {
    case (_, .null): .value(.null)
    case (.length, .string(let text)): .value(.int(Int64(TextFolding.length(text))))
    case (.uppercase, .string(let text)): .value(.string(TextFolding.uppercase(text)))
    case (.lowercase, .string(let text)): .value(.string(TextFolding.lowercase(text)))
    case (.count, .array(let elements)): .value(.int(Int64(elements.count)))
    case (.abs, _): StoredValue.absolute(value, isUnsigned: isUnsigned)
    case (.ceiling, _): StoredValue.ceiling(value)
    case (.floor, _): StoredValue.floor(value)
    case (.trunc, _): StoredValue.truncate(value)
    // A function of another kind than its own, which only JSON can hold, gives nothing.
    case (.length, _), (.uppercase, _), (.lowercase, _), (.count, _): .value(.null)
    }
  }
}
