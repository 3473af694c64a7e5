internal import ORMValues

extension StoreMonitor {
  /// Reports an event of the store's schema.
  func changed(_ event: SchemaEvent) {
    notice(StoreNotice(.schemaChanged, store: store, Self.message(of: event)))
  }

  /// Reports a failure that no caller receives, by its code and its entity.
  func failed(_ error: any Error) {
    if Self.isReporting { return }
    notice(
      StoreNotice(
        .failed, store: store, "A failure that no caller receives: \(StoreError.Code(of: error)).",
        entity: (error as? StoreError)?.entity))
  }

  /// An event in a sentence, without values of rows.
  private static func message(of event: SchemaEvent) -> String {
    switch event {
    case .willMigrate(let from, let to): "The store is migrated from version \(from) to \(to)."
    case .didBackUp: "The store was copied before its migration."
    case .progress: "A part of the migration was committed."
    case .didFind(let errors): "Rows that were migrated break \(errors.count) rules or more."
    case .didMigrate: "The store was migrated."
    case .couldNotMigrate(let error): "The store was not migrated: \(StoreError.Code(of: error))."
    case .willRecreate: "The store is emptied, since its schema does not fit."
    case .didRecreate: "The store was emptied."
    case .couldNotRecreate(let error): "The store was not emptied: \(StoreError.Code(of: error))."
    }
  }
}
