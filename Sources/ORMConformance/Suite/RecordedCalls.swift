internal import ORM
internal import ORMCore

/// An instrument that records the ends of transactions and requests, and checks their beginnings.
final class RecordedCalls: StoreInstrument {
  private struct State {
    var transactions: [TransactionFacts] = []
    var operations: [OperationFacts] = []
    var notices: [StoreNotice] = []
    /// The numbers of open transactions and requests, each with the number of its transaction.
    var open: [UInt64: UInt64] = [:]
    var faults: [String] = []
  }

  private let state = Lock(State())
  /// Runs when a transaction has ended.
  private let whenEnded: @Sendable (TransactionFacts) -> Void
  /// Runs when a request has ended.
  private let whenRequestEnded: @Sendable (OperationFacts) -> Void

  init(
    whenEnded: @escaping @Sendable (TransactionFacts) -> Void = { _ in },
    whenRequestEnded: @escaping @Sendable (OperationFacts) -> Void = { _ in }
  ) {
    self.whenEnded = whenEnded
    self.whenRequestEnded = whenRequestEnded
  }

  let wantsStatements = true

  func began(_ transaction: TransactionFacts) -> (any Sendable)? {
    state.withLock { $0.open[transaction.number] = transaction.number }
    return transaction.number
  }

  func ended(_ transaction: TransactionFacts, _ mark: (any Sendable)?) {
    state.withLock { state in
      let number = transaction.number
      if state.open.removeValue(forKey: number) == nil || mark as? UInt64 != number {
        state.faults.append("an end without its beginning: \(transaction)")
      }
      if state.open.values.contains(number) {
        state.faults.append("a transaction that ends before its request: \(transaction)")
      }
      state.transactions.append(transaction)
    }
    whenEnded(transaction)
  }

  func began(_ operation: OperationFacts, in mark: (any Sendable)?) -> (any Sendable)? {
    state.withLock { state in
      let number = operation.transaction
      if state.open[number] == nil || mark as? UInt64 != number {
        state.faults.append("a request outside of its transaction: \(operation)")
      }
      state.open[operation.number] = number
    }
    return operation.number
  }

  func ended(_ operation: OperationFacts, _ mark: (any Sendable)?) {
    state.withLock { state in
      let number = operation.number
      if state.open.removeValue(forKey: number) == nil || mark as? UInt64 != number {
        state.faults.append("an end without its beginning: \(operation)")
      }
      state.operations.append(operation)
    }
    whenRequestEnded(operation)
  }

  func noticed(_ notice: StoreNotice) { state.withLock { $0.notices.append(notice) } }

  /// The transactions that have ended since the last call, in the order of their ends.
  func takeTransactions() -> [TransactionFacts] {
    state.withLock { state in
      defer { state.transactions = [] }
      return state.transactions
    }
  }

  /// The requests that have ended since the last call, in the order of their ends.
  func takeOperations() -> [OperationFacts] {
    state.withLock { state in
      defer { state.operations = [] }
      return state.operations
    }
  }

  /// The warnings since the last call.
  func takeWarnings() -> [StoreNotice] {
    state.withLock { state in
      defer { state.notices = [] }
      return state.notices.filter { $0.level == .warning }
    }
  }

  /// The warnings since the last call, once there are as many as this, or ten seconds have passed: a store
  /// that reads the plan of a slow operation tells of it later.
  func takeWarnings(_ count: Int) async throws -> [StoreNotice] {
    for _ in 0..<10_000 {
      let warnings = state.withLock { $0.notices.count { $0.level == .warning } }
      if warnings >= count { break }
      try await Task.sleep(for: .milliseconds(1))
    }
    return takeWarnings()
  }

  /// The number of transactions and requests that have not ended.
  var openCount: Int { state.withLock { $0.open.count } }

  /// The calls that no instrument may get; none is right.
  var faults: [String] { state.withLock { $0.faults } }
}

extension ConformanceContext {
  /// A new store with an instrument, whose limits of time outlast a machine under load unless a case sets
  /// them.
  func open(
    _ models: any Persistable.Type..., instrument: RecordedCalls,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    options.instruments = [instrument]
    options.instrumentLimits.slowOperation = .seconds(3_600)
    options.instrumentLimits.heldSnapshot = .seconds(3_600)
    options.instrumentLimits.mainThread = .seconds(3_600)
    change(&options)
    return try open(Schema(models: models), options: options)
  }

  /// Expects that all calls of an instrument have come to their end, each once.
  func expectComplete(
    _ calls: RecordedCalls, file: String = #fileID, line: Int = #line
  ) throws {
    try expectEqual(calls.faults, [], "the calls of the instrument", file: file, line: line)
    try expectEqual(calls.openCount, 0, "open calls", file: file, line: line)
  }
}
