extension TransactionScheduler {
  /// Runs a write block off the cooperative pool, after every writer that came before.
  ///
  /// The transaction joins the queue before the caller is suspended, and no thread is held while it
  /// waits; the body runs whole in one hop. Its errors are thrown unchanged; besides,
  /// `busy` is thrown after `writerWait`, `closed`, and `forked`.
  ///
  /// Cancelling the calling task takes the block out of the queue, with a `CancellationError`.
  /// Once the block runs, ``Block/stop`` reports it, until ``Block/beginCommit()``.
  ///
  /// A block that `shares` may be committed together with its neighbors in the queue that share as well.
  /// Its body may then run twice: see ``Block/admitFollowers(repeatsAlone:)``.
  package func write<T: Sendable>(
    shares: Bool = false, within: Duration? = nil,
    _ body: sending @escaping (Admission) throws -> T
  ) async throws -> T {
    try await run(.write(ticketed: false, shares: shares), within, body)
  }

  /// Runs a read block off the cooperative pool, after the writes that are pending through
  /// blocks with a completion handler, unless the newest commit will do (clause 6.2).
  ///
  /// No thread is held while it waits for those or for a slot. Errors and cancellation are as of a
  /// write, with `readerWait`.
  package func read<T: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, within: Duration? = nil,
    _ body: sending @escaping (Admission) throws -> T
  ) async throws -> T {
    try await run(.read(consistency: consistency), within, body)
  }

  /// Runs a block; one that instruments follow is begun and ended around it (`isReported`).
  func run<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ request: SchedulerState.Request, _ within: Duration?, isReported: Bool = false,
    _ body: sending @escaping (Admission) throws -> T
  ) async throws -> T {
    if let monitor, !isReported {
      return try await runReported(isolation: isolation, monitor, request, within, body)
    }
    try Task.checkCancellation()
    let outcome = AsyncOutcome()
    let result = PendingResult<T>()
    let job = SchedulerJob(request, deadline: deadline(within)) {
      result.set(try body($0))
    } finish: {
      outcome.resolve($0)
    }
    // The block may run as soon as it is submitted, so the handler is installed before: a
    // cancellation that comes before the commit must reach it. The closure is isolated as the
    // caller is, and runs without a change of executor, so that the order of calls is the order in
    // the queue.
    try await withTaskCancellationHandler {
      _ = isolation
      job.submit(to: self)
      try await outcome.success()
    } onCancel: {
      job.cancel(in: self)
    }
    return try result.get()
  }
}
