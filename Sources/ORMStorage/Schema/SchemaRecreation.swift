internal import ORMValues

/// The condition under which a store whose schema does not fit is emptied and made anew.
public enum RecreationCondition: String, Codable, Sendable {
  /// Recreation in builds without optimization alone.
  case debugBuilds
  /// Recreation in every build.
  case always
}

extension StoreOptions.SchemaPolicy {
  /// Drops everything that the store holds if its schema does not fit the program's, for development;
  /// otherwise as ``additive``.
  ///
  /// ```swift
  /// options.schemaPolicy = .recreate(when: .debugBuilds)
  /// ```
  ///
  /// Only `schemaMismatch` and `schemaTooNew` of the schema's version lead to it, never a damaged file,
  /// a file of another kind or a failure of the disk. It is one transaction: when it fails, the store
  /// is as it was (clause 10.12). The files of large values outside of rows are removed after it.
  public static func recreate(when condition: RecreationCondition = .debugBuilds) -> Self {
    .migrate(SchemaRecreation(condition: condition))
  }
}

/// The migration that drops everything.
struct SchemaRecreation: SchemaMigration {
  let condition: RecreationCondition

  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) throws -> Bool {
    guard condition == .always || _isDebugAssertConfiguration() else { return false }
    do {
      _ = try SchemaComparison.compare(stored: stored, declared: declared)
      return false
    } catch let error as StoreError
      where error.code == .schemaMismatch || error.code == .schemaTooNew
    {
      return true
    }
  }

  /// The loss was asked for.
  func extent(from stored: StoredSchema, to declared: StoredSchema) -> MigrationExtent {
    MigrationExtent(losesData: false, entities: [])
  }

  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    var changes = SchemaChanges(union: StoredSchema(entities: []))
    changes.droppedEntities = transaction.schema.entities.map(\.name)
    try transaction.change(changes)
    return .done
  }
}
