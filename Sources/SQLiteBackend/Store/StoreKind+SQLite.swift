public import ORMCore

extension StoreKind {
  /// Stores in SQLite files: `sqlite:snacks.sqlite`.
  ///
  /// ```swift
  /// let location = try StoreLocation("sqlite:snacks.sqlite", among: [.sqlite])
  /// ```
  public static let sqlite = StoreKind(
    scheme: "sqlite", fileExtension: "sqlite", restore: SQLiteFile.restore
  ) {
    path, schema, options in
    guard let path else {
      throw StoreError(.invalidLocation, "an SQLite store needs the path of a file")
    }
    return try SQLiteStore(
      path: path, stored: schema?.stored, models: schema?.storedModels ?? [:], options: options)
  }
}

extension StoreLocation {
  /// An SQLite store in a file at this path.
  ///
  /// ```swift
  /// try Persistence.setUp(.sqlite(path: "snacks.sqlite"), schema: schema)
  /// ```
  public static func sqlite(path: String) -> StoreLocation {
    StoreLocation(kind: .sqlite, path: path)
  }

  /// An SQLite store of this name in the platform's data folder.
  ///
  /// ```swift
  /// try Persistence.setUp(.sqlite(named: "App"), schema: schema)
  /// ```
  public static func sqlite(named name: String = "default") -> StoreLocation {
    StoreLocation(kind: .sqlite, named: name)
  }
}
