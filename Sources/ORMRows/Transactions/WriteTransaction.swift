internal import FoundationEssentials
internal import ORMStorage

/// The one write transaction of a store, for the length of a block: all of it or nothing.
///
/// ```swift
/// try store.write { tx in
///   let team = try tx.save(Team(name: "Reds"))
///   try tx.save(Player(name: "Bo", team: .to(team)))
/// }
/// ```
///
/// It reads its own writes. Each operation is whole: one that throws has changed nothing, and the block
/// may go on.
public final class WriteTransaction: ReadTransaction {
  /// The outermost writer.
  @usableFromInline package let writer: any StoreWriter
  /// The layer of rules, hooks, managed and derived attributes; nil where the schema has none.
  package let interceptor: (any RowInterceptor)?
  /// The entities with rows that were changed so far, by model name.
  private var changedEntities: Set<String> = []
  /// The one of them that was notified of last: the next is mostly the same.
  private var lastChanged = "" { didSet { lastPut = nil } }
  /// The plan whose entity was noted last as changed, and is noted still.
  @usableFromInline package var lastPut: ObjectIdentifier?
  /// The layer that records changes; nil while no listener asks for them.
  private let recorder: ChangeRecorder?
  /// The history of the transaction, where the store has one.
  package let history: HistoryRecorder?
  /// The authors of the operations that are committed together, while changes are reported or
  /// recorded.
  private var authors: Set<String?> = []
  private let writeBlock: TransactionScheduler.Block
  /// True if the running code is one operation that ends the transaction when it throws, and not a hook
  /// or a block, which may catch errors: then nothing need be undone separately.
  private var isAlone = false
  /// True if it is also one operation of a transaction, with which the transaction ends.
  private var isSingle = false
  /// The writer, once it may commit with its next write.
  private var tripSaving: (any TripSavingWriter)?
  /// True if there is no layer between the operations and the engine: if the engine has changed nothing,
  /// nothing was changed.
  private let isDirect: Bool
  /// The counts of objects that saves have stored beside those that they were given, by entity; nil
  /// unless a caller asks for them.
  package var relatedCounts: [String: SaveCounts]?
  /// The keys that objects of class models were given.
  package var givenKeys = GivenKeys()
  /// The number of the block's run, 1 for the first.
  ///
  /// A store with many writers runs a block again if it conflicted with other transactions. Nothing of an
  /// earlier run stays in the store; effects of the block elsewhere stay.
  ///
  /// ```swift
  /// try store.write { tx in
  ///   if tx.attempt > 1 { print("run \(tx.attempt)") }
  ///   try tx.update(Snack.all) { $0[\.stock] += 1 }
  /// }
  /// ```
  public internal(set) var attempt = 1

  init(store: any Store, writer: LayeredWriter, block: TransactionScheduler.Block) {
    self.writer = writer.writer
    interceptor = writer.interceptor
    recorder = writer.recorder
    history = writer.history
    writeBlock = block
    isDirect = writer.isDirect
    super.init(store: store, reader: writer.writer, engine: writer.engine, block: block)
    interceptor?.transaction = self
  }

