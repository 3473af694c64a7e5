package import ORMValues

/// A reader that fetches the related rows of many rows by one request a step, for stores whose
/// requests are expensive.
///
/// ``prepare(_:_:)`` evaluates each of some rows as a rehearsal. A related row that has not been fetched
/// counts as missing then, and is noted. The noted rows are fetched together, and the rows that missed one
/// are evaluated again, until none is missing. The evaluation that counts then finds all of them; a row that
/// is missing after all is fetched alone.
///
/// It belongs to one cursor.
package final class BatchReader: RepeatingReader {
  private weak var reader: (any StoreReader)?
  let schema: StoredSchema
  /// The greatest number of keys of one request.
  let mostKeys: Int
  /// True while rows are evaluated to note the requests that they lack.
  private(set) var isRehearsing = false
  /// Incremented when all fetched rows are released.
  private(set) var generation = 0
  private var heldRows = 0
  private var missing: [BatchedRequest] = []
  /// The requests whose values all change from row to row: equal ones share one, and so its rows.
  private var requests: [RequestKey: BatchedRequest] = [:]
  private var missesSomething = false
  /// Asks for each request for related rows whether the running operation is to end early.
  private(set) var check = StopCheck(every: 16)

  /// The number of related rows beyond which a batch begins with none.
  private static let mostHeldRows = 1 << 16

  /// Makes a reader beside another, which it does not keep alive.
  package init(_ reader: any StoreReader, schema: StoredSchema, mostKeys: Int) {
    self.reader = reader
    self.schema = schema
    self.mostKeys = max(1, min(mostKeys, 1_024))
  }

  /// The reader that answers.
  private func answering() throws -> any StoreReader {
    guard let reader else {
      throw StoreError(.transactionEnded, "the transaction of the cursor has ended")
    }
    return reader
  }

  // Fetched rows are held by request, not by row.
  package var isFixed: Bool { false }

  package func repeated(
    _ shape: FetchShape, bindings: [StoredValue], changing: Int, isPresence: Bool
  ) throws -> any RepeatedRequest {
    guard bindings.allSatisfy(\.isNull) else {
      return try BatchedRequest(
        shape, bindings, changing: changing, isPresence: isPresence, self)
    }
    let key = RequestKey(shape: shape, changing: changing, isPresence: isPresence)
    if let known = requests[key] { return known }
    let request = try BatchedRequest(
      shape, bindings, changing: changing, isPresence: isPresence, self)
    requests[key] = request
    return request
  }

  private struct RequestKey: Hashable {
    let shape: FetchShape
    let changing: Int
    let isPresence: Bool
  }

  package func memo(of key: RelatedMemoKey) -> RelatedMemo { RelatedMemo() }

  package func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    try answering().cursor(request)
  }

  package func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try answering().visit(request, &visitor)
  }

  package func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try answering().explain(request, analyze: analyze)
  }

  package func end() {}

  /// Fetches, for several rows at once, the related rows that an evaluation reads.
  ///
  /// An error of the evaluation is left to the one that counts.
  package func prepare(
    _ rows: ArraySlice<BufferedRow>, _ evaluate: (BufferedRow) throws -> Void
  ) throws {
    if heldRows > Self.mostHeldRows {
      generation += 1
      heldRows = 0
    }
    var pending = Array(rows.indices)
    while !pending.isEmpty {
      var incomplete: [Int] = []
      isRehearsing = true
      defer { isRehearsing = false }
      for index in pending {
        missesSomething = false
        do {
          try evaluate(rows[index])
        } catch {
          // An operation that is to end early is no error of the evaluation.
          try RunningOperation.check()
        }
        if missesSomething { incomplete.append(index) }
      }
      isRehearsing = false
      let requests = missing
      missing = []
      for request in requests { try request.fetchMissing() }
      pending = incomplete
    }
  }

  /// Notes that a request lacks rows; `isFirst` if it lacked none before.
  func note(_ request: BatchedRequest, isFirst: Bool) {
    missesSomething = true
    if isFirst { missing.append(request) }
  }

  /// Counts a request for related rows.
  func countRequest() throws { try check.step() }

  /// Counts rows that are held from now on.
  func hold(_ count: Int) { heldRows += count }
}
