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
  /// A server that is silent for so long is asked on another connection whether it still works on the
  /// request; if not, the connection is closed.
  public var connectTimeout: Duration = .seconds(5)
  /// The way in which statements are prepared.
  public var statements: Statements = .automatic
  /// Returns the password, each time a connection is made; nil, unless set, for that of the location,
  /// of `PGPASSWORD` or of `~/.pgpass`.
  public var password: (@Sendable () throws -> String)?

  /// The locations of standbys of the server, in the form of a store's; none unless set.
  ///
  /// Reads with a freshness other than `.newest` use them in turn. The namespace is that of the store, and
  /// ``password`` is asked for them too. A standby that is not fresh enough within 50 milliseconds, or that
  /// cannot be reached, is skipped; the server then answers. A commit of several statements is followed
  /// by a trip that asks for its position in the server's log.
  ///
  /// ```swift
  /// var postgres = PostgresOptions()
  /// postgres.replicas = ["postgres:app@replica.example.org/shop"]
  /// let store = try PostgresStore(
  ///   "postgres:app@db.example.org/shop", schema: schema, postgres: postgres)
  /// let count = try store.read(freshness: .within(.seconds(5))) { try $0.count(Snack.self) }
  /// ```
  ///
  /// A standby has no serializable transactions. Beside writers that run together, a read of one may see
  /// a state that no sequence of them gives.
  public var replicas: [String] = []
  /// The way in which write transactions are isolated; `.oneWriter` unless set.
  public var writers = Writers.oneWriter
  /// The way in which the outcome of a lost commit is learnt; `.normal` unless set.
  public var outcome = Outcome.normal
  /// True if blocks and operations of schemas with hooks are run again by `.manyWriters`, too; false
  /// unless set.
  ///
  /// A hook runs inside the transaction, so its changes to the store are undone before the next run. Its
  /// effects elsewhere are not.
  public var rerunsHooks = false

  /// A way in which the outcome of a commit is learnt whose answer was lost with the connection.
  public enum Outcome: Hashable, Sendable {
    /// The server is asked about every transaction but one of a single operation that takes one trip; such
    /// a save, insert, update or delete is `outcomeUnknown` then.
    case normal
    /// The server is asked about every transaction, and each takes two trips or more.
    case certain
  }

  /// A way in which write transactions are isolated.
  public struct Writers: Hashable, Sendable {
    /// The most write transactions of this store that run at once.
    let maximum: Int
    /// The most runs of a block.
    let attempts: Int
    let isOne: Bool

    /// One write transaction at a time over all programs, in order of arrival.
    ///
    /// No block runs twice.
    public static let oneWriter = Writers(maximum: 1, attempts: 1, isOne: true)

    /// Many write transactions at once, which the server keeps serializable.
    ///
    /// A transaction that conflicts with another is run again. So a block may run several times, and should
    /// change nothing but the store; `WriteTransaction.attempt` tells it which run it is.
    ///
    /// ```swift
    /// var postgres = PostgresOptions()
    /// postgres.writers = .manyWriters(maximum: 16)
    /// ```
    ///
    /// - Parameters:
    ///   - maximum: the most write transactions of this store that run at once, each on a connection of
    ///     its own.
    ///   - attempts: the most runs of a block; then it throws `contended`. An operation outside of a
    ///     block is run again until `writerWait` is over.
    public static func manyWriters(maximum: Int = 8, attempts: Int = 10) -> Writers {
      Writers(maximum: max(1, maximum), attempts: max(1, attempts), isOne: false)
    }
  }

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
    /// Statements without names: each run sends its text.
    case unnamed
  }

  /// The defaults.
  public init() {}
}

extension PostgresOptions: CustomStringConvertible, CustomReflectable {
  /// A mirror of ``description``, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: ["settings": description]) }

  /// The settings, without passwords.
  public var description: String {
    let shown = replicas.map { PostgresLocation.withoutPassword($0) }
    return "PostgresOptions(writers: \(writers), outcome: \(outcome), statements: \(statements), "
      + "connectTimeout: \(connectTimeout), replicas: \(shown), rerunsHooks: \(rerunsHooks))"
  }
}
