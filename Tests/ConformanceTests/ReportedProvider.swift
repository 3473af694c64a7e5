import Foundation
import ORM
import ORMConformance
import Testing

/// A provider whose stores have an instrument: cases hold with one too, and it sees each transaction and
/// each request once (clause 13.5).
struct ReportedProvider<Base: StoreProvider>: StoreProvider {
  private let base: Base
  private let calls = BalancedCalls()

  init(_ base: Base) { self.base = base }

  var name: String { base.name }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try base.make(schema: schema, options: reported(options))
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try base.reopen(store, schema: schema, options: reported(options))
  }

  func cleanUp() throws {
    calls.expectBalance()
    try base.cleanUp()
  }

  private func reported(_ options: StoreOptions) -> StoreOptions {
    var options = options
    options.instruments.append(calls)
    return options
  }
}

/// An instrument that matches beginnings and ends.
private final class BalancedCalls: StoreInstrument {
  private struct State {
    /// What has begun and has not ended, by its number.
    var open: [UInt64: String] = [:]
    var faults: [String] = []
  }

  private let state = Lock(State())
  let wantsStatements = true

  func began(_ transaction: TransactionFacts) -> (any Sendable)? {
    begin(transaction.number, "\(transaction)")
  }

  func ended(_ transaction: TransactionFacts, _ mark: (any Sendable)?) {
    end(transaction.number, mark, "\(transaction)")
  }

  func began(_ operation: OperationFacts, in mark: (any Sendable)?) -> (any Sendable)? {
    state.withLock { state in
      if state.open[operation.transaction] == nil || mark as? UInt64 != operation.transaction {
        state.faults.append("outside of its transaction: \(operation)")
      }
    }
    return begin(operation.number, "\(operation)")
  }

  func ended(_ operation: OperationFacts, _ mark: (any Sendable)?) {
    end(operation.number, mark, "\(operation)")
  }

  private func begin(_ number: UInt64, _ text: String) -> UInt64 {
    state.withLock { $0.open[number] = text }
    return number
  }

  private func end(_ number: UInt64, _ mark: (any Sendable)?, _ text: String) {
    state.withLock { state in
      if state.open.removeValue(forKey: number) == nil || mark as? UInt64 != number {
        state.faults.append("an end without its beginning: \(text)")
      }
    }
  }

  /// Checks that all has ended; work on a stream's batch may release the stream after its case.
  func expectBalance() {
    let end = Date(timeIntervalSinceNow: 10)
    while Date() < end, state.withLock({ !$0.open.isEmpty }) {
      Thread.sleep(forTimeInterval: 0.001)
    }
    let (open, faults) = state.withLock { (Array($0.open.values), $0.faults) }
    #expect(open == [])
    #expect(faults == [])
  }
}
