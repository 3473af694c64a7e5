internal import ORMStorage
package import OrderedEngine

/// The write transaction of the map, with its savepoints as transactions nested in it.
///
/// A savepoint that writes nothing costs nothing: the nested transaction is begun at the first
/// write in it. Of savepoints inside each other the innermost alone begins one; when it has
/// succeeded and nothing was written around it, the transaction becomes that of the one around.
package final class LMDBBatch: ValueReplacingBatch {
  /// A savepoint that is being run.
  private struct Savepoint {
    /// The handles of the transaction when it began.
    var table: LMDBKeyspaceTable
    /// True if its nested transaction was begun.
    var isBegun = false
  }

  let map: LMDBMap
  /// The transaction; nil after the end.
  private var transaction: LMDBTransaction?
  /// The writers of the keyspaces that have been written.
  private var writers: [LMDBKeyspaceWriter] = []
  /// The writers of keyspaces below `tableLimit`, by number.
  ///
  /// They are looked up at every write.
  @exclusivity(unchecked) private var frequentWriters: [LMDBKeyspaceWriter?] = []
  private static let tableLimit: Keyspace = 4096
  /// The writers of the other keyspaces.
  private var rareWriters: [Keyspace: LMDBKeyspaceWriter] = [:]
  private var savepoints: [Savepoint] = []
  /// True if the innermost savepoint has no nested transaction yet.
  private var isWaiting = false

  init(map: LMDBMap, transaction: LMDBTransaction) {
    self.map = map
    self.transaction = transaction
  }

  deinit { end() }

  @inline(__always)
  private func open() throws -> LMDBTransaction {
    guard let transaction else {
      throw StoreError(.transactionEnded, "A batch was used after it had ended.")
    }
    return transaction
  }

  // MARK: Reading

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    if Int(keyspace) < frequentWriters.count, let writer = frequentWriters[Int(keyspace)] {
      return try writer.value(of: key)
    }
    let transaction = try open()
    return try transaction.value(of: key, in: transaction.handle(of: keyspace))
  }

  package func cursor(in keyspace: Keyspace) throws -> LMDBCursor {
    try open().cursor(in: keyspace)
  }

  package func count(of keyspace: Keyspace) throws -> Int {
    let transaction = try open()
    return try transaction.count(of: transaction.handle(of: keyspace))
  }

  // MARK: Writing

  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws {
    if Int(keyspace) < frequentWriters.count, let writer = frequentWriters[Int(keyspace)] {
      return try writer.put(key, value)
    }
    try writer(of: keyspace).put(key, value)
  }

  package func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> Bool {
    if Int(keyspace) < frequentWriters.count, let writer = frequentWriters[Int(keyspace)] {
      return try writer.insert(key, value)
    }
    return try writer(of: keyspace).insert(key, value)
  }

  package func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
    if Int(keyspace) < frequentWriters.count, let writer = frequentWriters[Int(keyspace)] {
      return try writer.remove(key)
    }
    if try open().handle(of: keyspace) == 0 { return false }
    return try writer(of: keyspace).remove(key)
  }

  package func removeAll(in keyspace: Keyspace) throws {
    let transaction = try open()
    let handle = transaction.handle(of: keyspace)
    if handle == 0 { return }
    if isWaiting { try begin(transaction) }
    try transaction.removeAll(in: handle)
    knownWriter(of: keyspace)?.noteRemovalOfAll()
  }

  package func replaceValues(
    in keyspace: Keyspace,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer?
  ) throws {
    let transaction = try open()
    if transaction.handle(of: keyspace) == 0 { return }
    if isWaiting { try begin(transaction) }
    try transaction.cursor(in: keyspace).replaceValues(
      maximumKeyLength: map.maximumKeyLength, body)
  }

  /// Returns the keyspace's writer, and creates the writer and the keyspace where they are missing.
  @inline(never)
  private func writer(of keyspace: Keyspace) throws -> LMDBKeyspaceWriter {
    let transaction = try open()
    if isWaiting { try begin(transaction) }
    if let writer = knownWriter(of: keyspace) { return writer }
    if transaction.handle(of: keyspace) == 0 {
      let handle = try transaction.openHandle(of: keyspace, creates: true)
      transaction.table = transaction.table.adding([(keyspace, handle)])
    }
    let writer = LMDBKeyspaceWriter(
      cursor: transaction.cursor(in: keyspace), maximumKeyLength: map.maximumKeyLength)
    writers.append(writer)
    if keyspace < Self.tableLimit {
      while frequentWriters.count <= Int(keyspace) { frequentWriters.append(nil) }
      frequentWriters[Int(keyspace)] = writer
    } else {
      rareWriters[keyspace] = writer
    }
    return writer
  }

  private func forgetWriters() {
    if writers.isEmpty { return }
    frequentWriters.removeAll(keepingCapacity: true)
    rareWriters = [:]
    writers.removeAll(keepingCapacity: true)
  }

  private func knownWriter(of keyspace: Keyspace) -> LMDBKeyspaceWriter? {
    if keyspace >= Self.tableLimit { return rareWriters[keyspace] }
    return Int(keyspace) < frequentWriters.count
      ? frequentWriters[Int(keyspace)] : nil
  }

  // MARK: Savepoints

  package func savepoint(_ body: () throws -> Void) throws {
    let transaction = try open()
    transaction.releaseCursors()
    forgetWriters()
    savepoints.append(Savepoint(table: transaction.table))
    isWaiting = true
    do {
      try body()
    } catch {
      endSavepoint(keeps: false)
      throw error
    }
    guard self.transaction != nil else {
      throw StoreError(.transactionEnded, "A batch was ended inside one of its savepoints.")
    }
    try endSavepoint(keeps: true)?.commitNested()
  }

  /// Forgets the innermost savepoint, and undoes it unless `keeps`.
  ///
  /// Returns the nested transaction that the caller is to merge into the one around it; nil if there is none.
  @discardableResult
  private func endSavepoint(keeps: Bool) -> LMDBTransaction? {
    guard let transaction, let savepoint = savepoints.popLast() else { return nil }
    isWaiting = savepoints.last?.isBegun == false
    if keeps, savepoint.isBegun, isWaiting {
      savepoints[savepoints.count - 1].isBegun = true
      isWaiting = false
      transaction.releaseCursors()
      forgetWriters()
      return nil
    }
    // The noted keys may belong to entries that are undone.
    forgetWriters()
    guard savepoint.isBegun else {
      transaction.releaseCursors()
      return nil
    }
    if keeps { return transaction }
    transaction.abortNested()
    transaction.table = savepoint.table
    return nil
  }

  /// Begins the nested transaction of the innermost savepoint.
  private func begin(_ transaction: LMDBTransaction) throws {
    try transaction.beginNested()
    savepoints[savepoints.count - 1].isBegun = true
    isWaiting = false
  }

  // MARK: The end

  package func commit() throws {
    let transaction = try open()
    guard savepoints.isEmpty else {
      throw StoreError(.reentrancy, "A batch cannot be committed inside one of its savepoints.")
    }
    leave()
    try map.commit(transaction)
  }

  package func end() {
    guard let transaction else { return }
    leave()
    map.abandon(transaction)
  }

  private func leave() {
    transaction = nil
    forgetWriters()
    savepoints = []
    isWaiting = false
  }
}
