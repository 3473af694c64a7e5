internal import Dispatch
internal import ORMCore
internal import Synchronization

/// The reader behind one iteration of a stream: opened at the first batch, ended at the last, when
/// it expires, when the store closes, or when the iteration is let go.
final class StreamFeed<Element: Sendable>: Sendable {
  /// How many rows a hop fetches: enough that the hop, about 2 µs, is lost among them.
  private static var batchSize: Int { 256 }

  private let store: any Store
  private let source: Source
  private let state = Mutex(State())

  /// What is asked, and how rows become elements.
  struct Source: Sendable {
    /// The request; it throws what is wrong with the question.
    let request: @Sendable (any Store) throws -> FetchRequest
    /// At most so many elements from a cursor over the request, and whether there are more.
    let read:
      @Sendable (any Store, any StoreReader, any StoreCursor, Int) throws -> (
        rows: [Element], hasMore: Bool
      )
    /// The name of the entity, for errors.
    let entity: String
  }

  private struct State {
    var phase = Phase.unopened
    var reader: (any StoreReader)?
    var cursor: (any StoreCursor)?
    var slot: TransactionGate.StreamSlot?
    /// How many batches were asked for; a timer that sees another number lets the stream be.
    var requests = 0
    /// When it expires, so that a late timer gives nobody more time.
    var expiry = DispatchTime.distantFuture

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
  }

  deinit { end() }

  private func end() {
    state.withLock { state in
      if state.phase == .open { state.end(as: .ended) }
    }
  }

  /// The next elements, and whether they are the last.
  func nextBatch() async throws -> (rows: [Element], isLast: Bool) {
    if state.withLock({ $0.phase == .unopened }) { try await open() }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.fetch() })
      }
    }
  }

  private func open() async throws {
    let request = try source.request(store)
    let gate = store.runtime.gate
    let slot = try await gate.acquireStream(whenClosing: { [weak self] in
      self?.state.withLock { $0.end(as: .closed) }
    })
    do {
      try await gate.read { _ in
        try self.state.withLock { state in
          // The gate may have been closed between the two.
          guard state.phase == .unopened else { throw StoreError(.closed, "the store was closed") }
          let reader = try self.store.layeredReader()
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

  private func fetch() throws -> (rows: [Element], isLast: Bool) {
    let (batch, request) = try state.withLock { state -> ((rows: [Element], isLast: Bool), Int) in
      if state.phase == .open, state.expiry < .now() { state.end(as: .expired) }
      switch state.phase {
      case .expired:
        throw StoreError(
          .snapshotExpired, "the stream stood still for too long and lost its snapshot",
          entity: source.entity)
      case .closed: throw StoreError(.closed, "the store was closed")
      case .ended, .unopened: return (([], true), 0)
      case .open: break
      }
      guard let cursor = state.cursor, let reader = state.reader else { return (([], true), 0) }
      do {
        let (rows, hasMore) = try source.read(store, reader, cursor, Self.batchSize)
        if !hasMore { state.end(as: .ended) }
        state.requests += 1
        return ((rows, !hasMore), state.requests)
      } catch {
        state.end(as: .ended)
        throw error
      }
    }
    if !batch.isLast { watch(after: request) }
    return batch
  }

  /// Ends the reader when no further batch is asked for in time.
  private func watch(after request: Int) {
    let expiry = store.runtime.options.streamExpiry.components
    let seconds = Double(expiry.seconds) + Double(expiry.attoseconds) / 1e18
    let deadline = DispatchTime.now() + seconds
    state.withLock { $0.expiry = deadline }
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in
      self?.state.withLock { state in
        if state.phase == .open, state.requests == request { state.end(as: .expired) }
      }
    }
  }
}
