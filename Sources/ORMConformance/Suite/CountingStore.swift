package import ORM
internal import ORMCore

/// A store that records the requests to its readers and forwards them: shows how many requests an operation
/// takes, and the effect of a failed commit.
///
/// It shares the runtime of the wrapped store, which is closed by its own owner. Requests inside write
/// transactions are counted as well.
package final class CountingStore: Store {
  private let base: any Store
  private let asked = Lock<[FetchRequest]>([])
  private let failures = Lock<[StoreError]>([])

  /// Wraps a store.
  package init(_ base: any Store) { self.base = base }

  /// Runs a body with the store and returns the requests that the body makes.
  package func requests(during body: (any Store) throws -> Void) throws -> [FetchRequest] {
    asked.withLock { $0 = [] }
    try body(self)
    return asked.withLock { $0 }
  }

  /// Runs a body with the store and returns the requests that the body makes.
  package func requests(
    during body: (any Store) async throws -> Void
  ) async throws -> [FetchRequest] {
    asked.withLock { $0 = [] }
    try await body(self)
    return asked.withLock { $0 }
  }

  /// Lets the next commit fail, by an error that its engine did not have.
  package func failNextCommit(_ error: StoreError) { failures.withLock { $0.append(error) } }

  fileprivate func checkCommit() throws {
    if let error = failures.withLock({ $0.popLast() }) { throw error }
  }

  fileprivate func note(_ request: FetchRequest) { asked.withLock { $0.append(request) } }

  package var schema: StoredSchema { base.schema }
  package var runtime: StoreRuntime { base.runtime }
  package func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    CountingReader(try base.reader(turn), store: self)
  }
  package func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    CountingWriter(try base.writer(turn), store: self)
  }
  package func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

/// A reader that reports its requests to its store.
private class CountingReader: ForwardingReader {
  private let base: any StoreReader
  fileprivate let store: CountingStore

  init(_ base: any StoreReader, store: CountingStore) {
    self.base = base
    self.store = store
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    store.note(request)
    return try base.cursor(request)
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    store.note(request)
    try base.visit(request, &visitor)
  }

  var forwardedReader: any StoreReader { base }
}

/// A writer that reports its requests to its store.
private final class CountingWriter: CountingReader, ForwardingWriter {
  private let base: any StoreWriter

  init(_ base: any StoreWriter, store: CountingStore) {
    self.base = base
    super.init(base, store: store)
  }

  var forwardedWriter: any StoreWriter { base }
  func commit() throws {
    try store.checkCommit()
    try base.commit()
  }
}
