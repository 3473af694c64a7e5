public import FoundationEssentials
internal import ORMValues

/// A transition from the stored schema to the schema that a program declares, run while the store is opened.
///
/// The module `ORMMigrations` has one, `MigrationPlan`. An engine leaves it to ``SchemaOpening``, which calls it
/// inside a write transaction of an opening, before additions are made.
///
/// A migration may raise the version of the schema that it leaves, and then says which older programs
/// may go on (`StoredSchema.minimumReader`, `minimumWriter`). If it leaves the version, none may.
public protocol SchemaMigration: Sendable {
  /// True for one that leads back to an earlier version: it runs even if the store admits the older
  /// program as it is.
  var leadsBack: Bool { get }
  /// Returns whether a store that keeps `stored` has to be migrated before a program that declares
  /// `declared` can use it. Reads no rows.
  ///
  /// - Throws: `invalidPlan` when the migration does not lead to the declared schema; `schemaTooNew`
  ///   when the store is newer than the program.
  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) throws -> Bool
  /// Throws if a store that is not there must not be made; by default it may.
  ///
  /// Called before anything is written.
  func checkCreation() throws
  /// Throws `invalidPlan` if the migration cannot run as options ask, by the schemas alone; by default it
  /// can.
  ///
  /// Called for a migration that is needed, before anything is written.
  func check(
    from stored: StoredSchema, to declared: StoredSchema, _ options: MigrationOptions
  ) throws
  /// Returns the part of a store that the migration changes, by the schemas alone.
  ///
  /// By default anything, so that the store is copied before.
  ///
  /// - Throws: the errors of ``isNeeded(from:to:)``.
  func extent(from stored: StoredSchema, to declared: StoredSchema) throws -> MigrationExtent
  /// Migrates the store, or goes on with it, in a transaction that the caller commits, or rolls back
  /// when this throws.
  ///
  /// - Returns: `done` once the store is migrated; else how far it is, for the caller to commit and to
  ///   call this again in another transaction.
  /// - Throws: `migrationFailed` and the other errors of migrations.
  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome
  /// Removes the copies and the progress that committed transactions left of a migration that cannot go
  /// on.
  ///
  /// Does nothing by default: it is called only after a ``migrate(_:to:_:)`` that returned `goesOn`.
  func abandon(_ transaction: any SchemaTransaction) throws
}

extension SchemaMigration {
  /// Does nothing: the store may be made.
  public func checkCreation() throws {}

  /// Returns that any part of a store may be lost.
  public func extent(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> MigrationExtent {
    MigrationExtent(losesData: true, entities: nil)
  }

  /// Does nothing.
  public func check(
    from stored: StoredSchema, to declared: StoredSchema, _ options: MigrationOptions
  ) throws {}

  /// Does nothing.
  public func abandon(_ transaction: any SchemaTransaction) throws {}
}

extension SchemaMigration {
  /// False: most migrations lead to later versions.
  public var leadsBack: Bool { false }
}

/// The write transaction of a store that is being opened, in which its schema and its rows change.
///
/// Engines implement it for ``SchemaMigration``. Nothing of it is visible to other readers before the
/// engine commits, after the migration has returned. The engine rolls back everything when it throws.
public protocol SchemaTransaction: AnyObject {
  /// The schema that the store keeps, as of the last change.
  var schema: StoredSchema { get }
  /// Changes the schema that the store keeps, and its tables or keyspaces. Rows keep their values;
  /// columns that are added get the values of `StoredColumn.filling(at:)` at ``StoreRuntime/now``. The
  /// writers of before end.
  ///
  /// - Throws: `duplicate` when rows break a unique rule that is added, naming it; the errors of the
  ///   engine.
  func change(_ changes: SchemaChanges) throws
  /// A writer over everything that the store keeps, columns that no program declares among it.
  ///
  /// It is valid until the next change and the end of the transaction. The caller neither commits it
  /// nor ends it.
  func writer() throws -> any StoreWriter
  /// Runs statements of SQL in a store of a kind, such as `sqlite`, which leave everything that the schema
  /// describes.
  ///
  /// - Throws: `invalidPlan` for a store of another kind, which is every one by default, and for
  ///   statements after which the schema no longer describes the store.
  func execute(_ sql: String, for kind: String) throws
}

extension SchemaTransaction {
  /// Throws `invalidPlan`: the store has no SQL.
  public func execute(_ sql: String, for kind: String) throws {
    throw StoreError(.invalidPlan, "the statements are for stores of the kind \(kind)")
  }
}

/// One version to which a store was migrated, as the store keeps it.
public struct AppliedMigration: Hashable, Codable, Sendable {
  /// The version.
  public var version: Int
  /// A digest of the steps that led to it, 64 hexadecimal digits of SHA-256.
  public var digest: String
  /// The time at which the migration ended.
  public var date: Date

  /// Makes the record of a version.
  public init(version: Int, digest: String, date: Date) {
    self.version = version
    self.digest = digest
    self.date = date
  }
}
