internal import ORMStorage

/// The look at a member that is opened: it is left as it is if it fits.
final class MemberLook: MemberMigration {
  private let options: StoreOptions
  private let found: Lock<Found>

  /// The findings.
  private struct Found {
    var stored: StoredSchema?
    var needsChange = false
    var state: MemberState?
    var mayBeMade: Bool
  }

  /// The error that ends the opening of a member that is to be changed.
  private struct NeedsChange: Error {}

  /// The error that ends the opening of a member that is not there.
  struct IsMissing: Error {}

  /// - Parameter mayBeMade: true if the store is made if it is not there.
  init(_ options: StoreOptions, mayBeMade: Bool) {
    self.options = options
    found = Lock(Found(mayBeMade: mayBeMade))
  }

  /// True if the store held a schema before it was opened.
  var wasThere: Bool { found.withLock { $0.stored != nil } }
  /// True if the store has to be changed, so that it was not opened.
  var needsChange: Bool { found.withLock { $0.needsChange } }
  /// The state of a store that has to be changed; nil if it has none.
  var state: MemberState? { found.withLock { $0.state } }

  /// Allows the store to be created from now on.
  func admitCreation() { found.withLock { $0.mayBeMade = true } }

  /// Throws `IsMissing` until the store may be made.
  func checkCreation() throws {
    if found.withLock({ !$0.mayBeMade }) { throw IsMissing() }
  }

  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) throws -> Bool {
    found.withLock { $0.stored = stored }
    // A store that is only read cannot be changed: the engine reports the missing parts.
    if options.isReadOnly || fits(stored, declared) { return false }
    found.withLock { $0.needsChange = true }
    return true
  }

  private func fits(_ stored: StoredSchema, _ declared: StoredSchema) -> Bool {
    guard stored.version == declared.version,
      let changes = try? SchemaComparison.compare(
        stored: stored, declared: declared.keepingHistory(options, of: stored),
        policy: options.schemaPolicy)
    else { return false }
    return changes.isEmpty && changes.union == stored
  }

  /// Reads the state; the transaction is rolled back.
  func migrate(_ transaction: any SchemaTransaction, in file: (any StoreFile)?) throws {
    if transaction.schema.entities.contains(where: CoordinatorEntity.isEntity) {
      let state = try MemberRows.state(in: transaction.writer())
      found.withLock { $0.state = state }
    }
    throw NeedsChange()
  }

  /// Does nothing: the state that was read is still valid, or the next look replaces it.
  func noteRollback() {}
}
