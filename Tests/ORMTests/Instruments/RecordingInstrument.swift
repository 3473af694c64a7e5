import Dispatch
import Foundation
import ORM
import ORMCore
import Testing

/// An instrument that records its calls.
final class RecordingInstrument: StoreInstrument {
  struct Calls: Sendable {
    var begunTransactions: [UInt64] = []
    var transactions: [TransactionFacts] = []
    var begunOperations: [UInt64] = []
    var operations: [OperationFacts] = []
    var notices: [StoreNotice] = []
    /// The ends whose state was not that of their beginning.
    var strayStates = 0
    /// The operations that did not get the state of their transaction.
    var strayParents = 0
  }

  private let calls = Lock(Calls())
  let wantsStatements: Bool
  /// Runs when a transaction has ended.
  private let whenEnded: @Sendable (TransactionFacts) -> Void
  /// Runs when an operation has ended.
  private let whenOperationEnded: @Sendable (OperationFacts) -> Void

  init(
    wantsStatements: Bool = false,
    whenEnded: @escaping @Sendable (TransactionFacts) -> Void = { _ in },
    whenOperationEnded: @escaping @Sendable (OperationFacts) -> Void = { _ in }
  ) {
    self.wantsStatements = wantsStatements
    self.whenEnded = whenEnded
    self.whenOperationEnded = whenOperationEnded
  }

  var seen: Calls { calls.withLock { $0 } }

  func began(_ transaction: TransactionFacts) -> (any Sendable)? {
    calls.withLock { $0.begunTransactions.append(transaction.number) }
    return transaction.number
  }

  func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
    let isStray = state as? UInt64 != transaction.number
    calls.withLock {
      $0.transactions.append(transaction)
      if isStray { $0.strayStates += 1 }
    }
    whenEnded(transaction)
  }

  func began(_ operation: OperationFacts, in state: (any Sendable)?) -> (any Sendable)? {
    let isStray = state as? UInt64 != operation.transaction
    calls.withLock {
      $0.begunOperations.append(operation.number)
      if isStray { $0.strayParents += 1 }
    }
    return operation.number
  }

  func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
    let isStray = state as? UInt64 != operation.number
    calls.withLock {
      $0.operations.append(operation)
      if isStray { $0.strayStates += 1 }
    }
    whenOperationEnded(operation)
  }

  func noticed(_ notice: StoreNotice) { calls.withLock { $0.notices.append(notice) } }

  /// True if each transaction and operation that began has ended.
  private var isComplete: Bool {
    calls.withLock { calls in
      calls.transactions.count >= calls.begunTransactions.count
        && calls.operations.count >= calls.begunOperations.count
    }
  }

  /// Checks that each beginning has one end, and forgets the calls; returns them.
  ///
  /// A transaction is reported once its slot is released. So one that waited for it may be done before, and
  /// the reports are waited for.
  @discardableResult
  func takeComplete(sourceLocation: SourceLocation = #_sourceLocation) -> Calls {
    let end = ContinuousClock.now + .seconds(30)
    while !isComplete, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.001) }
    let calls = calls.withLock { calls in
      defer { calls = Calls() }
      return calls
    }
    let transactions = calls.transactions.map(\.number)
    #expect(
      transactions.sorted() == calls.begunTransactions.sorted(), sourceLocation: sourceLocation)
    #expect(Set(transactions).count == transactions.count, sourceLocation: sourceLocation)
    let operations = calls.operations.map(\.number)
    #expect(operations.sorted() == calls.begunOperations.sorted(), sourceLocation: sourceLocation)
    #expect(Set(operations).count == operations.count, sourceLocation: sourceLocation)
    #expect(calls.strayStates == 0, sourceLocation: sourceLocation)
    #expect(calls.strayParents == 0, sourceLocation: sourceLocation)
    return calls
  }
}

/// An error of a program, of no code of the store's.
struct ProgramError: Error {}
