internal import ORMStorage

/// Readers: lent to snapshots, and taken back.
extension LMDBMap {
  package func snapshot() throws -> LMDBSnapshot {
    LMDBSnapshot(map: self, reader: try lendReader())
  }

  /// Lends a reader on the newest commit to a snapshot, which gives it to ``take(back:)``.
  func lendReader() throws -> LMDBReader {
    try checkProcess()
    for _ in 0..<Self.attempts {
      let idle = try borrow()
      do {
        let reader = try begin(idle)
        do {
          // A commit that made keyspaces is seen a little before their handles are known.
          if try reader.knowsAllKeyspaces() { return reader }
          // Still counted as a snapshot, so that the map is not moved meanwhile.
          try learnKeyspaces()
        } catch {
          reader.close()
          throw error
        }
        take(back: reader)
      } catch let error as StoreError where error.isLMDBMapResized {
        giveUp(nil)
        try adoptMapSize()
      } catch {
        giveUp(nil)
        throw error
      }
    }
    throw keyspaceCountError
  }

  /// The number of times that keyspaces made by others are read before the file counts as damaged.
  static var attempts: Int { 100 }

  /// A damaged file may count other keyspaces than it has.
  var keyspaceCountError: StoreError {
    StoreError(.corrupt, "\(file.path) is damaged: it lists keyspaces that do not exist.")
  }

  /// Ends a snapshot's use of its reader.
  func take(back reader: LMDBReader) {
    // After a fork the slot in the reader table is the parent's.
    if ForkGeneration.current != forkGeneration { return }
    reader.reset()
    giveUp(reader)
  }

  /// Counts a snapshot, and gives it an idle reader if there is one.
  @inline(__always)
  private func borrow() throws -> LMDBReader? {
    let (mayRead, idle) = try tryToBorrow()
    return mayRead ? idle : try borrowAfterGrowth()
  }

  /// The same where the map does not grow; false, with nothing counted, while it does.
  @inline(__always)
  private func tryToBorrow() throws -> (Bool, LMDBReader?) {
    try state.withLock { state -> (Bool, LMDBReader?) in
      switch state.phase {
      case .closed, .unmapped: throw error(of: state.phase)
      case .growing: return (false, nil)
      case .open:
        state.snapshotCount += 1
        guard let idle = state.idle.popLast() else { return (true, nil) }
        // The handles are known before the reader begins, so that it has all of them.
        if idle.transaction.table !== state.table { idle.transaction.table = state.table }
        return (true, idle)
      }
    }
  }

  @inline(never)
  private func borrowAfterGrowth() throws -> LMDBReader? {
    var pause = LMDBPause(seconds: options.wait)
    while pause.next() {
      let (mayRead, idle) = try tryToBorrow()
      if mayRead { return idle }
    }
    throw StoreError(.busy, "\(file.path) is waiting to grow until open snapshots end.")
  }

  /// A reader on the newest commit: the idle one, renewed, or a new one.
  private func begin(_ idle: LMDBReader?) throws -> LMDBReader {
    if let idle {
      do {
        try idle.renew()
        return idle
      } catch {
        idle.close()
        throw error
      }
    }
    let table = state.withLock { $0.table }
    do {
      return try newReader(table)
    } catch let error as StoreError where error.isLMDBReadersFull {
      guard try environment.freeDeadReaders() > 0 else { throw error }
      return try newReader(table)
    }
  }

  private func newReader(_ table: LMDBKeyspaceTable) throws -> LMDBReader {
    try LMDBReader(environment, table, readsPages: options.readsPagesDirectly)
  }

  /// Counts a snapshot less, and keeps its reader for the next.
  private func giveUp(_ reader: LMDBReader?) {
    let surplus = state.withLock { state -> LMDBReader? in
      state.snapshotCount -= 1
      guard let reader else { return nil }
      if state.phase != .open || state.idle.count >= Self.idleReaders { return reader }
      state.idle.append(reader)
      return nil
    }
    surplus?.close()
  }

  // MARK: Keyspaces of other processes

  /// Opens the handles of all keyspaces at opening.
  func openHandles() throws {
    try handleLock.withLock { _ in try openMissingHandles() }
  }

  /// Has the address of the map found while the file has just been looked at: later it may be
  /// damaged.
  func findMapping() throws {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    _ = try snapshot.count(of: 0)
  }

  /// Waits for a commit of this process to publish its keyspaces, and opens those of others.
  ///
  /// While a batch of this process has begun there are none of others: it excludes all others, and
  /// learned their keyspaces when it began.
  private func learnKeyspaces() throws {
    try handleLock.withLock { _ in
      if state.withLock({ $0.hasBegunWriting }) { return }
      try openMissingHandles()
    }
  }

  /// Under `handleLock`, and while no batch has opened handles.
  func openMissingHandles() throws {
    let table = state.withLock { $0.table }
    // The library walks over the list, which may have been damaged since the file was opened.
    if table.count > 0 { try LMDBFile.checkIdentity(file.location) }
    let reader = try LMDBTransaction(reading: environment)
    do {
      let larger = try reader.openMissingHandles(table)
      try reader.publishHandles()
      state.withLock { $0.table = larger }
    } catch {
      reader.close()
      throw error
    }
  }
}
