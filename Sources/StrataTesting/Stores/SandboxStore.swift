internal import Foundation
public import ORM
internal import ORMCore

/// A store whose writes are inside one transaction of another store, which is never committed
/// (clause 13.8).
///
/// ```swift
/// let sandbox = try SandboxStore(PostgresStore("postgres:app@localhost/shop", schema: schema))
/// try sandbox.save(Snack(name: "Chips"))      // seen by this sandbox alone
/// try sandbox.close()                          // gone
/// ```
///
/// Tests run in parallel on one database, each in a sandbox of its own, and clean nothing up. If the process
/// dies, the server undoes the transaction. Generated keys that were used up stay so, and
/// the tables that opening the store made stay: no server undoes them.
///
/// A sandbox reads and writes on one connection. Reads wait for the write that is open, and a write waits for
/// reads and streams that are open, as long as `readerWait` and `writerWait` say, then throw `busy`. Rows
/// that two sandboxes change at once make one wait for the other, as two transactions do.
///
/// The sandbox owns the store that it wraps, which nothing else may use; closing the sandbox closes it.
public final class SandboxStore: Store {
  private let base: any Store
  private let worker: SandboxWorker
  private let turns = SandboxTurns()
  /// The schema of the wrapped store.
  public let schema: StoredSchema
  /// A runtime of the sandbox's own.
  public let runtime: StoreRuntime

  /// Begins the transaction.
  ///
  /// - Throws: `busy` if another process holds the writer of the store; its other errors.
  public init(_ base: any Store) throws {
    self.base = base
    schema = base.schema
    var options = base.runtime.options
    options.history = .asStored
    runtime = StoreRuntime(
      models: base.runtime.models, options: options, name: "a sandbox in \(base.runtime.name)")
    worker = try SandboxWorker { try base.writer(WriteTurn()) }
  }

  /// Opens a view of the rows of the sandbox so far.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try turns.enter(isWriter: false, within: runtime.options.readerWait)
    return SandboxReader(worker, turns)
  }

  /// Begins a savepoint of the transaction.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try turns.enter(isWriter: true, within: runtime.options.writerWait)
    do {
      try worker.begin()
    } catch {
      turns.leave(isWriter: true)
      throw error
    }
    return SandboxWriter(worker, turns)
  }

  /// Undoes the transaction, and closes the wrapped store.
  public func close(_ turn: borrowing CloseTurn) throws {
    worker.stop()
    try base.close(turn)
  }
}

/// The turns of a sandbox: any number of readers, or one writer.
private final class SandboxTurns: Sendable {
  private let state = Lock((readers: 0, hasWriter: false))

  /// Waits until the others allow it.
  ///
  /// - Throws: `busy` after a time.
  func enter(isWriter: Bool, within time: Duration) throws {
    let end = ContinuousClock.now + time
    while true {
      let isIn = state.withLock { state in
        if state.hasWriter || (isWriter && state.readers > 0) { return false }
        if isWriter { state.hasWriter = true } else { state.readers += 1 }
        return true
      }
      if isIn { return }
      if ContinuousClock.now >= end {
        throw StoreError(
          .busy, "another \(isWriter ? "read or write" : "write") of the sandbox is still open")
      }
      try RunningOperation.sleep(for: .milliseconds(1))
    }
  }

  func leave(isWriter: Bool) {
    state.withLock { state in
      if isWriter { state.hasWriter = false } else { state.readers -= 1 }
    }
  }
}

/// A view of a sandbox, whose requests run on the thread of its transaction.
private class SandboxReader: StoreReader {
  fileprivate let worker: SandboxWorker
  private let turns: SandboxTurns
  private var hasEnded = false

  init(_ worker: SandboxWorker, _ turns: SandboxTurns) {
    self.worker = worker
    self.turns = turns
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    SandboxCursor(try worker.run { try $0.cursor(request) }, worker)
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try withUnsafeMutablePointer(to: &visitor) { visitor in
      try worker.run { try $0.visit(request, &visitor.pointee) }
    }
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try worker.run { try $0.explain(request, analyze: analyze) }
  }

  func greatestKey(of entity: String) throws -> Int64? {
    try worker.run { try $0.greatestKey(of: entity) }
  }

  func verify(_ found: (StoreError) throws -> Void) throws {
    try worker.run { try $0.verify(found) }
  }

  func end() {
    if hasEnded { return }
    hasEnded = true
    willEnd()
    turns.leave(isWriter: self is SandboxWriter)
  }

  /// Ends the work that was begun on the thread.
  func willEnd() {}
}

/// A cursor that is visited on the thread of the transaction.
private final class SandboxCursor: StoreCursor {
  private let base: any StoreCursor
  private let worker: SandboxWorker

  init(_ base: any StoreCursor, _ worker: SandboxWorker) {
    self.base = base
    self.worker = worker
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    try withUnsafeMutablePointer(to: &visitor) { visitor in
      try worker.run { _ in try base.visit(&visitor.pointee) }
    }
  }
}

/// A writer of a sandbox: a savepoint of its transaction.
private final class SandboxWriter: SandboxReader, StoreWriter {
  private var isCommitted = false

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try withUnsafeMutablePointer(to: &source) { source in
      try withUnsafeMutablePointer(to: &visitor) { visitor in
        try worker.run { try $0.put(request, from: &source.pointee, to: &visitor.pointee) }
      }
    }
  }

  func apply(_ change: StoreChange) throws -> Int { try worker.run { try $0.apply(change) } }

  func savepoint(_ body: () throws -> Void) throws {
    try worker.begin()
    do {
      try body()
    } catch {
      worker.finish(keeping: false)
      throw error
    }
    try worker.finish(keeping: true).get()
  }

  func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try worker.run { try $0.raiseGreatestKey(of: entity, to: key) }
  }

  var changeCount: Int? { (try? worker.run { $0.changeCount }) ?? nil }

  func commit() throws {
    isCommitted = true
    let result = worker.finish(keeping: true)
    end()
    try result.get()
  }

  override func willEnd() { if !isCommitted { worker.finish(keeping: false) } }
}
