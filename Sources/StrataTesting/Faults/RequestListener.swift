internal import ORM
internal import ORMCore
internal import Testing

/// The numbers of requests by their shapes.
final class RequestRecord: Sendable {
  private let counts = Lock<[String: Int]>([:])

  /// Adds a request of a shape.
  func add(_ shape: FetchShape) {
    // A value that is part of the shape is not shown.
    let condition = shape.condition.rewriting {
      if case .value = $0 { .variable("value") } else { nil }
    }
    add(shape.entity + (condition == .constant(true) ? "" : " where \(condition)"))
  }

  /// Adds a request in words.
  func add(_ text: String) { counts.withLock { $0[text, default: 0] += 1 } }

  /// Forgets the requests so far.
  func reset() { counts.withLock { $0 = [:] } }

  /// A line for each shape with its number, the most frequent first.
  var summary: String {
    counts.withLock { $0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "  \($0.value) × \($0.key)" }.joined(separator: "\n")
  }

  /// Records a failure if there were more requests than a limit.
  func check(_ limit: Int, _ location: SourceLocation) {
    let count = counts.withLock { $0.values.reduce(0, +) }
    if count <= limit { return }
    TestReport.fail(
      "\(count) requests were made, at most \(limit) were expected:\n\(summary)", at: location)
  }
}

/// An instrument of stores for tests that counts requests for the expectation around them.
struct RequestListener: StoreInstrument {
  /// The record of the innermost expectation.
  @TaskLocal static var record: RequestRecord?

  /// The default store, unless it has a listener or there is none.
  static var unheardStore: (any Store)? {
    guard let store = try? Persistence.store,
      !store.runtime.options.instruments.contains(where: { $0 is RequestListener })
    else { return nil }
    return store
  }

  func began(_ transaction: TransactionFacts) -> (any Sendable)? { Self.record }

  func began(_ operation: OperationFacts, in state: (any Sendable)?) -> (any Sendable)? {
    guard let record = state as? RequestRecord ?? Self.record else { return nil }
    switch operation.operation {
    case .find, .fetch, .aggregate, .group:
      if let shape = operation.shape { record.add(shape) } else { record.add(operation.summary) }
    case .sql: record.add(operation.summary)
    case .insert, .update, .save, .delete: break
    }
    return nil
  }
}

extension StoreOptions {
  /// The options with a listener for ``expectRequests(atMost:fileID:filePath:line:column:_:)``.
  var heard: StoreOptions {
    var options = self
    options.instruments.append(RequestListener())
    return options
  }
}
