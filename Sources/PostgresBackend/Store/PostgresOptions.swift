/// The options that only stores on PostgreSQL servers have, beside those of every store.
///
/// ```swift
/// var postgres = PostgresOptions()
/// postgres.password = { ProcessInfo.processInfo.environment["SHOP_PASSWORD"] ?? "" }
/// let store = try PostgresStore(
///   "postgres:app@db.example.org/shop", schema: Schema(Snack.self), postgres: postgres)
/// ```
public struct PostgresOptions: Sendable {
  /// The time in which a connection must be made; 5 seconds unless set.
  public var connectTimeout: Duration = .seconds(5)
  /// Returns the password, each time a connection is made; nil, unless set, for that of the location,
  /// of `PGPASSWORD` or of `~/.pgpass`.
  public var password: (@Sendable () throws -> String)?

  /// The password that was returned for the connection being made.
  var knownPassword: String?

  /// The defaults.
  public init() {}
}
