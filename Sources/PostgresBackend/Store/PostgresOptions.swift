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
  ///
  /// A server that is silent for so long is asked on another connection whether it still works on what
  /// was sent; if not, the connection is given up.
  public var connectTimeout: Duration = .seconds(5)
  /// The way in which statements are prepared.
  public var statements: Statements = .automatic
  /// Returns the password, each time a connection is made; nil, unless set, for that of the location,
  /// of `PGPASSWORD` or of `~/.pgpass`.
  public var password: (@Sendable () throws -> String)?

  /// The password that was returned for the connection being made.
  var knownPassword: String?

  /// A way to prepare statements.
  ///
  /// A statement of a name belongs to one process of the server. Poolers such as PgBouncer hand
  /// transactions to several.
  public enum Statements: Hashable, Sendable {
    /// Under names, and without names where a pooler is noticed.
    case automatic
    /// Under names. Behind a pooler a name stands for a text, so that clients may share it.
    case named
    /// Without names: each run sends its text.
    case unnamed
  }

  /// The defaults.
  public init() {}
}
