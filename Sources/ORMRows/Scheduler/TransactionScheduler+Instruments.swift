internal import ORMStorage

extension TransactionScheduler {
  /// Begins a transaction on the calling thread for instruments; nil without instruments, inside a block of
  /// the thread, and for a call of an instrument.
  ///
  /// - Throws: `reentrancy` for a call of an instrument inside a block, which it would become a part of.
  @inline(never)
  func beginSpan(_ request: SchedulerState.Request) throws -> TransactionSpan? {
    guard let monitor else { return nil }
    if currentBlock() != nil {
      guard StoreMonitor.isReporting else { return nil }
      throw StoreError(
        .reentrancy,
        "an instrument cannot use the store inside a block that it is told of; use a block with a "
          + "completion handler, or wait for the end of the transaction")
    }
    return monitor.begin(request.access, isBlocking: true)
  }

  /// Runs a block off the cooperative pool that instruments follow; it begins and ends in the caller's
  /// task.
  @inline(never)
  func runReported<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ monitor: StoreMonitor,
    _ request: SchedulerState.Request, _ within: Duration?,
    _ body: sending @escaping (Admission) throws -> T
  ) async throws -> T {
    let span = monitor.begin(request.access)
    do {
      let result = try await run(isolation: isolation, request, within, isReported: true) {
        try Self.reporting(span, in: $0, body)
      }
      span?.end(nil)
      return result
    } catch {
      span?.end(error)
      throw error
    }
  }

  /// Runs the body of a job, whose requests are reported as those of its own transaction.
  ///
  /// It may run more than once, and in the block of another operation, whose transaction is put back.
  /// Without a transaction its requests are not reported.
  static func reporting<T>(
    _ span: TransactionSpan?, in admission: Admission, _ body: (Admission) throws -> T
  ) throws -> T {
    let slot = admission.block.slot
    let outer = slot.span
    slot.span = span
    defer { slot.span = outer }
    span?.enter()
    return try body(admission)
  }
}

extension TransactionScheduler {
  /// The work at one time, for health checks.
  package struct Load {
    package var isOpen: Bool
    package var waitingWriters: Int
    package var waitingReaders: Int
    package var openStreams: Int
  }

  /// The work at this time.
  package var load: Load {
    guarded.withLock {
      Load(
        isOpen: $0.state.phase == .open, waitingWriters: $0.state.writers.count,
        waitingReaders: $0.state.readers.count, openStreams: $0.state.openStreams)
    }
  }
}

extension SchedulerState.Request {
  /// The kind of access, for instruments.
  var access: TransactionFacts.Access { if case .write = self { .write } else { .read } }
}
