internal import CSQLite
package import SQLEngine

/// The columns passed to a function, as a row of the evaluator's frame; valid during the call.
package struct SQLiteArgumentRow: SQLRow {
  private let values: UnsafeMutablePointer<OpaquePointer?>?
  private let count: Int
  /// The number of arguments that come before the columns.
  private let first: Int
  private let evaluator: SQLEvaluator
  /// The number of the first column's argument among all that the evaluation has.
  private let start: Int

  init(
    _ arguments: SQLiteArguments, _ evaluator: SQLEvaluator, first: Int = 1, start: Int = 0
  ) {
    values = arguments.values
    count = arguments.count
    self.first = first
    self.start = start
    self.evaluator = evaluator
  }

  package var layout: SQLRowLayout { evaluator.layout }

  /// The value of a column; nil, which reads as null, for one that is not among the arguments.
  @inline(__always)
  private func value(_ column: Int) -> OpaquePointer? {
    let argument = column - start + first
    guard argument >= first, argument < count else { return nil }
    return values?[argument]
  }

  package func rawKind(at column: Int) -> SQLValue.Kind {
    guard let value = value(column) else { return .null }
    return SQLValue.Kind(sqlite: sqlite3_value_type(value))
  }
  package func rawInt64(at column: Int) -> Int64 {
    value(column).map { sqlite3_value_int64($0) } ?? 0
  }
  package func rawDouble(at column: Int) -> Double {
    value(column).map { sqlite3_value_double($0) } ?? 0
  }
  package func rawText(at column: Int) -> UnsafeRawBufferPointer {
    guard let value = value(column), let start = sqlite3_value_text(value) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
  package func rawBlob(at column: Int) -> UnsafeRawBufferPointer {
    guard let value = value(column), let start = sqlite3_value_blob(value) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}
