public import ORMStorage

/// One evaluation of core's, bound to the values of one run, for the functions of ``SQLFunction``.
///
/// It belongs to the one thread that runs the statement. Every error that it throws fails the statement.
public final class SQLEvaluator {
  /// The columns of the rows that it is given.
  public let layout: SQLRowLayout
  private let work: Work
  /// The running state of an aggregate.
  ///
  /// Only the thread that runs the statement uses it, and nothing that the evaluator calls does. Checks of
  /// its accesses were an eighth of a sum of doubles.
  @exclusivity(unchecked) private var aggregator = Aggregator(.count)
  /// The kind of the column of an aggregate over one column of numbers; nil for all else.
  public let summed: Summed?
  private let maximumValueSize: Int
  /// Arguments that came in calls before the one that evaluates, by position.
  private var early: [Int: StoredValue] = [:]

  /// The kind of a column of numbers.
  public enum Summed: Sendable {
    /// Integers, which ``SQLEvaluator/add(int64:)`` takes.
    case integers
    /// Doubles, which ``SQLEvaluator/add(double:)`` takes.
    case doubles
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

  /// Returns whether a condition holds for a row.
  public func test<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> Bool {
    guard case .test(let condition) = work else { throw Self.misuse }
    if !early.isEmpty { return try condition.matches(whole(row)) }
    return try condition.matches(row)
  }

  /// Returns a value of a row, in the form in which the database keeps it or orders by it.
  public func value<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> SQLValue {
    if !early.isEmpty { return try value(ofWhole: whole(row)) }
    return try value(ofWhole: row)
  }

  /// Adds the integer of a row to an aggregate over ``Summed/integers``: the same as ``add(_:)``, and
  /// faster.
  @inline(__always)
  public func add(int64 value: Int64) { aggregator.add(int64: value) }

  /// Adds the double of a row to an aggregate over ``Summed/doubles``: the same as ``add(_:)``, and
  /// faster.
  @inline(__always)
  public func add(double value: Double) { aggregator.add(double: value) }

  /// Adds a row to an aggregate over all rows.
  public func add<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    guard case .aggregate(let operand, _) = work else { throw Self.misuse }
    guard let operand else { return aggregator.add(.bool(true)) }
    aggregator.add(try early.isEmpty ? operand.evaluate(row) : operand.evaluate(whole(row)))
  }

  /// Returns the result of an aggregate over all rows.
  package func total() throws -> StoredValue {
    guard case .aggregate = work else { throw Self.misuse }
    return try aggregator.result()
  }

  /// The running total of one group of rows.
  public struct Total: Sendable {
    fileprivate var aggregator: Aggregator
  }

  /// Returns the total of no rows.
  public func newTotal() throws -> Total {
    guard case .total(_, let aggregator, _, _) = work else { throw Self.misuse }
    return Total(aggregator: aggregator)
  }

  /// Adds a row to a total.
  public func add<R: RowReader & ~Copyable>(
    _ row: borrowing R, to total: inout Total
  ) throws {
    guard case .total(let operand, _, _, let throwsOverflow) = work else { throw Self.misuse }
    guard let operand else { return total.aggregator.add(.bool(true)) }
    total.aggregator.add(
      try early.isEmpty
        ? operand.evaluate(row, throwsOverflow: throwsOverflow)
        : operand.evaluate(whole(row), throwsOverflow: throwsOverflow))
  }

  /// Returns the result of a total.
  public func result(of total: Total) throws -> SQLValue {
    guard case .total(_, _, let column, let throwsOverflow) = work else { throw Self.misuse }
    do {
      return SQLValue(try total.aggregator.result(), in: column)
    } catch let error as StoreError where error.code == .overflow && !throwsOverflow {
      return .null
    }
  }

  /// Keeps `count` columns of a row from `first` on for the call that evaluates, which has no room for
  /// them.
  public func take<R: RowReader & ~Copyable>(_ row: borrowing R, first: Int, count: Int) throws {
    for column in first..<first + count { early[column] = try row.value(at: column) }
  }

  private func value<R: RowReader & ~Copyable>(ofWhole row: borrowing R) throws -> SQLValue {
    switch work {
    case .assigned(let operand, let column):
      return SQLValue(
        storing: try assigned(operand, column, row),
        as: column.type.kind)
    case .value(let operand, let column, let throwsOverflow):
      return SQLValue(
        try operand.evaluate(row, throwsOverflow: throwsOverflow), in: column)
    case .order(let operand, let kind, let options):
      return SQLValue(ordering: try operand.evaluate(row).folded(options), as: kind)
    case .query(let run): return try run.value(row)
    case .test, .aggregate, .total: throw Self.misuse
    }
  }

  private func assigned<R: RowReader & ~Copyable>(
    _ operand: BoundOperand, _ column: StoredColumn, _ row: borrowing R
  ) throws -> StoredValue {
    do {
      return try operand.evaluateForUpdate(row).assigned(
        to: column, of: layout.entity, limit: maximumValueSize, isConstant: operand.isConstant)
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
