internal import ORMValues

/// The changes of schema in one opening of a store, and the events that it reports.
///
/// An engine uses one for each opening. It first looks whether the store fits as it is. If not, it
/// changes the store in one transaction, or in several if a migration asks for it:
///
/// ```swift
/// func change(
///   to declared: StoredSchema, _ options: StoreOptions,
///   begin: () throws -> any SchemaTransaction, commit: () throws -> Void
/// ) throws {
///   let opening = SchemaOpening(options)
///   _ = try opening.write {
///     let transaction = try begin()
///     let changes = try opening.changes(in: transaction, to: declared)
///     if !opening.goesOn { try transaction.change(changes) }
///     try commit()
///     return opening.goesOn ? nil : transaction.schema
///   }
/// }
/// ```
public final class SchemaOpening {
  let options: StoreOptions
  /// The file of the store, which is copied before a loss; nil if it has none.
  let file: (any StoreFile)?
  /// The copy that was made before the migration, by this opening or the one that began it.
  private var backup: StoreBackup?
  /// True once a migration has begun in the transaction.
  private var hasBegun = false
  /// True unless no attribute of the schema after the migration keeps contents outside of rows.
  private var refersToContents = true
  /// The progress that the migration has left to be committed; nil at its end.
  private var progress: MigrationProgress?
  /// True if other programs write beside the migration.
  private var admitsWriters = false
  /// The errors of rows that the migration has left.
  private var findings: [StoreError] = []
  /// True if a part of the migration was committed.
  private var hasParts = false
  /// True if the copies and the progress of earlier parts are to be removed.
  private var isAbandoning = false

  /// True if the transaction has migrated the store.
  package var hasMigrated: Bool { hasBegun }

  /// True after ``changes(in:to:isNew:)`` if the transaction is to be committed as it is, and another
  /// is to go on.
  public var goesOn: Bool { progress != nil || isAbandoning }

  /// Makes an opening with options, of a store in a file or, with nil, of one without.
  public init(_ options: StoreOptions, file: (any StoreFile)? = nil) {
    self.options = options
    self.file = file
  }

