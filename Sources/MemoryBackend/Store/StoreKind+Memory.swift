public import ORMCore

extension StoreKind {
  /// Stores in memory: `memory:`, and `memory:snacks.strata` for one read from a file, empty where
  /// there is none yet and a schema is given.
  ///
  /// ```swift
  /// let location = try StoreLocation("memory:", among: [.memory])
  /// ```
  public static let memory = StoreKind(
    scheme: "memory", fileExtension: "strata", isPathOptional: true, isDurable: false,
    restore: ImageStoreFile.restore
  ) { path, schema, options in
    if let path {
      do {
        return try MemoryStore(
          stored: schema?.stored, models: schema?.storedModels ?? [:], contentsOf: path,
          options: options)
      } catch let error as StoreError where error.code == .cannotOpen && error.engineCode == 2 {
        // 2 is ENOENT: there is no file yet.
        guard let schema, !options.isReadOnly else { throw error }
        return MemoryStore(schema: schema, options: options)
      }
    }
    guard let schema else {
      throw StoreError(
        .invalidLocation,
        "a memory store needs a schema unless it is opened from an image")
    }
    return MemoryStore(schema: schema, options: options)
  }
}

extension StoreLocation {
  /// An empty store in memory.
  ///
  /// ```swift
  /// try Persistence.setUp(.memory, schema: schema)
  /// ```
  public static var memory: StoreLocation { StoreLocation(kind: .memory, path: nil) }
}
