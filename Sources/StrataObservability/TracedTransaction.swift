#if Observability
  internal import ORMStorage
  internal import ORMValues
  internal import Tracing

  /// The span of a transaction.
  ///
  /// A transaction is known to be a single operation at its end. The span of its first request is
  /// therefore not made before a second one begins, or the transaction ends as a block.
  final class TracedTransaction: Sendable {
    let span: any Span
    let tracer: any Tracer
    private let state = Lock(State())

    private struct State {
      var requests = 0
      /// The first request, once it has ended and while it has no span.
      var first: EndedRequest?
    }

    /// The position of a request among those of its transaction.
    enum Position {
      case first
      /// One that is not the first, with the first if that has ended and still lacks a span.
      case later(EndedRequest?)
    }

    init(_ span: any Span, _ tracer: any Tracer) {
      self.span = span
      self.tracer = tracer
    }

    /// Counts a request.
    func beginRequest() -> Position {
      state.withLock { state in
        state.requests += 1
        if state.requests == 1 { return .first }
        defer { state.first = nil }
        return .later(state.first)
      }
    }

    /// Keeps the first request, if there is no other yet; returns whether it did.
    func keep(_ ended: EndedRequest) -> Bool {
      state.withLock { state in
        guard state.requests == 1 else { return false }
        state.first = ended
        return true
      }
    }

    /// Takes the request that has no span.
    func takeFirst() -> EndedRequest? {
      state.withLock { state in
        defer { state.first = nil }
        return state.first
      }
    }
  }

  /// The span of a request, or its beginning alone.
  struct TracedRequest: Sendable {
    let transaction: TracedTransaction
    let began: DefaultTracerClock.Timestamp
    let span: (any Span)?

    init(
      _ transaction: TracedTransaction, began: DefaultTracerClock.Timestamp, span: (any Span)?
    ) {
      self.transaction = transaction
      self.began = began
      self.span = span
    }
  }

  /// A request that has ended.
  struct EndedRequest: Sendable {
    let request: TracedRequest
    let facts: OperationFacts
    let end: DefaultTracerClock.Timestamp

    init(_ request: TracedRequest, _ facts: OperationFacts, _ end: DefaultTracerClock.Timestamp) {
      self.request = request
      self.facts = facts
      self.end = end
    }
  }

  extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
      Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
  }
#endif
