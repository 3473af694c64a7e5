public import ORMCore

extension StoreKind {
  /// Stores on PostgreSQL servers: `postgres:app@db.example.org/shop?namespace=snacks`, or the URI
  /// that a hoster gives, `postgresql://app:password@db.example.org/shop`.
  ///
  /// ```swift
  /// let location = try StoreLocation("postgres:app@localhost/shop", among: [.postgres])
  /// ```
  public static let postgres = StoreKind(
    scheme: "postgres", otherSchemes: ["postgresql"], fileExtension: "postgres",
    isPathOptional: true, hasFiles: false,
    shown: PostgresLocation.withoutPassword
  ) { path, schema, options in
    try PostgresStore(
      path ?? "", stored: schema?.stored, models: schema?.storedModels ?? [:], options: options)
  }
}

extension StoreLocation {
  /// A store on a PostgreSQL server, by the part of its location after `postgres:`.
  ///
  /// ```swift
  /// try Persistence.setUp(.postgres("app@db.example.org/shop"), schema: schema)
  /// ```
  public static func postgres(_ path: String) -> StoreLocation {
    StoreLocation(kind: .postgres, path: path)
  }
}
