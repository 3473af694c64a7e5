internal import ORMValues

/// One transaction that instruments follow, from the request for a turn until it gave up its turn.
///
/// It ends once, whichever thread ends it first. Its state is under a lock of its own, which is released
/// before an instrument is called.
package final class TransactionSpan: Sendable {
  let monitor: StoreMonitor
  private let states: [(any Sendable)?]
  private let isOnMainThread: Bool
  private let start: UInt64
  private let state: Lock<State>

  private struct State {
    var facts: TransactionFacts
    /// The time of the turn; nil before.
    var entered: UInt64?
    var failure: StoreError.Code?
    var isOver = false
    /// The number of operations of the library that send requests of their own.
    var depth = 0
    var requests = RepeatedRequests()
  }

  init(
    _ monitor: StoreMonitor, _ access: TransactionFacts.Access, isOnMainThread: Bool
  ) {
    let facts = TransactionFacts(
      number: StoreMonitor.nextNumber(), store: monitor.store, access: access)
    self.monitor = monitor
    self.isOnMainThread = isOnMainThread
    start = RunningOperation.now
    states = monitor.begin(facts)
    state = Lock(State(facts: facts))
  }

  /// Ends a transaction that was released without an end, as a stream is.
  deinit { end(nil) }

  /// Notes that the transaction has its turn, and begins to run; also for each further run.
  package func enter() {
    let now = RunningOperation.now
    state.withLock { state in
      state.facts.attempts += 1
      guard state.entered == nil else { return }
      state.entered = now
      state.facts.waited = Self.duration(from: start, to: now)
    }
  }

  /// Notes the number of the transaction's run.
  package func run(_ number: Int) {
    state.withLock { $0.facts.attempts = max($0.facts.attempts, number) }
  }

  /// Notes whether the transaction is a single operation.
  package func note(isOperation: Bool) {
    state.withLock { $0.facts.isOperation = isOperation }
  }

  /// Adds trips to a server.
  package func add(trips: Int) { state.withLock { $0.facts.trips = ($0.facts.trips ?? 0) + trips } }

  /// Notes the error with which the transaction is about to end.
  package func fail(_ error: any Error) {
    let code = StoreError.Code(of: error)
    state.withLock { $0.failure = code }
  }

  /// Ends the transaction; does nothing if it has ended.
  package func end(_ error: (any Error)?) {
    let now = RunningOperation.now
    let code = error.map { StoreError.Code(of: $0) }
    let facts = state.withLock { state -> TransactionFacts? in
      if state.isOver { return nil }
      state.isOver = true
      state.facts.errorCode = code ?? state.failure
      if let entered = state.entered {
        state.facts.ran = Self.duration(from: entered, to: now)
      } else {
        state.facts.waited = Self.duration(from: start, to: now)
      }
      return state.facts
    }
    guard let facts else { return }
    monitor.end(facts, states)
    if isOnMainThread { warnOfMainThread(facts) }
  }

  /// Gives the transaction up without a report.
  package func abandon() { state.withLock { $0.isOver = true } }

  private func warnOfMainThread(_ facts: TransactionFacts) {
    let held = facts.waited + facts.ran
    guard held > monitor.limits.mainThread else { return }
    let name = [facts.operation?.rawValue, facts.entity].compactMap { $0 }.joined(separator: " ")
    let key = StoreMonitor.Warning(kind: .blockedMainThread, entity: name, shape: nil)
    monitor.warn(key) {
      StoreNotice(
        .blockedMainThread, store: $0,
        "A \(facts.access.rawValue)\(name.isEmpty ? "" : " (\(name))") held the main thread for "
          + "\(held.inMilliseconds).",
        remedy: "call the async form with `try await`, or a block with a completion handler",
        entity: facts.entity)
    }
  }

  /// Begins an operation of the library whose requests are not the program's.
  package func enterOperation() { state.withLock { $0.depth += 1 } }

  /// Ends an operation of the library.
  package func leaveOperation() { state.withLock { $0.depth -= 1 } }

  /// Begins a request.
  ///
  /// - Parameter entity: the entity's name in the program.
  package func begin(
    _ kind: OperationKind, entity: String, shape: FetchShape? = nil
  ) -> OperationSpan {
    let facts = state.withLock { state -> OperationFacts in
      if state.facts.operations == 0 {
        state.facts.operation = kind
        state.facts.entity = entity
      }
      state.facts.operations += 1
      var facts = OperationFacts(
        number: StoreMonitor.nextNumber(), transaction: state.facts.number, store: monitor.store,
        operation: kind, entity: entity, shape: shape,
        isInternal: state.depth > 0 && kind.isReading)
      facts.attempt = max(1, state.facts.attempts)
      if state.facts.operations == 1 { facts.waited = state.facts.waited }
      return facts
    }
    return OperationSpan(facts, states: monitor.begin(facts, in: states))
  }

  /// Ends a request, and warns of it where it hurts.
  ///
  /// - Parameters:
  ///   - operation: the request, with its rows and times.
  ///   - values: a hash of the values that were bound; nil for a request without.
  ///   - schema: the store's schema, for the remedies.
  ///   - plan: describes how the store answers the request, without values; called once for a shape.
  ///   - later: finds the description after the call, and gives it to its argument once; returns false if it
  ///     does not. Asked before `plan`, once for a shape.
  package func end(
    _ operation: OperationSpan, values: Int? = nil, schema: @autoclosure () -> StoredSchema,
    plan: () -> String? = { nil },
    later: (@escaping @Sendable (String?) -> Void) -> Bool = { _ in false }
  ) {
    let facts = operation.facts
    let repeated = state.withLock { state -> RepeatedRequests.Found? in
      if facts.isWrite {
        state.facts.rowsWritten += facts.rows
      } else {
        state.facts.rowsReturned += facts.rows
      }
      // A single operation repeats nothing; its kind is known when its turn comes.
      if facts.isInternal || state.facts.isOperation { return nil }
      return state.requests.add(facts, values: values, monitor.limits)
    }
    monitor.end(facts, operation.states)
    if let repeated { warn(of: repeated, facts, schema()) }
    if facts.ran > monitor.limits.slowOperation { warnOfTime(facts, plan, later) }
    warnOfRows(facts)
  }

  private func warn(
    of found: RepeatedRequests.Found, _ facts: OperationFacts, _ schema: StoredSchema
  ) {
    switch found {
    case .queries(let shape, let count, let earlier):
      monitor.warn(StoreMonitor.Warning(kind: .queryPerRow, entity: facts.entity, shape: shape)) {
        StoreNotice(
          .queryPerRow, store: $0,
          "A block sent \(count) requests of one shape, as one query a row does: \(facts.summary).",
          remedy: PrefetchRemedy(schema).remedy(for: shape, after: earlier), entity: facts.entity)
      }
    case .saves(let count):
      monitor.warn(StoreMonitor.Warning(kind: .savePerRow, entity: facts.entity, shape: nil)) {
        StoreNotice(
          .savePerRow, store: $0, "A block wrote \(count) rows of \(facts.entity) one by one.",
          remedy: "collect them and pass the array to one call",
          entity: facts.entity)
      }
    }
  }

  private func warnOfTime(
    _ facts: OperationFacts, _ plan: () -> String?,
    _ later: (@escaping @Sendable (String?) -> Void) -> Bool
  ) {
    let key = StoreMonitor.Warning(
      kind: .slowOperation, entity: "\(facts.operation.rawValue) \(facts.entity)",
      shape: facts.shape)
    guard monitor.isNew(key) else { return }
    let monitor = monitor
    let give: @Sendable (String?) -> Void = { plan in
      monitor.notice(
        StoreNotice(
          .slowOperation, store: monitor.store, "A slow operation: \(facts).",
          entity: facts.entity, plan: plan))
    }
    if !later(give) { give(plan()) }
  }

  private func warnOfRows(_ facts: OperationFacts) {
    guard let shape = facts.shape, let read = facts.rowsRead, facts.returnsRows,
      read - facts.rows > monitor.limits.droppedRows
    else { return }
    monitor.warn(StoreMonitor.Warning(kind: .droppedRows, entity: facts.entity, shape: shape)) {
      StoreNotice(
        .droppedRows, store: $0,
        "An operation read \(read) rows and used \(facts.rows): \(facts.summary).",
        remedy: "declare an index on the attributes of its condition", entity: facts.entity)
    }
  }

  static func duration(from start: UInt64, to end: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: end > start ? end - start : 0))
  }
}