  /// Runs `body` as part of the transaction; when it throws, its writes are undone and the error comes
  /// out unchanged.
  ///
  /// ```swift
  /// try? tx.savepoint { tx in try tx.insert(snacks) }     // all of them, or none
  /// try tx.save(team)
  /// ```
  @discardableResult
  public func savepoint<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try checkRunning()
    var result: Result?
    let changedBefore = changedEntities
    let keysBefore = givenKeys.count
    let wasAlone = isAlone
    let consumersBefore = history?.consumers
    isAlone = false
    defer { isAlone = wasAlone }
    do {
      try writer.savepoint { result = try body(self) }
    } catch {
      if let consumersBefore { history?.consumers = consumersBefore }
      givenKeys.takeBack(to: keysBefore)
      changedEntities = changedBefore
      lastChanged = ""
      throw error
    }
    guard let result else {
      throw StoreError(.engine, "the store ended a savepoint without running its body")
    }
    return result
  }

  /// Runs the operation of another caller, to be committed with this transaction.
  ///
  /// An operation is whole, so most need no savepoint around them: the commit point is passed before, and
  /// one that throws although something was written rolls the group back. A block of the program is not
  /// whole: it has a savepoint, and so has each member of a group that must not run twice.
  package func following<Result>(
    _ body: (WriteTransaction) throws -> Result, isBlock: Bool
  ) throws -> Result {
    guard isDirect, !isBlock, writeBlock.mayRepeat, !writeBlock.isRepeated,
      let before = writer.changeCount
    else {
      return try savepoint {
        let result = try body($0)
        try writeBlock.beginCommit()
        return result
      }
    }
    try writeBlock.beginCommit()
    let changedBefore = changedEntities
    let keysBefore = givenKeys.count
    do {
      return try body(self)
    } catch {
      givenKeys.takeBack(to: keysBefore)
      changedEntities = changedBefore
      lastChanged = ""
      if writer.changeCount != before { writeBlock.breakUp() }
      throw error
    }
  }

  /// Runs an operation, or a part of one that lets it fail: undone when it throws, by a savepoint where the
  /// end of the transaction does not do it.
  package func operation<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    if let span = writeBlock.slot.span { return try reportedOperation(span, body) }
    guard isAlone else { return try savepoint(body) }
    try checkRunning()
    return try body(self)
  }

  /// Runs an operation whose requests instruments do not take for the program's.
  @inline(never)
  private func reportedOperation<Result>(
    _ span: TransactionSpan, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    span.enterOperation()
    defer { span.leaveOperation() }
    guard isAlone else { return try savepoint(body) }
    try checkRunning()
    return try body(self)
  }

  /// Runs the body that the transaction was begun for; an error ends the transaction.
  ///
  /// - Parameter isSingle: true if the body is one operation, and nothing else.
  package func alone<Result>(
    isSingle: Bool, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    isAlone = true
    self.isSingle = isSingle
    defer { isAlone = false }
    return try body(self)
  }

  /// Lets the store commit with the next write, which is the last of an operation that is alone, where
  /// nothing else belongs to the commit: no layer, listener or follower.
  ///
  /// Passes the commit point then; nothing that may fail comes between the write and the end.
  @usableFromInline
  package func commitWithNextWrite() throws {
    guard isAlone, isSingle, isDirect else { return }
    let runtime = store.runtime
    guard let writer = runtime.tripSaving(writer), !runtime.transactions.observesCommits,
      writeBlock.commitsAlone, writer.commitWithNextWrite()
    else { return }
    tripSaving = writer
    try writeBlock.beginCommit()
  }

  /// The same for a write that looks for its rows: unless something may end the operation early.
  ///
  /// Past the commit point nothing could, however long the rows are looked for.
  package func commitWithNextSearch() throws {
    if RunningOperation.current == nil { try commitWithNextWrite() }
  }

  /// The writer, while the transaction may be used.
  package func writing() throws -> any StoreWriter {
    try checkRunning()
    return writer
  }

  /// Remembers that rows of an entity were changed; of an entity whose rows are links that core
  /// keeps, that both its ends were.
  package func didChange(_ entity: StoredEntity) {
    if entity.modelName == lastChanged { return }
    if entity.isInternal, let ends = try? store.relationshipRules().ends(of: entity) {
      changedEntities.formUnion(ends)
    } else if entity.parent == nil && entity.subentities.isEmpty {
      changedEntities.insert(entity.modelName)
      lastChanged = entity.modelName
    } else {
      changedEntities.formUnion(store.schema.kin(of: entity))
    }
  }

  /// Returns whether rows of an entity were changed so far, so that it need not be found out again.
  package func hasChanged(_ entity: StoredEntity) -> Bool {
    entity.modelName == lastChanged || changedEntities.contains(entity.modelName)
  }

  /// Commits and announces the changes; passes the commit point first, and takes in the operations that
  /// wait to share the commit.
  package func finish() throws {
    let scheduler = store.runtime.transactions
    // The only write was also the commit.
    if let tripSaving, tripSaving.isCommitted {
      // An observation may have begun meanwhile, which has left its first look to this write.
      scheduler.noticeOthers()
      return try commit(scheduler, nil)
    }
    try writeBlock.beginCommit()
    let hasHooks = interceptor?.hasHooks == true
    let repeatsAlone = !hasHooks || store.runtime.concurrentWriters?.rerunsHooks == true
    try writeBlock.admitFollowers(repeatsAlone: repeatsAlone)
    scheduler.noticeOthers()
    try recorder?.settle(in: store)
    let recorded = changedEntities.isEmpty ? nil : recordedCommit
    try history?.finish(recorded, written: changedEntities)
    if scheduler.listeners.isListening || scheduler.ordersCommits {
      try scheduler.notices.committing { try commit(scheduler, recorded) }
      scheduler.observers.settleImmediates(in: scheduler)
    } else {
      try commit(scheduler, recorded)
    }
  }

  private func commit(
    _ scheduler: TransactionScheduler, _ recorded: RecordedCommit?
  ) throws {
    try writer.commit()
    givenKeys.settle()
    history?.didCommit()
    if !changedEntities.isEmpty {
      scheduler.announce(CommitNotice(entities: changedEntities), recorded)
    }
  }

  /// The changes for listeners and for the history; nil without either.
  private var recordedCommit: RecordedCommit? {
    guard isRecorded else { return nil }
    return RecordedCommit(
      timestamp: store.runtime.now, author: authors.count == 1 ? authors.first ?? nil : nil,
      token: history?.token, levels: recorder?.levels, logs: recorder?.recorded ?? [])
  }

  private var isRecorded: Bool {
    recorder != nil || history != nil || store.runtime.transactions.listeners.isListening
  }

  /// Notes the author of an operation that is part of the transaction, while changes are reported or
  /// recorded.
  ///
  /// - Parameter author: the author of the task that called, where that is not this one.
  package func note(author: String?) {
    guard isRecorded else { return }
    authors.insert(author ?? Persistence.author ?? store.runtime.options.author)
  }
}

extension WriteTransaction: EntityObserver {}
