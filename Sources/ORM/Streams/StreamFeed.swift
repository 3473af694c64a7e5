internal import Dispatch
internal import ORMCore
internal import Synchronization

/// The reader behind one iteration of a stream: opened at the first batch, ended at the last, when it
/// expires, when the store closes, or when the iteration is released.
final class StreamFeed<Element: Sendable>: Sendable {
  /// The number of rows a hop fetches: enough that the hop, about 2 µs, is lost among them.
  private static var batchSize: Int { 256 }

  private let store: any Store
  private let source: Source
  private let state = Lock(State())
  /// The end of the work on a batch: a cancellation of the task that reads, or its deadline.
  private let limit: StreamLimit
  private let operation: RunningOperation
  /// The report of the stream to instruments; nil without instruments.
  private let report: StreamReport?

  /// The request of a stream and the conversion of its rows into elements.
  struct Source: Sendable {
    /// The request; it throws the fault of the question.
    let request: @Sendable (any Store) throws -> FetchRequest
    /// Reads at most a number of elements from a cursor over the request into an empty array, and
    /// returns whether there are more.
    let read:
      @Sendable (any Store, any StoreReader, any StoreCursor, Int, inout [Element]) throws -> Bool
    /// The name of the entity, for errors.
    let entity: String
  }

  private struct State {
    var phase = Phase.unopened
    var reader: (any StoreReader)?
    var cursor: (any StoreCursor)?
    var slot: TransactionScheduler.StreamSlot?
    /// The elements of a batch, from when they are read until the iteration takes them.
    ///
    /// They are handed over here rather than as a result: the thread that read them would still
    /// hold it, and the iteration copy the batch, as often as it is the faster of the two.
    var batch: [Element] = []
    /// True if the elements read last are the last of all.
    var isLast = false
    /// The time at which it expires, unless another batch is asked for before.
    var expiry = DispatchTime.distantFuture
    /// True if the timer was started: one for the whole iteration, since every timer is retained
    /// until its time.
    var isWatched = false

    mutating func end(as phase: Phase) {
      cursor = nil
      reader?.end()
      reader = nil
      slot?.release()
      slot = nil
      self.phase = phase
    }
  }

  private enum Phase { case unopened, open, ended, expired, closed }

  init(store: any Store, source: Source) {
    self.store = store
    self.source = source
    let limit = StreamLimit()
    self.limit = limit
    report = StreamReport(store.runtime, entity: source.entity)
    operation = RunningOperation(until: { limit.deadline.load(ordering: .relaxed) }) { limit.stop }
  }

  deinit {
    end()
    report?.end(nil)
  }

  private func end() {
    state.withLock { state in
      if state.phase == .open { state.end(as: .ended) }
    }
  }

  /// Returns the next elements, and whether they are the last.
  ///
  /// - Parameter memory: an empty array, whose memory the elements are put into.
  func nextBatch(into memory: consuming [Element]) async throws -> (rows: [Element], isLast: Bool) {
    do {
      let isUnopened = exchange(&memory).phase == .unopened
      try await withTaskCancellationHandler {
        if isUnopened { try await openReported() }
        report?.willRead()
        try await withCheckedThrowingContinuation { continuation in
          DispatchQueue.global().async {
            continuation.resume(with: Result { try self.fetch() })
          }
        }
      } onCancel: {
        limit.isCancelled.store(true, ordering: .relaxed)
      }
      try Task.checkCancellation()
      let isLast = exchange(&memory).isLast
      report?.read(rows: memory.count, isLast: isLast)
      return (memory, isLast)
    } catch let error as StoreError {
      let failure: any Error =
        limit.stop == .cancelled ? CancellationError() : store.runtime.named(error)
      report?.end(failure)
      throw failure
    } catch {
      report?.end(error)
      throw error
    }
  }

  /// Exchanges an array and the batch in the state.
  private func exchange(_ rows: inout [Element]) -> (phase: Phase, isLast: Bool) {
    state.withLock { state in
      swap(&rows, &state.batch)
      return (state.phase, state.isLast)
    }
  }

  /// Opens the stream; the read block in which it is opened is a part of the stream for instruments.
  private func openReported() async throws {
    guard let report else { return try await open() }
    report.begin()
    try await StoreMonitor.unreported { try await open() }
    report.didOpen()
  }

  private func open() async throws {
    let request = try source.request(store)
    let scheduler = store.runtime.transactions
    let slot = try await scheduler.acquireStream(whenClosing: { [weak self] in
      self?.state.withLock { $0.end(as: .closed) }
    })
    do {
      try await scheduler.read { _ in
        try self.state.withLock { state in
          // The scheduler may have been closed between the two.
          guard state.phase == .unopened else { throw StoreError(.closed, "the store was closed") }
          let reader = try self.store.layeredReader().reader
          state.reader = reader
          state.cursor = try reader.cursor(request)
          state.slot = slot
          state.phase = .open
        }
      }
    } catch {
      state.withLock { $0.end(as: .ended) }
      slot.release()
      throw error
    }
  }

  /// Reads the next batch into the memory in the state, as an operation of its own.
  private func fetch() throws {
    limit.deadline.store(store.runtime.transactions.deadline(nil), ordering: .relaxed)
    try operation.bind(fetchBatch)
  }

  private func fetchBatch() throws {
    let timer = try state.withLock { state -> DispatchTime? in
      state.isLast = true
      if state.phase == .open, state.expiry < .now() { state.end(as: .expired) }
      switch state.phase {
      case .expired:
        throw StoreError(
          .snapshotExpired,
          "the stream was idle for too long and lost its snapshot; read faster, or raise "
            + "`streamExpiry`",
          entity: source.entity)
      case .closed: throw StoreError(.closed, "the store was closed")
      case .ended, .unopened: return nil
      case .open: break
      }
      guard let cursor = state.cursor, let reader = state.reader else { return nil }
      do {
        guard try source.read(store, reader, cursor, Self.batchSize, &state.batch) else {
          state.end(as: .ended)
          return nil
        }
      } catch {
        state.end(as: .ended)
        throw error
      }
      state.isLast = false
      state.expiry = .now() + patience
      defer { state.isWatched = true }
      return state.isWatched ? nil : state.expiry
    }
    if let timer { watch(at: timer) }
  }

  /// The time, in seconds, that a stream may be idle between batches before it expires.
  private var patience: Double {
    let expiry = store.runtime.options.streamExpiry.components
    return Double(expiry.seconds) + Double(expiry.attoseconds) / 1e18
  }

  /// Ends the reader at this time, when no batch was asked for that moved it.
  private func watch(at time: DispatchTime) {
    DispatchQueue.global().asyncAfter(deadline: time) { [weak self] in self?.expire() }
  }

  private func expire() {
    var isLost = false
    let later = state.withLock { state -> DispatchTime? in
      guard state.phase == .open else { return nil }
      if state.expiry > .now() { return state.expiry }
      state.end(as: .expired)
      isLost = true
      return nil
    }
    if isLost { report?.didExpire() }
    if let later { watch(at: later) }
  }
}

/// The end of the work on a batch.
private final class StreamLimit: Sendable {
  /// True once the task that reads was cancelled.
  let isCancelled = Atomic(false)
  /// The time by which the batch must be read.
  let deadline = Atomic<UInt64>(.max)

  /// The reason to end the work early.
  var stop: RunningOperation.Stop? {
    if isCancelled.load(ordering: .relaxed) { return .cancelled }
    let end = deadline.load(ordering: .relaxed)
    return end < .max && RunningOperation.now >= end ? .deadline : nil
  }
}
