internal import ORMValues

/// The changes of schema in one opening of a store, and the events that it reports.
///
/// An engine uses one for each opening. It first looks whether the store fits as it is. If not, it
/// changes the store in one transaction:
///
/// ```swift
/// func change(
///   _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: StoreOptions,
///   commit: () throws -> Void
/// ) throws {
///   let opening = SchemaOpening(options)
///   try opening.write {
///     try transaction.change(try opening.changes(in: transaction, to: declared))
///     try commit()
///   }
/// }
/// ```
public final class SchemaOpening {
  private let options: StoreOptions
  /// True once a migration has begun in the transaction.
  private var hasBegun = false

  /// Makes an opening with options.
  public init(_ options: StoreOptions) { self.options = options }

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
      !stored.admitsAsOlder(declared.version, isReadOnly: options.isReadOnly),
      try migration.isNeeded(from: stored, to: declared)
    else { return false }
    if options.isReadOnly {
      throw StoreError(
        .schemaMismatch,
        "the store has to be migrated, and it is read-only; open it once for writing")
    }
    return true
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
    if isNew { return try SchemaComparison.compare(stored: stored, declared: declared) }
    guard try needsMigration(from: stored, to: declared),
      let migration = options.schemaPolicy.migration
    else { return try additions(from: stored, to: declared) }
    hasBegun = true
    options.onSchemaEvent?(
      isRecreating
        ? .willRecreate : .willMigrate(from: stored.version ?? 0, to: declared.version ?? 0))
    try migration.migrate(transaction, to: declared)
    var changes = try additions(from: transaction.schema, to: declared)
    keepVersions(of: transaction.schema, from: stored, declared.version, in: &changes.union)
    return changes
  }

  /// Gives the schema to be kept the least versions that a migration has left, and the additions.
  private func keepVersions(
    of migrated: StoredSchema, from stored: StoredSchema, _ version: Int?,
    in union: inout StoredSchema
  ) {
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

  /// Runs the transaction of the opening and reports its outcome.
  ///
  /// - Parameter body: begins the transaction, and commits it, or rolls it back and throws.
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    hasBegun = false
    let result: Result
    do { result = try body() } catch {
      if hasBegun {
        options.onSchemaEvent?(isRecreating ? .couldNotRecreate(error) : .couldNotMigrate(error))
      }
      throw error
    }
    if hasBegun { options.onSchemaEvent?(isRecreating ? .didRecreate : .didMigrate) }
    return result
  }

  private var isRecreating: Bool { options.schemaPolicy.migration is SchemaRecreation }
}
