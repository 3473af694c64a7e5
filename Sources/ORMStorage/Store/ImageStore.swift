/// A store that lives in memory and can write itself whole into a file.
public protocol ImageStore: Store {
  /// Writes everything into a file, atomically: the old file stays until the new one is safe.
  ///
  /// Missing folders are made.
  ///
  /// - Throws: `cannotOpen`, `full`, `inputOutput`.
  func write(to path: String) throws
}

extension ImageStore {
  /// Writes everything into the file of a location, if it has one.
  package func save(to path: String?) throws {
    if let path { try write(to: path) }
  }
}
