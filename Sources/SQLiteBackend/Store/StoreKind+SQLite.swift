public import ORMCore

extension StoreKind {
  /// Stores in SQLite files: `sqlite:snacks.sqlite`.
  public static let sqlite = StoreKind(scheme: "sqlite", fileExtension: "sqlite") {
    path, schema, options in
    guard let path else {
      throw StoreError(.invalidLocation, "an SQLite store needs the path of a file")
    }
    return try SQLiteStore(
      path: path, stored: schema?.stored, models: schema?.models ?? [:], options: options)
  }
}

extension StoreLocation {
  /// An SQLite store in a file at this path.
  public static func sqlite(path: String) -> StoreLocation {
    StoreLocation(kind: .sqlite, path: path)
  }

  /// An SQLite store of this name in the platform's data folder.
  public static func sqlite(named name: String = "default") -> StoreLocation {
    StoreLocation(kind: .sqlite, named: name)
  }
}
