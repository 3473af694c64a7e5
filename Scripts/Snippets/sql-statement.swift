/// A statement of a backend, with the values of its row.
final class MyStatement: SQLStatement {
  struct Value {
    var kind = SQLValue.Kind.null
    var integer: Int64 = 0
    var double = 0.0
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func value(at column: Int) -> Value { Value() }
  func bindNull(at parameter: Int) throws {}
  func bind(_ value: Int64, at parameter: Int) throws {}
  func bind(_ value: Double, at parameter: Int) throws {}
  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws {}
  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws {}
  func bind(evaluator: SQLEvaluator, at parameter: Int) throws {}
  func step() throws -> Bool { false }
  func rewind() {}
  func isNull(at column: Int) -> Bool { true }
  func int64(at column: Int) -> Int64 { 0 }
  func text(at column: Int) -> String? { nil }
}

// SNIPPET