  /// Returns whether a store has to be migrated before a program that declares `declared` can use it.
  ///
  /// An older program that the store admits never migrates it.
  ///
  /// - Throws: `schemaMismatch` if the store has to be migrated and is read-only; the errors of the
  ///   migration's look.
  public func needsMigration(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> Bool {
    guard let migration = options.schemaPolicy.migration,
      migration.leadsBack
        || !stored.admitsAsOlder(declared.version, isReadOnly: options.isReadOnly),
      try migration.isNeeded(from: stored, to: declared)
    else { return false }
    if options.isReadOnly {
      throw StoreError(
        .schemaMismatch,
        "the store has to be migrated, and it is read-only; open it once for writing")
    }
    // A migration that has begun without writers continues without them, even if this opening asks for
    // writers.
    if !stored.refusesWriters {
      try migration.check(from: stored, to: declared, options.migration)
    }
    return true
  }

  /// Returns the schema of a store that is not there yet, and is to be made.
  ///
  /// - Throws: `cannotOpen` if the program declares no schema or only reads; the errors of the
  ///   migration's ``SchemaMigration/checkCreation()``.
  package func creating(_ declared: StoredSchema?) throws -> StoredSchema {
    try options.schemaPolicy.migration?.checkCreation()
    let schema = try schema(declared)
    if options.isReadOnly {
      throw StoreError(
        .cannotOpen,
        "there is no store, and a read-only opening makes none; open it once for writing")
    }
    return schema
  }

  /// Returns a declared schema; throws `cannotOpen` if there is none to make a store by.
  package func schema(_ declared: StoredSchema?) throws -> StoredSchema {
    guard let declared else {
      throw StoreError(.cannotOpen, "there is no store, and no schema is declared to make one")
    }
    return declared
  }

  /// Returns the additions that fit a store to a declared schema, by the policy of the options.
  ///
  /// - Throws: as `SchemaComparison.compare` does.
  public func additions(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> SchemaChanges {
    try SchemaComparison.compare(
      stored: stored, declared: declared, policy: options.schemaPolicy,
      isReadOnly: options.isReadOnly)
  }

  /// Migrates a store if that is needed, and returns the additions that are left to be made.
  ///
  /// Called in the body of ``write(_:)``.
  ///
  /// - Parameters:
  ///   - transaction: the transaction that changes the store.
  ///   - declared: the schema of the program.
  ///   - isNew: true for a store that is being made: no migration runs, and no policy refuses it.
  /// - Throws: the errors of the migration, and those of the comparison.
  public func changes(
    in transaction: any SchemaTransaction, to declared: StoredSchema, isNew: Bool = false
  ) throws -> SchemaChanges {
    let stored = transaction.schema
    progress = nil
    findings = []
    // A transaction before this one may have been rolled back.
    refersToContents = true
    if isNew {
      try options.schemaPolicy.migration?.checkCreation()
      return try SchemaComparison.compare(stored: stored, declared: declared)
    }
    if isAbandoning {
      try options.schemaPolicy.migration?.abandon(transaction)
      return SchemaChanges(union: transaction.schema)
    }
    let isNeeded = try needsMigration(from: stored, to: declared)
    if isNeeded, let migration = options.schemaPolicy.migration as? any MemberMigration {
      try migration.migrate(transaction, in: file)
      return SchemaChanges(union: transaction.schema)
    }
    guard isNeeded, let migration = options.schemaPolicy.migration else {
      let changes = try additions(from: stored, to: declared)
      guard stored.isBeingMigrated else { return changes }
      // A program that the store fits reads it meanwhile, and changes nothing.
      if changes.isEmpty { return SchemaChanges(union: stored) }
      throw StoredSchema.isBeingMigrated
    }
    if !hasBegun {
      let backup = try backup(for: migration, in: transaction, to: declared)
      hasBegun = true
      options.onSchemaEvent?(
        isRecreating
          ? .willRecreate : .willMigrate(from: stored.version ?? 0, to: declared.version ?? 0))
      self.backup = backup
      // A migration that goes on was copied before its first part.
      if let backup, try !(stored.isBeingMigrated && backup.exists()) {
        try backup.make()
        options.onSchemaEvent?(.didBackUp(backup.path))
      }
      if isRecreating, let file { try ExternalContents.leaveMark(besides: file.path) }
    }
    switch try migration.migrate(transaction, to: declared, options.migration) {
    case .goesOn(let progress):
      self.progress = progress
      admitsWriters = transaction.schema.admitsWritersOfMigration
      return SchemaChanges(union: transaction.schema)
    case .done(let findings): self.findings = findings
    }
    var changes = try additions(from: transaction.schema, to: declared)
    keepVersions(of: transaction.schema, from: stored, declared.version, in: &changes.union)
    refersToContents = changes.union.entities.contains(where: \.holdsExternalContents)
    return changes
  }

  /// Forgets the work of a transaction that was rolled back.
  package func noteRollback() {
    (options.schemaPolicy.migration as? any MemberMigration)?.noteRollback()
  }

  /// Sets the least versions of the schema to be stored, from those that a migration has left and from the
  /// additions.
  private func keepVersions(
    of migrated: StoredSchema, from stored: StoredSchema, _ version: Int?,
    in union: inout StoredSchema
  ) {
    if migrated.withoutMigration == stored.withoutMigration { return }
    // A migration that leaves the version says nothing of those that may go on.
    let isSilent = migrated.version == stored.version
    union.version = migrated.version
    union.minimumReader = isSilent ? nil : migrated.minimumReader
    union.minimumWriter = isSilent ? nil : migrated.minimumWriter
    guard let version else { return }
    // It may have taken out derived attributes, for the opening to compute them anew.
    let access = migrated.keepingDerivations(of: stored).access(to: union)
    union.raise(to: version, keeping: isSilent ? .none : access)
  }

  /// Runs the transactions of the opening and reports their outcome.
  ///
  /// - Parameter body: begins a transaction, and commits it, or rolls it back and throws; returns nil
  ///   if the opening ``goesOn``.
  public func write<Result>(_ body: () throws -> Result?) throws -> Result {
    hasBegun = false
    hasParts = false
    backup = nil
    do {
      while true {
        let start = ContinuousClock.now
        if let result = try body() {
          if !findings.isEmpty { options.onSchemaEvent?(.didFind(findings)) }
          if hasBegun, isRecreating { removeContents() }
          if hasBegun { options.onSchemaEvent?(isRecreating ? .didRecreate : .didMigrate) }
          if let backup { removeOlder(than: backup) }
          return result
        }
        hasParts = true
        if let progress { options.onSchemaEvent?(.progress(progress)) }
        try rest(after: ContinuousClock.now - start)
      }
    } catch {
      if hasBegun {
        if hasParts, !Self.mayGoOnLater(after: error) { abandon(body) }
        options.onSchemaEvent?(isRecreating ? .couldNotRecreate(error) : .couldNotMigrate(error))
      }
      throw error
    }
  }

  /// Removes the copies and the progress of a failed migration; a failure is reported, and the next
  /// migration removes it.
  private func abandon<Result>(_ body: () throws -> Result?) {
    isAbandoning = true
    defer { isAbandoning = false }
    do { _ = try body() } catch { options.onError?(error) }
  }

  /// Returns whether another opening may go on after an error: it came from the disk or from others, or the
  /// operation was ended.
  private static func mayGoOnLater(after error: any Error) -> Bool {
    if error is CancellationError { return true }
    guard let error = error as? StoreError else { return false }
    let passing: Set<StoreError.Code> = [
      .busy, .full, .inputOutput, .closed, .contended, .connectionLost, .outcomeUnknown,
      .deadlineExceeded,
    ]
    return passing.contains(error.code) || error.failures.contains { passing.contains($0.code) }
  }

  /// The greatest share of time for a migration beside which others write: they wait for their turns.
  private static let onlinePace = 0.8

  /// Sleeps after a part for the share of time that the options ask for.
  ///
  /// - Throws: the end of the operation that the opening runs in.
  package func rest(after part: Duration) throws {
    var pace = options.migration.pace
    if progress != nil, admitsWriters { pace = min(pace, Self.onlinePace) }
    guard pace > 0, pace < 1 else { return }
    let seconds = (part / .seconds(1)) * ((1 - pace) / pace)
    try RunningOperation.sleep(for: .seconds(min(seconds, 1e9)))
  }

  /// Removes the contents outside of rows that a recreation has left, if no row can refer to any.
  ///
  /// A failure is reported. The next write removes others, by the mark that was left.
  private func removeContents() {
    guard !refersToContents, let file else { return }
    do {
      try ExternalContents.removeFolder(besides: file.path)
    } catch {
      options.onError?(error)
    }
  }

  private var isRecreating: Bool { options.schemaPolicy.migration is SchemaRecreation }
}
