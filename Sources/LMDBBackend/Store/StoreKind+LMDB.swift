public import ORMCore

extension StoreKind {
  /// Stores in LMDB files: `lmdb:snacks.lmdb`.
  ///
  /// ```swift
  /// let location = try StoreLocation("lmdb:snacks.lmdb", among: [.lmdb])
  /// ```
  public static let lmdb = StoreKind(
    scheme: "lmdb", fileExtension: "lmdb", restore: LMDBFile.restore
  ) {
    path, schema, options in
    guard let path else {
      throw StoreError(
        .invalidLocation,
        "an LMDB store needs the path of a file")
    }
    return try LMDBStore(
      path: path, stored: schema?.stored, models: schema?.storedModels ?? [:], options: options)
  }
}

extension StoreLocation {
  /// An LMDB store in a file at this path.
  ///
  /// ```swift
  /// try Persistence.setUp(.lmdb(path: "snacks.lmdb"), schema: schema)
  /// ```
  public static func lmdb(path: String) -> StoreLocation {
    StoreLocation(kind: .lmdb, path: path)
  }

  /// An LMDB store of this name in the platform's data folder.
  public static func lmdb(named name: String = "default") -> StoreLocation {
    StoreLocation(kind: .lmdb, named: name)
  }
}
