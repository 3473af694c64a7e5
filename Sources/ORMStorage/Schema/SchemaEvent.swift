public import ORMValues

/// An event of an opening that changes a store in more than additions (clause 10.13).
///
/// ```swift
/// var options = StoreOptions()
/// options.onSchemaEvent = { event in
///   if case .didMigrate = event { print("the store was migrated") }
/// }
/// ```
///
/// Every opening that begins such a change reports an event before it, and one after it was committed
/// or rolled back; between them that of the copy, ``MigrationOptions/backup``, and those of its parts,
/// each after it was committed.
public enum SchemaEvent: Sendable {
  /// The store is about to be migrated; 0 stands for a schema without a version.
  case willMigrate(from: Int, to: Int)
  /// The store was copied to a file at this path, before the first change.
  case didBackUp(String)
  /// A part of a migration was committed.
  case progress(MigrationProgress)
  /// Rows that were migrated break validation rules of the program; the errors name up to 100 of them.
  case didFind([StoreError])
  /// The migration was committed.
  case didMigrate
  /// The migration failed, and programs see the store as it was.
  case couldNotMigrate(any Error)
  /// Everything that the store holds is about to be dropped, since its schema does not fit.
  case willRecreate
  /// The store was emptied, and the declared schema was made.
  case didRecreate
  /// The recreation failed, and the store is as it was.
  case couldNotRecreate(any Error)
}
