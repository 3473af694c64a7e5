public import FoundationEssentials

extension StoreOptions {
  /// The present time for stored values: by ``now``, or the clock of the system.
  package var timestamp: Date { now?() ?? Date() }
}

extension StoreRuntime {
  /// The present time for stored values: by ``StoreOptions/now``, or the clock of the system.
  ///
  /// Stores give it to `StoredColumn.filling(at:)` for the columns that a change of the schema adds.
  public var now: Date { options.timestamp }
}
