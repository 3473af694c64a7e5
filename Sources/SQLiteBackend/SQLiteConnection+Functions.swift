internal import ORMStorage
internal import SQLEngine

extension SQLiteConnection {
  /// Registers the functions of ``SQLFunction``.
  func registerFunctions() throws {
    try register(function: SQLFunction.test.rawValue, argumentCount: -1) { arguments, output in
      let evaluator = try Self.evaluator(arguments)
      output.set(try evaluator.test(SQLiteArgumentRow(arguments, evaluator)))
    }
    try register(function: SQLFunction.value.rawValue, argumentCount: -1) { arguments, output in
      let evaluator = try Self.evaluator(arguments)
      output.set(result: try evaluator.value(SQLiteArgumentRow(arguments, evaluator)))
    }
    try register(function: SQLFunction.query.rawValue, argumentCount: -1) { arguments, output in
      let evaluator = try Self.evaluator(arguments)
      output.set(result: try evaluator.value(SQLiteArgumentRow(arguments, evaluator)))
    }
    try register(aggregate: SQLFunction.total.rawValue, argumentCount: -1, { TotalCall() })
    try register(function: SQLFunction.more.rawValue, argumentCount: -1) { arguments, output in
      let evaluator = try Self.evaluator(arguments)
      let start = Int(arguments[1].int64)
      try evaluator.take(
        SQLiteArgumentRow(arguments, evaluator, first: 2, start: start), first: start,
        count: arguments.count - 2)
    }
    try register(
      aggregate: SQLFunction.aggregate.rawValue, argumentCount: -1, { AggregateCall() })
    try register(rowCounter: SQLFunction.rowCounter.rawValue)
    try register(
      checksum: SQLFunction.checksum.rawValue, requirement: SQLFunction.intact.rawValue)
    try register(function: SQLFunction.differs.rawValue, argumentCount: 2) { arguments, output in
      output.set(arguments[0].double.bitPattern != arguments[1].double.bitPattern)
    }
    try register(function: SQLFunction.fold.rawValue, argumentCount: 1) { arguments, output in
      guard let text = arguments[0].text else { return }
      output.set(TextFolding.fold(text, .caseInsensitive))
    }
  }

  /// Steps go to the evaluator, which holds the result.
  private final class AggregateCall: SQLiteAggregate {
    /// The same for every row of a run; used by the one thread, and by nothing that it calls.
    private var evaluator: SQLEvaluator?

    override func step(_ arguments: SQLiteArguments) throws {
      if evaluator == nil { evaluator = try SQLiteConnection.evaluator(arguments) }
      guard let evaluator else { return }
      if let summed = evaluator.summed, arguments.count == 2 {
        let value = arguments[1]
        switch (summed, value.kind) {
        case (.doubles, .real): return evaluator.add(double: value.double)
        case (.integers, .integer): return evaluator.add(int64: value.int64)
        default: break
        }
      }
      try evaluator.add(SQLiteArgumentRow(arguments, evaluator))
    }
  }

  /// Every run over rows has a total of its own.
  private final class TotalCall: SQLiteAggregate {
    private var evaluator: SQLEvaluator?
    private var total: SQLEvaluator.Total?

    override func step(_ arguments: SQLiteArguments) throws {
      let evaluator = try SQLiteConnection.evaluator(arguments)
      self.evaluator = evaluator
      var total = try self.total.take() ?? evaluator.newTotal()
      defer { self.total = total }
      try evaluator.add(SQLiteArgumentRow(arguments, evaluator), to: &total)
    }

    override func finish(_ output: SQLiteOutput) throws {
      if let evaluator, let total { output.set(result: try evaluator.result(of: total)) }
    }
  }

  fileprivate static func evaluator(_ arguments: SQLiteArguments) throws -> SQLEvaluator {
    guard let evaluator = arguments[0].object(SQLiteObjectTag.evaluator) else {
      throw StoreError(.engine, "a function of the store was called without its evaluator")
    }
    return evaluator
  }
}

extension SQLiteOutput {
  /// Sets the result of an evaluator.
  fileprivate func set(result: SQLValue) {
    switch result {
    case .null: setNull()
    case .integer(let value): set(value)
    case .real(let value): set(value)
    case .text(let value): set(value)
    case .blob(let value): value.withUnsafeBytes { set(blob: $0) }
    }
  }
}
