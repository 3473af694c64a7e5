package import Dispatch

extension TransactionScheduler {
  /// Queues a write and returns; the block runs later, off the calling thread.
  ///
  /// From the return on the write is pending: every read that is asked for afterwards, on any
  /// thread, begins after it has ended, well or not (clause 6.2). Called inside a block it is not
  /// part of that block, but comes after it. `completion` is called once, on `queue`, when the
  /// block has left the scheduler; a `busy` after `writerWait`, `closed` and `forked` come there
  /// too. One that `shares` may be committed together with its neighbours in the queue, and its
  /// body may then run twice: see ``Block/admitFollowers(repeatsAlone:)``.
  package func submitWrite<T: Sendable>(
    shares: Bool = false, within: Duration? = nil, on queue: DispatchQueue,
    _ body: sending @escaping (Admission) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let result = PendingResult<T>()
    let isReported = monitor != nil
    let span = monitor?.begin(.write)
    let job = SchedulerJob(
      .write(ticketed: true, shares: shares), deadline: deadline(within)
    ) {
      result.set(try isReported ? Self.reporting(span, in: $0, body) : body($0))
    } finish: { failure in
      queue.async {
        span?.end(failure)
        completion(result.outcome(failure))
      }
    }
    job.submit(to: self)
  }

  /// Queues a read and returns; the block runs later, off the calling thread,
  /// after the writes that were pending at the call, unless the newest commit will do.
  ///
  /// `completion` is called once, on `queue`, when the block has left the scheduler; a `busy` after
  /// `readerWait`, `closed` and `forked` come there too.
  package func submitRead<T: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, within: Duration? = nil,
    on queue: DispatchQueue,
    _ body: sending @escaping (Admission) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let result = PendingResult<T>()
    let isReported = monitor != nil
    let span = monitor?.begin(.read)
    let job = SchedulerJob(.read(consistency: consistency), deadline: deadline(within)) {
      result.set(try isReported ? Self.reporting(span, in: $0, body) : body($0))
    } finish: { failure in
      queue.async {
        span?.end(failure)
        completion(result.outcome(failure))
      }
    }
    job.submit(to: self)
  }
}
