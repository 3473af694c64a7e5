internal import ORMStorage
internal import SQLEngine

/// One namespace of a server, which opens connections for the engine.
final class PostgresDatabase: SQLDatabase, CustomReflectable {
  /// A mirror without the text of the location, which may have a password.
  var customMirror: Mirror { Mirror(self, children: ["location": location]) }

  private let location: PostgresLocation
  private let text: String
  private let postgres: PostgresOptions
  private let options: StoreOptions
  let counters = PostgresCounters()
  /// The locations of the replicas, as texts and parsed.
  private let replicaLocations: [(text: String, location: PostgresLocation)]
  /// The counters of the connections to replicas, which share the positions.
  let replicaCounters: PostgresCounters
  /// True once a connection was made.
  private let wasReached = Lock(false)

  init(
    _ text: String, _ location: PostgresLocation, _ options: StoreOptions,
    _ postgres: PostgresOptions
  ) throws {
    replicaLocations = try postgres.replicas.map { ($0, try PostgresLocation($0, postgres)) }
    replicaCounters = PostgresCounters(counters.positions)
    self.text = text
    self.location = location
    self.options = options
    self.postgres = postgres
  }

  var dialect: any SQLDialect { PostgresDialect(namespace: location.namespace) }

  var writers: Int { postgres.writers.maximum }

  var keepsWritersApart: Bool { !postgres.writers.isOne }

  func reader() throws -> any SQLConnection { try connection(options.readerWait) }

  func writer() throws -> any SQLConnection { try connection(options.writerWait) }

  var replicas: Int { replicaLocations.count }

  func replica(_ number: Int) throws -> any SQLConnection {
    let (text, location) = replicaLocations[number]
    return try PostgresConnection(
      PostgresDialect(namespace: self.location.namespace), options, postgres,
      counters: replicaCounters, replica: number, limit: postgres.connectTimeout
    ) { [self] limit in
      // One attempt: a replica that is away is skipped.
      let location = try current(text, location)
      return try PostgresHandle(
        location, limit: min(limit, postgres.connectTimeout), replicaCounters)
    }
  }

  /// A location with the password of the moment.
  private func current(_ text: String, _ location: PostgresLocation) throws -> PostgresLocation {
    guard let password = postgres.password else { return location }
    var postgres = postgres
    postgres.knownPassword = try password()
    return try PostgresLocation(text, postgres)
  }

  private func connection(_ limit: Duration) throws -> PostgresConnection {
    try PostgresConnection(
      PostgresDialect(namespace: location.namespace), options, postgres, counters: counters,
      limit: limit
    ) { [self] in try connect($0) }
  }

  /// Connects; waits until the limit for a server that starts or has no connection left, and for one
  /// that was there before.
  ///
  /// - Throws: `connectionLost` for a server that was there before and is no longer.
  private func connect(_ limit: Duration) throws -> PostgresHandle {
    let location = try current(text, location)
    let end = ContinuousClock.now + limit
    let isAgain = wasReached.withLock { $0 }
    while true {
      do {
        // Each attempt has its time, and the last one no more than is left.
        let limit = min(postgres.connectTimeout, max(end - .now, .milliseconds(100)))
        let handle = try PostgresHandle(location, limit: limit, counters)
        wasReached.withLock { $0 = true }
        return handle
      } catch let error as StoreError
        where error.code == .busy
        || isAgain
          && (error.code == .connectionLost || PostgresFailure.isUnreachable(error))
      {
        if end > .now {
          // An operation ends by its own deadline.
          try PostgresHandle.pause()
        } else if error.code == .busy {
          throw error
        } else {
          throw StoreError(
            .connectionLost,
            "the connection to the PostgreSQL server was lost, and cannot be made again: "
              + error.message)
        }
      }
    }
  }
}
