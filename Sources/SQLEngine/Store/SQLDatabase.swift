internal import ORMStorage

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
  /// A backend that can identify its database throws `fileReplaced` for another one.
  ///
  /// - Throws: `cannotOpen`, `notADatabase`, `corrupt`, `fileReplaced`, `busy`, `inputOutput`.
  func reader() throws -> any SQLConnection
  /// The number of write transactions that the database keeps apart while they run together; 1 by
  /// default.
  var writers: Int { get }
  /// True if write transactions may run beside those of other programs, and of this one; true by default
  /// if ``writers`` is greater than 1.
  var keepsWritersApart: Bool { get }
  /// Opens a connection that writes; the engine has at most ``writers`` of them at a time.
  ///
  /// - Throws: the codes of ``reader()``, and `readOnly` where the database cannot be written.
  func writer() throws -> any SQLConnection
  /// The number of replicas of the database, which show an older state of it; 0 by default.
  var replicas: Int { get }
  /// Opens a connection to a replica, by its number from 0; asked for only if there are any.
  ///
  /// - Throws: any error where it cannot be reached; it is then skipped.
  func replica(_ number: Int) throws -> any SQLConnection
}

extension SQLDatabase {
  /// One writer at a time.
  public var writers: Int { 1 }

  /// True if there are several.
  public var keepsWritersApart: Bool { writers > 1 }

  /// No replicas.
  public var replicas: Int { 0 }

  /// Throws `unsupported`.
  public func replica(_ number: Int) throws -> any SQLConnection {
    throw StoreError(.unsupported, "the database has no replicas")
  }
}
