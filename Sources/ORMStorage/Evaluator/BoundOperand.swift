public import ORMValues

/// An operand ready to be worked out for rows, by one cursor.
public struct BoundOperand {
  let node: Node

  /// The column that the operand is; nil for a computed one.
  package var column: Int? { if case .column(let column) = node { column } else { nil } }

  /// True if the operand is a value of the request, and not worked out.
  public var isConstant: Bool { if case .value = node { true } else { false } }

  indirect enum Node {
    case value(StoredValue)
    case column(Int)
    /// The captured value of an outer row, by its slot.
    case captured(RelatedEnvironment, Int)
    case related(BoundRelated)
    case json(Node, [JSONStep])
    case element(Node, Int)
    case arithmetic(ArithmeticOperator, Node, Node, isUnsigned: Bool)
    case negated(Node, isUnsigned: Bool)
    case function(Operand.Function, Node, isUnsigned: Bool)
    /// One of two values by a condition.
    case choice(BoundCondition.Node, Node, Node)
    case item(ItemSlots, Int)
    case ofItems(Node, ItemSlots, Int, BoundCondition.Node, Aggregator)
    case list([Node])
  }

  /// Returns the operand's value for a row whose columns are the entity's.
  ///
  /// Arithmetic that overflows is null, as in a condition, and so is that on JSON of another kind
  /// than numbers.
  public func evaluate<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> StoredValue {
    try Self.evaluate(node, row, throwsOverflow: false)
  }

  /// Evaluates the operand for an assignment: arithmetic that overflows throws `overflow`, that on other
  /// kinds than numbers `invalidCondition`.
  public func evaluateForUpdate<R: RowReader & ~Copyable>(
    _ row: borrowing R
  ) throws -> StoredValue {
    try Self.evaluate(node, row, throwsOverflow: true)
  }

  static func evaluate<R: RowReader & ~Copyable>(
    _ node: Node, _ row: borrowing R, throwsOverflow: Bool
  ) throws -> StoredValue {
    switch node {
    case .value(let value): return value
    case .column(let column): return try row.value(at: column)
    case .captured(let environment, let slot): return environment.values[slot]
    case .related(let related):
      do {
        return try related.value(for: row, throwsOverflow: throwsOverflow)
      } catch let error as StoreError where error.code == .overflow && !throwsOverflow {
        // A sum is arithmetic too.
        return .null
      }
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
      guard let elements = list.elements, elements.indices.contains(index) else {
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
    case .choice(let condition, let first, let second):
      return try evaluate(
        BoundCondition.matches(condition, row) ? first : second, row,
        throwsOverflow: throwsOverflow)
    case .item(let items, let slot): return items.values[slot]
    case .ofItems(let array, let items, let slot, let condition, var aggregator):
      let list = try evaluate(array, row, throwsOverflow: throwsOverflow)
      guard let elements = list.elements else { return .null }
      for element in elements {
        try items.check.step()
        items.values[slot] = element
        guard try BoundCondition.matches(condition, row) else { continue }
        // Elements are counted, as rows are: nil among them.
        aggregator.add(aggregator.function == .count ? .bool(true) : element)
      }
      do {
        return try aggregator.result()
      } catch let error as StoreError where error.code == .overflow && !throwsOverflow {
        return .null
      }
    case .list(let parts):
      return .array(
        try parts.map { try evaluate($0, row, throwsOverflow: throwsOverflow) })
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
      // Declared kinds were checked before; only JSON brings others. A filter that threw for single rows
      // would depend on which rows a plan looks at.
      if throwsOverflow {
        throw StoreError(.invalidCondition, "decimals and doubles cannot be mixed in arithmetic")
      }
      return .null
    }
  }
}

extension Operand.Function {
  /// The function's value; nil for nil.
  func applied(to value: StoredValue, isUnsigned: Bool) -> ArithmeticOutcome {
    switch (self, value) {
    case (_, .null): .value(.null)
    case (.length, .string(let text)): .value(.int(Int64(TextFolding.length(text))))
    case (.uppercase, .string(let text)): .value(.string(TextFolding.uppercase(text)))
    case (.lowercase, .string(let text)): .value(.string(TextFolding.lowercase(text)))
    case (.foldC, .string(let text)), (.foldD, .string(let text)), (.foldCD, .string(let text)),
      (.foldN, .string(let text)), (.foldCN, .string(let text)), (.foldDN, .string(let text)),
      (.foldCDN, .string(let text)):
      .value(.string(TextFolding.fold(text, folding ?? [])))
    case (.count, .array(let elements)): .value(.int(Int64(elements.count)))
    case (.count, .json): .value(value.elements.map { .int(Int64($0.count)) } ?? .null)
    case (.last, _): .value(value.elements?.last ?? .null)
    case (.abs, _): StoredValue.absolute(value, isUnsigned: isUnsigned)
    case (.ceiling, _): StoredValue.ceiling(value)
    case (.floor, _): StoredValue.floor(value)
    case (.trunc, _): StoredValue.truncate(value)
    case (.round, _): StoredValue.round(value)
    case (.sqrt, _): StoredValue.squareRoot(value)
    case (.exp, _): StoredValue.exponential(value)
    case (.ln, _): StoredValue.naturalLogarithm(value)
    case (.log, _): StoredValue.commonLogarithm(value)
    case (.onesComplement, _): StoredValue.bitwiseNot(value)
    case (.part(let part, let zone), .date(let date)): .value(part.value(of: date, in: zone))
    case (.cast(let kind), _): .value(value.cast(to: kind))
    // A function of another kind than its own, which only JSON can hold, gives nothing.
    case (.length, _), (.uppercase, _), (.lowercase, _), (.count, _), (.foldC, _), (.foldD, _),
      (.foldCD, _), (.foldN, _), (.foldCN, _), (.foldDN, _), (.foldCDN, _), (.part, _):
      .value(.null)
    }
  }
}
