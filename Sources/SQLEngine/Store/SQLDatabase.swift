/// A SQL database that opens connections: with its dialect, all that the engine needs of it.
///
/// A new SQL database conforms to this protocol, ``SQLDialect``, ``SQLConnection``, ``SQLStatement``
/// and ``SQLRow``, and gets everything else from the engine. <doc:WritingASQLBackend> is the manual.
///
/// The functions may be called on any thread, and several at once. Errors are `StoreError`, with the
/// codes that `WritingAStore` of ORMStorage lists for opening.
public protocol SQLDatabase: Sendable {
  /// The SQL of the database.
  var dialect: any SQLDialect { get }
  /// Opens a connection that only reads.
  ///
  /// Its reads run beside those of other connections and beside the writer, each on a snapshot.
  /// A backend that knows by what its database is identified throws `fileReplaced` for another one.
  ///
  /// - Throws: `cannotOpen`, `notADatabase`, `corrupt`, `fileReplaced`, `busy`, `inputOutput`.
  func reader() throws -> any SQLConnection
  /// Opens the connection that writes; the engine opens one, and never two at a time.
  ///
  /// - Throws: the codes of ``reader()``, and `readOnly` where the database cannot be written.
  func writer() throws -> any SQLConnection
}
