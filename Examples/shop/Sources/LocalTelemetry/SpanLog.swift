import Logging
import Synchronization
import Tracing

/// A tracer that writes each span to a log when it ends: its trace, its name and its attributes.
///
/// It stands in for a client of a collector. A program installs one of those in its place.
package struct SpanLog: Tracer {
  private let logger: Logger

  package init(_ logger: Logger) { self.logger = logger }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
    file fileID: String, line: UInt
  ) -> LoggedSpan {
    let parent = context()
    var context = parent
    let place = Place(
      trace: parent[PlaceKey.self]?.trace ?? UInt64.random(in: 1 ... .max),
      span: UInt64.random(in: 1 ... .max), parent: parent[PlaceKey.self]?.span)
    context[PlaceKey.self] = place
    return LoggedSpan(
      operationName, context, place, start: instant().nanosecondsSinceEpoch, logger)
  }

  package func forceFlush() {}
  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
  package func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}
}

/// The numbers of a span, of its trace and of its parent.
struct Place: Sendable {
  let trace: UInt64
  let span: UInt64
  let parent: UInt64?
}

private enum PlaceKey: InstrumentationContextKey {
  typealias Value = Place
}

/// A span of a `SpanLog`.
package final class LoggedSpan: Span {
  private struct State {
    var name: String
    var attributes: SpanAttributes = [:]
    var error: String?
    var isEnded = false
  }

  package let context: InstrumentationContext
  private let place: Place
  private let start: UInt64
  private let logger: Logger
  private let state: Mutex<State>

  init(
    _ name: String, _ context: InstrumentationContext, _ place: Place, start: UInt64,
    _ logger: Logger
  ) {
    self.context = context
    self.place = place
    self.start = start
    self.logger = logger
    state = Mutex(State(name: name))
  }

  package var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }
  package var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }
  package var isRecording: Bool { !state.withLock { $0.isEnded } }
  package func setStatus(_ status: SpanStatus) {}
  package func addEvent(_ event: SpanEvent) {}
  package func addLink(_ link: SpanLink) {}
  package func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) { state.withLock { $0.error = "\(error)" } }

  package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let ended = state.withLock { state -> State? in
      defer { state.isEnded = true }
      return state.isEnded ? nil : state
    }
    guard let ended else { return }
    let nanoseconds = instant().nanosecondsSinceEpoch
    var metadata: Logger.Metadata = [
      "trace": "\(String(place.trace, radix: 16))", "span": "\(String(place.span, radix: 16))",
      "microseconds": "\(nanoseconds > start ? (nanoseconds - start) / 1000 : 0)",
    ]
    if let parent = place.parent { metadata["parent"] = "\(String(parent, radix: 16))" }
    if let error = ended.error { metadata["error"] = "\(error)" }
    ended.attributes.forEach { name, value in
      metadata[name] =
        switch value {
        case .string(let text): "\(text)"
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let truth): "\(truth)"
        default: "\(value)"
        }
    }
    logger.info("span \(ended.name)", metadata: metadata)
  }
}
