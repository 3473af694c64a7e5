public import ORMStorage

/// A read block that was begun: one's own with its reader, or that of a block around it.
@usableFromInline
struct ReadBlock {
  @usableFromInline package let transaction: ReadTransaction
  /// The slot of the block, with the reader that was opened for it; nil in a block around it.
  private let slot: BlockSlot?
  private let scheduler: TransactionScheduler
  /// The block as a part of the one around it, with a deadline of its own; nil without one.
  private let part: BlockPart?

  init(
    _ transaction: ReadTransaction, in slot: BlockSlot?, of scheduler: TransactionScheduler,
    within: Duration?
  ) {
    self.transaction = transaction
    self.slot = slot
    self.scheduler = scheduler
    part = if slot == nil, let within { BlockPart(within: within) } else { nil }
  }

  /// Ends the block, and its reader where that is its own; throws, and does nothing, if the deadline
  /// has passed.
  @usableFromInline
  func finish() throws {
    guard let slot else {
      try part?.operation.check()
      part?.end()
      return
    }
    if slot.commitPoint != nil { try RunningOperation.check() }
    transaction.reader.end()
    scheduler.leave(slot)
  }

  /// The reason for the block to end early.
  var stop: RunningOperation.Stop? {
    part?.operation.stop ?? (slot?.commitPoint == nil ? nil : RunningOperation.current?.stop)
  }

  /// The time of `RunningOperation.now` by which the block is to be done; nil for any.
  var deadline: UInt64? {
    guard let end = slot?.commitPoint?.deadline, end < .max else { return nil }
    return end
  }

  /// Ends the block after an error, and returns whether its own reader conflicts with other transactions, so
  /// that it may run again.
  ///
  /// The reader is asked before the slot is left: from then on the next block may have begun it anew.
  func endFailed(_ error: any Error) -> Bool {
    guard let slot else {
      part?.end()
      return false
    }
    transaction.reader.end()
    let isContended = transaction.engine.metContention && !transaction.hasGivenRows
    slot.span?.fail(error)
    scheduler.leave(slot)
    return isContended
  }
}

/// A block inside of another on its thread, which has a deadline of its own.
final class BlockPart {
  /// The operation that the thread works for, to the end of the block.
  let operation: RunningOperation
  private let outer: RunningOperation?

  /// Begins a part of the running operation.
  init(within: Duration) {
    operation = RunningOperation(
      deadline: RunningOperation.deadline(in: within), inside: .current)
    outer = RunningOperation.exchange(operation)
  }

  /// Returns the thread to the operation around.
  func end() { _ = RunningOperation.exchange(outer) }
}

