internal import FoundationEssentials
package import ORMCore

/// What a statement's functions work with: one evaluation, bound to the values of one run.
///
/// It belongs to the one thread that runs the statement.
package final class SQLEvaluator {
  /// What the arguments are.
  package let layout: SQLRowLayout
  private let work: Work
  /// What an aggregate has come to; used by the one thread, and by nothing that it calls.
  @exclusivity(unchecked) private var aggregator = Aggregator(.count)
  /// What an aggregate is over, where that is a column of numbers, the only one there is.
  package let summed: Summed?
  private let maximumValueSize: Int
  /// Arguments that came in calls before the one that evaluates, by position.
  private var early: [Int: StoredValue] = [:]

  /// The kind of a column of numbers.
  package enum Summed {
    case integers, doubles
  }

  enum Work {
    case test(BoundCondition)
    case assigned(BoundOperand, StoredColumn)
    case value(BoundOperand, SQLRowLayout.Column, throwsOverflow: Bool)
    case order(BoundOperand, AttributeType.Kind?, TextOptions)
    case aggregate(BoundOperand?, Aggregator)
    case total(BoundOperand?, Aggregator, SQLRowLayout.Column, throwsOverflow: Bool)
    case query(SQLInnerRun)
  }

  init(_ work: Work, _ layout: SQLRowLayout, maximumValueSize: Int = .max) {
    self.work = work
    self.maximumValueSize = maximumValueSize
    self.layout = layout
    guard case .aggregate(let operand, let aggregator) = work else {
      summed = nil
      return
    }
    self.aggregator = aggregator
    guard operand?.column == 0, layout.columns.count == 1 else {
      summed = nil
      return
    }
    summed =
      switch layout.columns[0].type.kind {
      case .double: .doubles
      case .int: .integers
      default: nil
      }
  }

  /// Whether a condition holds for a row of arguments.
  package func test<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> Bool {
    guard case .test(let condition) = work else { throw Self.misuse }
    if !early.isEmpty { return try condition.matches(whole(row)) }
    return try condition.matches(row)
  }

  /// A value of a row, in the form in which the engine keeps it or orders by it.
  package func value<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> SQLResult {
    if !early.isEmpty { return try value(ofWhole: whole(row)) }
    return try value(ofWhole: row)
  }

  /// Takes the integer of a row into an aggregate over ``Summed/integers``.
  @inline(__always)
  package func add(int64 value: Int64) { aggregator.add(int64: value) }

  /// Takes the double of a row into an aggregate over ``Summed/doubles``.
  @inline(__always)
  package func add(double value: Double) { aggregator.add(double: value) }

  /// Takes a row into an aggregate.
  package func add<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    guard case .aggregate(let operand, _) = work else { throw Self.misuse }
    guard let operand else { return aggregator.add(.bool(true)) }
    aggregator.add(try early.isEmpty ? operand.evaluate(row) : operand.evaluate(whole(row)))
  }

  /// What an aggregate came to.
  package func total() throws -> StoredValue {
    guard case .aggregate = work else { throw Self.misuse }
    return try aggregator.result()
  }

  /// An aggregate over related rows, of nothing yet.
  package func newTotal() throws -> Aggregator {
    guard case .total(_, let aggregator, _, _) = work else { throw Self.misuse }
    return aggregator
  }

  /// Takes a row into an aggregate over related rows.
  package func add<R: RowReader & ~Copyable>(
    _ row: borrowing R, to total: inout Aggregator
  ) throws {
    guard case .total(let operand, _, _, let throwsOverflow) = work else { throw Self.misuse }
    guard let operand else { return total.add(.bool(true)) }
    total.add(
      try early.isEmpty
        ? operand.evaluate(row, throwsOverflow: throwsOverflow)
        : operand.evaluate(whole(row), throwsOverflow: throwsOverflow))
  }

  /// What an aggregate over related rows came to.
  package func result(of total: Aggregator) throws -> SQLResult {
    guard case .total(_, _, let column, let throwsOverflow) = work else { throw Self.misuse }
    do {
      return SQLResult(try total.result(), in: column)
    } catch let error as StoreError where error.code == .overflow && !throwsOverflow {
      return .null
    }
  }

  /// Takes columns that do not fit into the call that evaluates: the arguments from `first` on.
  package func take<R: RowReader & ~Copyable>(_ row: borrowing R, first: Int, count: Int) throws {
    for column in first..<first + count { early[column] = try row.value(at: column) }
  }

  private func value<R: RowReader & ~Copyable>(ofWhole row: borrowing R) throws -> SQLResult {
    switch work {
    case .assigned(let operand, let column):
      return SQLResult(
        storing: try assigned(operand, column, row),
        as: column.type.kind)
    case .value(let operand, let column, let throwsOverflow):
      return SQLResult(
        try operand.evaluate(row, throwsOverflow: throwsOverflow), in: column)
    case .order(let operand, let kind, let options):
      return SQLResult(ordering: try operand.evaluate(row).folded(options), as: kind)
    case .query(let run): return try run.value(row)
    case .test, .aggregate, .total: throw Self.misuse
    }
  }

  private func assigned<R: RowReader & ~Copyable>(
    _ operand: BoundOperand, _ column: StoredColumn, _ row: borrowing R
  ) throws -> StoredValue {
    do {
      return try operand.evaluateForUpdate(row).assigned(
        to: column, of: layout.entity, limit: maximumValueSize)
    } catch let error as StoreError {
      throw error.filling(entity: layout.entity, attributes: [column.attribute])
    }
  }

  /// The row with the columns that came early.
  private func whole<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> BufferedRow {
    var values: [StoredValue] = []
    for column in layout.columns.indices {
      values.append(try early[column] ?? row.value(at: column))
    }
    return BufferedRow(values)
  }

  private static var misuse: StoreError {
    StoreError(.engine, "a function of the store was called with another's evaluator")
  }
}

extension BoundOperand {
  fileprivate func evaluate<R: RowReader & ~Copyable>(
    _ row: borrowing R, throwsOverflow: Bool
  ) throws -> StoredValue {
    try throwsOverflow ? evaluateForUpdate(row) : evaluate(row)
  }
}
