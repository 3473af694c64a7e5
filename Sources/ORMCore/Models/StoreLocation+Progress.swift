internal import Dispatch
public import ORMStorage

extension StoreLocation {
  /// Opens the store on a thread of its own, and reports how far a migration is.
  ///
  /// ```swift
  /// let location = StoreLocation(kind: .sqlite, path: "app.sqlite")
  /// let store = try await location.open(schema: schema, options: options) { progress in
  ///   print("\(progress.rowsDone) of about \(progress.rowsAbout) rows")
  /// }
  /// ```
  ///
  /// The opening ends with its migration, also if the task is cancelled.
  ///
  /// - Parameters:
  ///   - schema: the schema of the program; without it, that of the store.
  ///   - options: the options; their `onSchemaEvent` is called too.
  ///   - progress: called on that thread after each transaction of a migration that has several.
  /// - Throws: as ``open(schema:options:)``.
  public func open(
    schema: Schema? = nil, options: StoreOptions = StoreOptions(),
    progress: @escaping @Sendable (MigrationProgress) -> Void
  ) async throws -> any Store {
    var options = options
    let report = options.onSchemaEvent
    options.onSchemaEvent = { event in
      report?(event)
      if case .progress(let done) = event { progress(done) }
    }
    return try await withCheckedThrowingContinuation { [options] continuation in
      DispatchQueue(label: "strata.opening").async {
        continuation.resume(with: Result { try open(schema: schema, options: options) })
      }
    }
  }
}