extension Store {
  // Compiled where the body is, which could not be specialised for a store of any type otherwise. The
  // code around the body does not depend on the type of its result.
  /// Runs a block on one snapshot, fixed when the block begins.
  ///
  /// ```swift
  /// let (count, snacks) = try store.read { tx in
  ///   (try tx.count(Snack.self), try tx.fetch(Snack.all.limit(10)))
  /// }
  /// ```
  ///
  /// Inside a block of this thread it shares that block's view. A read issued after a write
  /// block with a completion handler waits for it, unless `consistency` is `.latestCommit`.
  ///
  /// With another `freshness` than `.newest` a replica may answer, if the store has any.
  ///
  /// ```swift
  /// let cheap = try store.read(freshness: .within(.seconds(5))) { tx in
  ///   try tx.fetch(Snack.where { $0.price < 3 })
  /// }
  /// ```
  ///
  /// A block may take as long as `within` says, its wait for a turn included (clause 6.10); without
  /// it, `StoreOptions.operationLimit` holds. Inside a block of this thread, the earlier deadline of
  /// the two counts.
  ///
  /// ```swift
  /// let found = try store.read(within: .seconds(2)) { tx in
  ///   try tx.fetch(Snack.where("price > 1"))
  /// }
  /// ```
  ///
  /// - Throws: the body's error, unchanged; `deadlineExceeded`, `busy`, `closed`, `forked`.
  @inlinable @inline(__always)
  public func read<Result>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    within: Duration? = nil, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    try reading(consistency, freshness, within, isForOperation: false, body)
  }

  /// Runs one operation that reads, on a snapshot that its first request may fix.
  @inlinable @inline(__always)
  package func readOperation<Result>(
    consistency: ReadConsistency, within: Duration? = nil,
    _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    try reading(consistency, .newest, within, isForOperation: true, body)
  }

  /// Runs a read block until its result stands on one state of the store, within its time.
  @inlinable @inline(__always)
  func reading<Result>(
    _ consistency: ReadConsistency, _ freshness: ReadFreshness, _ within: Duration?,
    isForOperation: Bool, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    var (rerun, rest) = (Rerun(), within)
    while true {
      let block = try beginRead(
        consistency: consistency, freshness: freshness, within: rest,
        isForOperation: isForOperation, &rerun)
      do {
        let result = try body(block.transaction)
        try block.finish()
        return result
      } catch {
        try end(block, &rerun, &rest, error)
      }
    }
  }

  /// Ends a read block that threw; returns when it is to be run again in the rest of its time, and
  /// otherwise throws the error.
  @inline(never) @usableFromInline
  func end(
    _ block: ReadBlock, _ rerun: inout Rerun, _ rest: inout Duration?, _ error: any Error
  ) throws {
    let stop = block.stop
    let deadline = block.deadline
    let isContended = block.endFailed(error is StoreError ? stop?.error ?? error : error)
    if let stop, error is StoreError { throw named(stop.error) }
    guard isContended else { throw named(error) }
    do {
      guard try rerun.waits(as: .operation, until: deadline, runtime) else { throw error }
    } catch let failure {
      throw named(failure)
    }
    // The wait has taken a part of the time.
    rest = deadline.map {
      .nanoseconds(Int64(clamping: $0) - Int64(clamping: RunningOperation.now))
    }
  }

  /// Begins a read block on the calling thread; its end is the caller's.
  @usableFromInline
  func beginRead(
    consistency: ReadConsistency, freshness: ReadFreshness = .newest, within: Duration?,
    isForOperation: Bool = false, _ rerun: inout Rerun
  ) throws -> ReadBlock {
    do {
      let scheduler = runtime.transactions
      let admission = try scheduler.enterRead(consistency: consistency, within: within)
      do {
        let (transaction, slot) = try begunRead(
          in: admission, freshness, isForOperation: isForOperation, &rerun)
        return ReadBlock(transaction, in: slot, of: scheduler, within: within)
      } catch {
        let failure = error is StoreError ? admission.block.stop?.error ?? error : error
        scheduler.leave(admission, after: failure)
        throw failure
      }
    } catch { throw named(error) }
  }

  /// The error of a block, with the store's name where that helps.
  @usableFromInline
  package func named(_ error: any Error) -> any Error {
    (error as? StoreError).map { runtime.named($0) } ?? error
  }

  /// The transaction of a read block, which is begun again if its reader conflicts with others.
  @inline(__always)
  private func begunRead(
    in admission: borrowing TransactionScheduler.Admission, _ freshness: ReadFreshness = .newest,
    isForOperation: Bool = false, _ rerun: inout Rerun
  ) throws -> (ReadTransaction, own: BlockSlot?) {
    do {
      return try readTransaction(in: admission, freshness, isForOperation: isForOperation)
    } catch let error as StoreError where error.code == .contended {
      return try begunReadAgain(
        error, in: admission, freshness, isForOperation: isForOperation, &rerun)
    }
  }

  /// Begins a reader again until it begins, or the time of the block's runs is over.
  @inline(never)
  private func begunReadAgain(
    _ error: StoreError, in admission: borrowing TransactionScheduler.Admission,
    _ freshness: ReadFreshness, isForOperation: Bool, _ rerun: inout Rerun
  ) throws -> (ReadTransaction, own: BlockSlot?) {
    var error = error
    while try rerun.waits(as: .operation, runtime) {
      do {
        return try readTransaction(in: admission, freshness, isForOperation: isForOperation)
      } catch let next as StoreError where next.code == .contended { error = next }
    }
    throw error
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
  ///
  /// If the task is cancelled or the time `within` is over (clauses 6.4 and 6.10), the block ends at the
  /// next row that it looks at, with `CancellationError` or `deadlineExceeded`.
  public func read<Result: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    within: Duration? = nil, _ body: sending @escaping (ReadTransaction) throws -> Result
  ) async throws -> Result {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.read(
        consistency: consistency, within: within
      ) { admission in
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
  /// A block whose time `within` is over before its commit begins changes nothing; afterwards the
  /// deadline has no effect (clause 6.10).
  ///
  /// - Throws: the body's error, unchanged, with everything undone; `deadlineExceeded`, `busy` after
  ///   `writerWait`, `closed`, `forked`, and the errors of the commit (`full`, `inputOutput`).
  @discardableResult
  public func write<Result>(
    within: Duration? = nil, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    do {
      return try runtime.transactions.write(within: within) {
        try self.run(body, in: $0, within: within, isBlock: true)
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs a block that changes the store, off the cooperative pool; the body is synchronous.
  ///
  /// ```swift
  /// let team = try await store.write { tx in try tx.save(Team(name: "Reds")) }
  /// ```
  ///
  /// A block that says how many `rows` it writes at most, 64 or fewer, shares one durable commit with
  /// others that wait at the same time. Each has its own outcome, but if the commit fails, all fail:
  ///
  /// ```swift
  /// try await store.write(rows: 1) { tx in try tx.save(snack) }
  /// ```
  ///
  /// Cancelling the task before the commit point undoes everything and throws `CancellationError`; a
  /// deadline that passes before it, `deadlineExceeded`.
  @discardableResult
  public func write<Result: Sendable>(
    rows: Int? = nil, within: Duration? = nil,
    _ body: sending @escaping (WriteTransaction) throws -> Result
  ) async throws -> Result {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.write(
        shares: blockSharesCommit(rows: rows), within: within
      ) { admission in
        try Persistence.rebinding(bound) { try self.run(body, in: admission, isBlock: true) }
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs a body in a transaction that is its own: when it throws, the transaction is undone with it.
  package func operation<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try operation(isSingle: false, body)
  }

  /// Runs one operation of the transaction, and nothing else, in a transaction that is its own.
  package func singleOperation<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result
  {
    try operation(isSingle: true, body)
  }

  private func operation<Result>(
    isSingle: Bool, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    do {
      let scheduler = runtime.transactions
      let admission = try scheduler.enterWrite()
      do {
        let result = try run(body, in: admission, isOperation: true, isSingle: isSingle)
        scheduler.leave(admission)
        return result
      } catch {
        scheduler.leave(admission, after: error)
        throw error
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Runs one operation off the cooperative pool; operations of a few rows that wait together share one
  /// commit, each with an outcome of its own.
  ///
  /// The operation may run twice, when the shared commit fails.
  package func writeOperation<Result: Sendable>(
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
  package func sharesCommit(rows: Int) -> Bool { rows <= sharedRowLimit }

  /// Returns whether a block that says it writes at most `rows` rows may share a commit.
  func blockSharesCommit(rows: Int?) -> Bool {
    // In a store with many writers a block runs again by itself, and counts its runs.
    guard let rows, runtime.concurrentWriters == nil else { return false }
    return sharesCommit(rows: rows)
  }

  /// The most rows that an operation may write to share a commit.
  package var sharedRowLimit: Int { 64 }

  package func run<Result>(
    _ body: (ReadTransaction) throws -> Result, in admission: TransactionScheduler.Admission,
    _ freshness: ReadFreshness = .newest, isForOperation: Bool = false
  ) throws -> Result {
    var rerun = Rerun()
    while true {
      let (transaction, own) = try begunRead(
        in: admission, freshness, isForOperation: isForOperation, &rerun)
      do {
        defer { if own != nil { transaction.reader.end() } }
        return try body(transaction)
      } catch {
        guard own != nil, transaction.engine.metContention, !transaction.hasGivenRows,
          try rerun.waits(as: .operation, runtime)
        else { throw error }
      }
    }
  }

  package func run<Result>(
    _ body: (WriteTransaction) throws -> Result, in admission: TransactionScheduler.Admission,
    within: Duration? = nil, isOperation: Bool = false, isSingle: Bool = false,
    isBlock: Bool = false, author: String? = nil
  ) throws -> Result {
    if isBlock { admission.block.keepFromRepeating() }
    switch admission {
    case .nested(let block):
      guard let current = block.current as? WriteTransaction else { throw Self.noTransaction }
      guard let within else { return try current.savepoint(body) }
      let part = BlockPart(within: within)
      defer { part.end() }
      do {
        return try current.savepoint { transaction in
          let result = try body(transaction)
          try part.operation.check()
          return result
        }
      } catch let error as StoreError {
        // As of any block: that of a statement which the deadline ended is the engine's.
        try part.operation.check()
        throw error
      }
    case .following(let block):
      guard let current = block.current as? WriteTransaction else { throw Self.noTransaction }
      current.note(author: author)
      block.slot.span?.note(isOperation: isOperation)
      return try current.following(body, isBlock: isBlock)
    case .outer(let block):
      if runtime.options.isReadOnly {
        throw StoreError(.readOnly, "the store was opened read-only")
      }
      var rerun = Rerun()
      while true {
        do {
          let writer = try begunWriter(isForOperation: isOperation, in: block)
          defer { writer.writer.end() }
          let transaction = WriteTransaction(store: self, writer: writer, block: block)
          if rerun.runs > 1 {
            transaction.attempt = rerun.runs
            block.slot.span?.run(rerun.runs)
          }
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
            if error is StoreError { try block.checkStop() }
            guard writer.engine.metContention else { throw error }
            throw Contended(error, hasHooks: writer.interceptor?.hasHooks == true)
          }
        } catch let contended as Contended {
          // The end of this operation is not that of its followers, which run again by themselves.
          guard !block.hasFollowers, contended.mayRunAgain(runtime) else { throw contended.error }
          block.reopenCommitPoint()
          try block.checkStop()
          guard try rerun.waits(as: isBlock ? .block : .operation, runtime) else {
            throw contended.error
          }
        }
      }
    }
  }

  private func begunWriter(
    isForOperation: Bool, in block: TransactionScheduler.Block
  ) throws -> LayeredWriter {
    do {
      return try layeredWriter(isForOperation: isForOperation, in: block.slot)
    } catch let error as StoreError {
      try block.checkStop()
      if error.code == .contended { throw Contended(error, hasHooks: false) }
      throw error
    }
  }

  private static var noTransaction: StoreError {
    StoreError(.transactionEnded, "the enclosing block has no transaction yet")
  }
}
