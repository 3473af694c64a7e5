public import ORMCore

/// A read block that was begun: one's own with its reader, or that of a block around it.
@usableFromInline
struct ReadBlock {
  @usableFromInline let transaction: ReadTransaction
  /// The slot of the block, with the reader that was opened for it; nil in a block around it.
  private let slot: BlockSlot?
  private let scheduler: TransactionScheduler

  init(_ transaction: ReadTransaction, in slot: BlockSlot?, of scheduler: TransactionScheduler) {
    self.transaction = transaction
    self.slot = slot
    self.scheduler = scheduler
  }

  /// Ends the block, and its reader where that is its own.
  @usableFromInline
  func end() {
    guard let slot else { return }
    transaction.reader.end()
    scheduler.leave(slot)
  }

  /// Ends the block after an error, and returns whether other transactions came in the way of its own
  /// reader.
  ///
  /// The reader is asked before the slot is left: from then on the next block may have begun it anew.
  func endFailed() -> Bool {
    guard let slot else { return false }
    transaction.reader.end()
    let isContended = transaction.engine.isContended
    scheduler.leave(slot)
    return isContended
  }
}

extension Store {
  // Compiled where the body is, which cannot be specialised for a store of any type otherwise: what
  // is around the body knows nothing of its result.
  /// Runs a block on one snapshot, fixed when the block begins.
  ///
  /// ```swift
  /// let (count, snacks) = try store.read { tx in
  ///   (try tx.count(Snack.self), try tx.fetch(Snack.all.limit(10)))
  /// }
  /// ```
  ///
  /// Inside a block of this thread it shares that block's view. A read issued after a write
  /// through a completion overload waits for it, unless `consistency` is `.latestCommit`.
  ///
  /// With another `freshness` than `.newest` a replica may answer, if the store has any.
  ///
  /// ```swift
  /// let cheap = try store.read(freshness: .within(.seconds(5))) { tx in
  ///   try tx.fetch(Snack.where { $0.price < 3 })
  /// }
  /// ```
  ///
  /// - Throws: what the body throws, as it was thrown; `busy`, `closed`, `forked`.
  @inlinable @inline(__always)
  public func read<Result>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    var run = 1
    while true {
      let block = try beginRead(consistency: consistency, freshness: freshness)
      do {
        let result = try body(block.transaction)
        block.end()
        return result
      } catch {
        try end(block, &run, error)
      }
    }
  }

  /// Runs one operation that reads, on a snapshot that its first request may fix.
  @inlinable @inline(__always)
  func readOperation<Result>(
    consistency: ReadConsistency, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    var run = 1
    while true {
      let block = try beginRead(consistency: consistency, isForOperation: true)
      do {
        let result = try body(block.transaction)
        block.end()
        return result
      } catch {
        try end(block, &run, error)
      }
    }
  }

  /// Ends a read block that threw; returns when it is to be run again, and otherwise throws the
  /// error.
  @inline(never) @usableFromInline
  func end(_ block: ReadBlock, _ run: inout Int, _ error: any Error) throws {
    let isContended = block.endFailed()
    var rerun = Rerun(runs: run)
    guard isContended, rerun.waits(as: .operation, runtime) else { throw named(error) }
    run = rerun.runs
  }

  /// Begins a read block on the calling thread; its end is the caller's.
  @usableFromInline
  func beginRead(
    consistency: ReadConsistency, freshness: ReadFreshness = .newest, isForOperation: Bool = false
  ) throws -> ReadBlock {
    do {
      let scheduler = runtime.transactions
      let admission = try scheduler.enterRead(consistency: consistency)
      do {
        let (transaction, slot) = try readTransaction(
          in: admission, freshness, isForOperation: isForOperation)
        return ReadBlock(transaction, in: slot, of: scheduler)
      } catch {
        scheduler.leave(admission)
        throw error
      }
    } catch { throw named(error) }
  }

  /// The error of a block, with the store's name where that helps.
  @usableFromInline
  func named(_ error: any Error) -> any Error {
    (error as? StoreError).map { runtime.named($0) } ?? error
  }

  /// The transaction of a read block, and the slot of the block if its reader was opened for it.
  @inline(__always)
  private func readTransaction(
    in admission: borrowing TransactionScheduler.Admission, _ freshness: ReadFreshness = .newest,
    isForOperation: Bool = false
  ) throws -> (ReadTransaction, own: BlockSlot?) {
    guard case .outer(let block) = copy admission else {
      guard let current = admission.block.current as? ReadTransaction else {
        throw Self.noTransaction
      }
      return (current, nil)
    }
    let layered = try layeredReader(
      isForOperation: isForOperation, freshness: freshness, in: block.slot)
    let transaction = ReadTransaction(
      store: self, reader: layered.reader, engine: layered.engine, block: block)
    block.current = transaction
    return (transaction, block.slot)
  }

  /// Runs a block on one snapshot, off the cooperative pool.
  ///
  /// ```swift
  /// let count = try await store.read { tx in try tx.count(Snack.self) }
  /// ```
  public func read<Result: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    _ body: sending @escaping (ReadTransaction) throws -> Result
  ) async throws -> Result {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.read(consistency: consistency) { admission in
        try Persistence.rebinding(bound) {
          try self.run(body, in: admission, freshness)
        }
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs a block that changes the store: all of it or nothing, durable when this returns.
  ///
  /// ```swift
  /// let team = try store.write { tx in
  ///   try tx.delete(Player.self, id: 3)
  ///   return try tx.save(Team(name: "Reds"))
  /// }
  /// ```
  ///
  /// Writers come one at a time, first come first served. Inside a write block of this thread the
  /// body is a savepoint; inside a read block it throws `reentrancy`.
  ///
  /// - Throws: what the body throws, as it was thrown, with everything undone; `busy` after
  ///   `writerWait`, `closed`, `forked`, and what the commit throws (`full`, `inputOutput`).
  @discardableResult
  public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    do {
      return try runtime.transactions.write { try self.run(body, in: $0, isBlock: true) }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs a block that changes the store, off the cooperative pool; the body is synchronous.
  ///
  /// ```swift
  /// let team = try await store.write { tx in try tx.save(Team(name: "Reds")) }
  /// ```
  ///
  /// Cancelling the task before the commit point undoes everything and throws `CancellationError`.
  @discardableResult
  public func write<Result: Sendable>(
    _ body: sending @escaping (WriteTransaction) throws -> Result
  ) async throws -> Result {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.write { admission in
        try Persistence.rebinding(bound) { try self.run(body, in: admission, isBlock: true) }
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs a body in a transaction that is its own: when it throws, the transaction is undone with it.
  func operation<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try operation(isSingle: false, body)
  }

  /// Runs one operation of the transaction, and nothing else, in a transaction that is its own.
  func singleOperation<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try operation(isSingle: true, body)
  }

  private func operation<Result>(
    isSingle: Bool, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    do {
      let scheduler = runtime.transactions
      let admission = try scheduler.enterWrite()
      defer { scheduler.leave(admission) }
      return try run(body, in: admission, isOperation: true, isSingle: isSingle)
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs one operation off the cooperative pool; operations of a few rows that wait together share one
  /// commit, each with an outcome of its own.
  ///
  /// The operation may run twice, when the shared commit fails.
  func writeOperation<Result: Sendable>(
    rows: Int = 1, _ body: sending @escaping (WriteTransaction) throws -> Result
  ) async throws -> Result {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.write(shares: sharesCommit(rows: rows)) { admission in
        try Persistence.rebinding(bound) {
          try self.run(body, in: admission, isOperation: true, isSingle: true)
        }
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Returns whether an operation that writes `rows` rows may share a commit: operations that do
  /// wait for one another.
  func sharesCommit(rows: Int) -> Bool { rows <= sharedRowLimit }

  /// The most rows that an operation may write to share a commit.
  var sharedRowLimit: Int { 64 }

  func run<Result>(
    _ body: (ReadTransaction) throws -> Result, in admission: TransactionScheduler.Admission,
    _ freshness: ReadFreshness = .newest
  ) throws -> Result {
    var rerun = Rerun()
    while true {
      let (transaction, own) = try readTransaction(in: admission, freshness)
      do {
        defer { if own != nil { transaction.reader.end() } }
        return try body(transaction)
      } catch {
        guard own != nil, transaction.engine.isContended, rerun.waits(as: .operation, runtime)
        else { throw error }
      }
    }
  }

  func run<Result>(
    _ body: (WriteTransaction) throws -> Result, in admission: TransactionScheduler.Admission,
    isOperation: Bool = false, isSingle: Bool = false, isBlock: Bool = false, author: String? = nil
  ) throws -> Result {
    switch admission {
    case .nested(let block):
      guard let current = block.current as? WriteTransaction else { throw Self.noTransaction }
      return try current.savepoint(body)
    case .following(let block):
      guard let current = block.current as? WriteTransaction else { throw Self.noTransaction }
      current.note(author: author)
      return try current.following(body)
    case .outer(let block):
      if runtime.options.isReadOnly {
        throw StoreError(.readOnly, "the store was opened read-only")
      }
      var rerun = Rerun()
      while true {
        do {
          let writer = try begunWriter(isForOperation: isOperation)
          defer { writer.writer.end() }
          let transaction = WriteTransaction(store: self, writer: writer, block: block)
          if rerun.runs > 1 { transaction.attempt = rerun.runs }
          block.current = transaction
          transaction.note(author: author)
          do {
            let result =
              try isOperation ? transaction.alone(isSingle: isSingle, body) : body(transaction)
            try transaction.finish()
            return result
          } catch {
            transaction.givenKeys.takeBack(to: 0)
            writer.writer.end()
            guard writer.engine.isContended else { throw error }
            throw Contended(error, hasHooks: writer.interceptor?.interceptors.hasHooks == true)
          }
        } catch let contended as Contended {
          try block.checkCancellation()
          guard !block.hasFollowers, contended.mayRunAgain(runtime),
            rerun.waits(as: isBlock ? .block : .operation, runtime)
          else { throw contended.error }
        }
      }
    }
  }

  private func begunWriter(isForOperation: Bool) throws -> LayeredWriter {
    do {
      return try layeredWriter(isForOperation: isForOperation)
    } catch let error as StoreError where error.code == .contended {
      throw Contended(error, hasHooks: false)
    }
  }

  private static var noTransaction: StoreError {
    StoreError(.transactionEnded, "the enclosing block has no transaction yet")
  }
}