/// One request that instruments follow.
package struct OperationSpan: Sendable {
  /// The facts so far.
  package var facts: OperationFacts
  let states: [(any Sendable)?]
  private var started: UInt64?

  init(_ facts: OperationFacts, states: [(any Sendable)?]) {
    self.facts = facts
    self.states = states
    started = RunningOperation.now
  }

  /// Adds the time since it was begun, or resumed, to the time that it ran.
  package mutating func pause() {
    guard let started else { return }
    facts.ran += TransactionSpan.duration(from: started, to: RunningOperation.now)
    self.started = nil
  }

  /// Goes on after a pause.
  package mutating func resume() { started = RunningOperation.now }

  /// Notes the error with which it fails.
  package mutating func fail(_ error: any Error) { facts.errorCode = StoreError.Code(of: error) }
}

extension OperationKind {
  /// True if the request reads; SQL counts as a query unless it is executed as a statement.
  var isReading: Bool {
    switch self {
    case .find, .fetch, .aggregate, .group, .sql: true
    case .insert, .update, .save, .delete: false
    }
  }
}

extension OperationFacts {
  /// True if the rows that were read are expected to be returned, or written: aggregates use all of them.
  var returnsRows: Bool {
    switch operation {
    case .find, .fetch, .update, .delete: true
    default: false
    }
  }
}
