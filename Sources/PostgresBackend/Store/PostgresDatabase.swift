internal import ORMStorage
internal import SQLEngine

/// One namespace of a server, which opens connections for the engine.
final class PostgresDatabase: SQLDatabase {
  private let location: PostgresLocation
  private let text: String
  private let postgres: PostgresOptions
  private let options: StoreOptions
  let counters = PostgresCounters()

  init(
    _ text: String, _ location: PostgresLocation, _ options: StoreOptions,
    _ postgres: PostgresOptions
  ) {
    self.text = text
    self.location = location
    self.options = options
    self.postgres = postgres
  }

  var dialect: any SQLDialect { PostgresDialect(namespace: location.namespace) }

  func reader() throws -> any SQLConnection { try connection(options.readerWait) }

  func writer() throws -> any SQLConnection { try connection(options.writerWait) }

  private func connection(_ limit: Duration) throws -> PostgresConnection {
    try PostgresConnection(
      PostgresDialect(namespace: location.namespace), options, counters: counters
    ) { [self] in try connect(limit) }
  }

  /// Connects; waits for a server that starts, or has no connection left, until the limit.
  private func connect(_ limit: Duration) throws -> PostgresHandle {
    var postgres = postgres
    var location = location
    if let password = postgres.password {
      postgres.knownPassword = try password()
      location = try PostgresLocation(text, postgres)
    }
    let end = ContinuousClock.now + limit
    while true {
      do {
        return try PostgresHandle(location, limit: postgres.connectTimeout, counters)
      } catch let error as StoreError where error.code == .busy && ContinuousClock.now < end {
        PostgresHandle.pause()
      }
    }
  }
}
