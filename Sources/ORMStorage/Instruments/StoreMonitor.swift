internal import Dispatch
package import Foundation
internal import ORMValues
internal import Synchronization

/// The instruments of one store, and the warnings that it has given; a store without instruments has none.
///
/// Instruments are called here and nowhere else, without a lock.
package final class StoreMonitor: Sendable {
  /// True while an instrument is called on this thread, or in this task: its own calls are not reported.
  @TaskLocal package static var isReporting = false

  private static let lastNumber = Atomic<UInt64>(0)
  /// The most warnings that are remembered; further shapes are not warned of.
  private static var mostWarnings: Int { 1_000 }

  let instruments: [any StoreInstrument]
  let limits: InstrumentLimits
  /// The store.
  package let store: StoreFacts
  /// True if an instrument wants the statements of operations.
  package let wantsStatements: Bool
  private let given = Lock<Set<Warning>>([])
  private let open = Lock<[UInt64: UInt64]>([:])
  private let committed = Lock<Date?>(nil)

  /// The key under which a warning is given once.
  struct Warning: Hashable {
    var kind: StoreNotice.Kind
    var entity: String?
    var shape: FetchShape?
  }

  /// Makes the monitor of a store; nil without instruments.
  package init?(
    _ instruments: [any StoreInstrument], limits: InstrumentLimits, name: String, system: String
  ) {
    if instruments.isEmpty { return nil }
    self.instruments = instruments
    self.limits = limits
    store = StoreFacts(name: name, system: system)
    wantsStatements = instruments.contains { $0.wantsStatements }
  }

  /// A number that no other transaction or operation of the process has.
  static func nextNumber() -> UInt64 {
    lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Begins a transaction; nil for one that an instrument asks for.
  ///
  /// - Parameter isBlocking: true if the calling thread waits for it.
  package func begin(
    _ access: TransactionFacts.Access, isBlocking: Bool = false
  ) -> TransactionSpan? {
    if Self.isReporting { return nil }
    return TransactionSpan(self, access, isOnMainThread: isBlocking && Self.isOnMainThread)
  }

  /// A key that only the main queue has.
  private static let mainQueue: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// True on the main thread, and in code of the main actor.
  ///
  /// On Linux the main queue of an async program leaves the main thread at the first wait.
  private static var isOnMainThread: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) == true
  }

  /// Runs a body whose transactions are not reported, since they are part of one that is.
  package static func unreported<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $isReporting.withValue(true, operation: body)
  }

  /// Runs a body as the library's own: its transactions are not reported.
  package static func unreported(_ body: () -> Void) { $isReporting.withValue(true) { body() } }

  func begin(_ facts: TransactionFacts) -> [(any Sendable)?] {
    open.withLock { $0[facts.number] = RunningOperation.now }
    return Self.$isReporting.withValue(true) { instruments.map { $0.began(facts) } }
  }

  func end(_ facts: TransactionFacts, _ states: [(any Sendable)?]) {
    open.withLock { $0[facts.number] = nil }
    if facts.access == .write, facts.errorCode == nil, facts.rowsWritten > 0 {
      committed.withLock { $0 = Date() }
    }
    Self.$isReporting.withValue(true) {
      for (instrument, state) in zip(instruments, states) { instrument.ended(facts, state) }
    }
  }

  func begin(
    _ facts: OperationFacts, in states: [(any Sendable)?]
  ) -> [(any Sendable)?] {
    Self.$isReporting.withValue(true) {
      zip(instruments, states).map { $0.began(facts, in: $1) }
    }
  }

  func end(_ facts: OperationFacts, _ states: [(any Sendable)?]) {
    Self.$isReporting.withValue(true) {
      for (instrument, state) in zip(instruments, states) { instrument.ended(facts, state) }
    }
  }

  /// Gives a notice each time.
  func notice(_ notice: StoreNotice) {
    Self.$isReporting.withValue(true) {
      for instrument in instruments { instrument.noticed(notice) }
    }
  }

  /// Gives a warning, unless it was given for the same shape before.
  ///
  /// - Parameter make: makes the warning; called at most once for a shape.
  func warn(_ warning: Warning, _ make: (StoreFacts) -> StoreNotice) {
    if isNew(warning) { notice(make(store)) }
  }

  /// Returns whether a warning is to be given; true once for a shape.
  func isNew(_ warning: Warning) -> Bool {
    given.withLock { given in
      given.count < Self.mostWarnings && given.insert(warning).inserted
    }
  }

  /// Reports that a transaction runs again, after a conflict with others.
  package func retried(run: Int) {
    if Self.isReporting { return }
    notice(
      StoreNotice(
        .retried, store: store, "A transaction conflicted with others and begins run \(run)."))
  }

  /// Warns of a stream that holds its snapshot for long, or has lost it.
  ///
  /// - Parameter age: the time since the stream began.
  package func heldSnapshot(entity: String, age: Duration, isLost: Bool) {
    guard isLost || age > limits.heldSnapshot else { return }
    warn(Warning(kind: .heldSnapshot, entity: entity + (isLost ? " lost" : ""), shape: nil)) {
      StoreNotice(
        .heldSnapshot, store: $0,
        isLost
          ? "A stream of \(entity) was idle for too long and lost its snapshot."
          : "A stream of \(entity) has held its snapshot for \(age.inMilliseconds).",
        remedy: "read faster, or fetch pages with `fetchPage`, which hold nothing between them",
        entity: entity)
    }
  }

  /// The time since the oldest open transaction began; nil without any.
  package var oldestTransaction: Duration? {
    let now = RunningOperation.now
    return open.withLock { $0.values.min() }.map {
      .nanoseconds(Int64(clamping: now - min($0, now)))
    }
  }

  /// The time of the last write of this program that was committed; nil before the first.
  package var lastCommit: Date? { committed.withLock { $0 } }
}
