public import FoundationEssentials
public import ORMCore

/// The state of a store at one time, for a health check.
public struct StoreHealth: Hashable, Sendable {
  /// True if the store takes new work: it was not closed, and is not being closed.
  public let isOpen: Bool
  /// True if the store was opened for writing.
  public let isWritable: Bool
  /// The code with which a read failed, such as `closed`, `busy` or `connectionLost`; nil if it was
  /// answered.
  public let errorCode: StoreError.Code?
  /// The time in which a read was answered, or failed, its wait for a turn included.
  public let answerTime: Duration
  /// The number of writers that wait for their turn.
  public let waitingWriters: Int
  /// The number of readers that wait for their turn.
  public let waitingReaders: Int
  /// The number of open streams, each of which holds a snapshot.
  public let openStreams: Int
  /// The free bytes of the volume that the store's file is on; nil for a store without a file.
  public let freeBytes: Int?
  /// The time of the last write of this program; nil before the first, and for a store without instruments.
  public let lastCommit: Date?
  /// The age of the oldest transaction that is open; nil without any, and for a store without instruments.
  public let oldestTransaction: Duration?

  /// The size of the store's file in bytes; nil for a store without a file.
  public let fileBytes: Int?
  /// The connections to the database; nil for a store without any.
  public let connections: StoreConnections?
  /// The replicas of the database, in the order of the options; empty for a store without any.
  public let replicas: [ReplicaHealth]

  /// True if the store is open and has answered.
  public var isHealthy: Bool { isOpen && errorCode == nil }
}

extension Store {
  /// Returns the state of the store, for a health check; asks it for a key.
  ///
  /// ```swift
  /// let health = store.health()
  /// print(health.isHealthy, health.answerTime)
  /// ```
  ///
  /// A fault is a part of the state. On a server it takes one trip; a read waits for its turn, as any other.
  /// Each replica takes a trip more, and its server one.
  ///
  /// - Parameter limit: the time in which the store has to answer, its wait for a turn included.
  public func health(within limit: Duration = .seconds(1)) -> StoreHealth {
    let start = RunningOperation.now
    do {
      try ping(within: limit)
      return health(since: start, nil)
    } catch {
      return health(since: start, error)
    }
  }

  /// Returns the state of the store, for a health check; asks it for a key.
  ///
  /// ```swift
  /// let health = await store.health()
  /// print(health.isHealthy)
  /// ```
  ///
  /// As the blocking form, off the calling thread.
  public func health(within limit: Duration = .seconds(1)) async -> StoreHealth {
    let start = RunningOperation.now
    do {
      try await ping(within: limit)
      return health(since: start, nil)
    } catch {
      return health(since: start, error)
    }
  }

  /// The connections of the store to its database at this time; nil for a store without any, and once it is
  /// closed.
  ///
  /// ```swift
  /// if let connections = store.connections {
  ///   print(connections.inUse, connections.idle, connections.waiting)
  /// }
  /// ```
  ///
  /// It asks the database nothing, so metrics may sample it.
  public var connections: StoreConnections? {
    guard var connections = runtime.connectionSource?.counts() else { return nil }
    let load = runtime.transactions.load
    connections.waiting = load.waitingWriters + load.waitingReaders
    return connections
  }

  private func health(since start: UInt64, _ error: (any Error)?) -> StoreHealth {
    let load = runtime.transactions.load
    let time = RunningOperation.now
    let replicas = error == nil ? runtime.connectionSource?.replicas() ?? [] : []
    let file = runtime.file.flatMap { (try? FileSystem.size(of: $0)) ?? nil }
    return StoreHealth(
      isOpen: load.isOpen, isWritable: !runtime.options.isReadOnly,
      errorCode: error.map { StoreError.Code(of: $0) },
      answerTime: .nanoseconds(Int64(clamping: time > start ? time - start : 0)),
      waitingWriters: load.waitingWriters, waitingReaders: load.waitingReaders,
      openStreams: load.openStreams,
      freeBytes: runtime.file.flatMap(runtime.options.freeSpace),
      lastCommit: runtime.monitor?.lastCommit,
      oldestTransaction: runtime.monitor?.oldestTransaction, fileBytes: file,
      connections: connections, replicas: replicas)
  }
}
