public import ORMCore

extension StoreKind {
  /// Stores in memory: `memory:`, and `memory:snacks.strata` for one read from a file.
  public static let memory = StoreKind(
    scheme: "memory", fileExtension: "strata", isPathOptional: true
  ) { path, schema, options in
    if let path {
      return try MemoryStore(stored: schema?.stored, contentsOf: path, options: options)
    }
    guard let schema else {
      throw StoreError(.invalidLocation, "an empty memory store needs a schema")
    }
    return MemoryStore(schema: schema, options: options)
  }
}

extension StoreLocation {
  /// An empty store in memory.
  public static var memory: StoreLocation { StoreLocation(kind: .memory, path: nil) }
}
