internal import ORMStorage
internal import SQLEngine

/// One file, which opens connections for the engine.
final class SQLiteDatabase: SQLDatabase {
  private let file: SQLiteFile
  /// The files of the first connection, which every other must have too; nil if they cannot change.
  private let identity = Lock<SQLiteFileIdentity?>(nil)

  private let evaluatesInEngine: Bool

  init(_ file: SQLiteFile, evaluatesInEngine: Bool) {
    self.file = file
    self.evaluatesInEngine = evaluatesInEngine
  }

  var dialect: any SQLDialect { SQLiteDialect(evaluatesInEngine: evaluatesInEngine) }

  func reader() throws -> any SQLConnection { try open(file.reader) }

  func writer() throws -> any SQLConnection { try open(file.writer) }

  private func open(_ make: () throws -> SQLiteConnection) throws -> any SQLConnection {
    let connection = try make()
    let found = connection.identity
    let first = identity.withLock { first in
      first = first ?? found
      return first
    }
    do {
      if let first, found != first { throw first.replaced() }
      if evaluatesInEngine { try connection.registerFunctions() }
    } catch {
      connection.close()
      throw error
    }
    return connection
  }
}
