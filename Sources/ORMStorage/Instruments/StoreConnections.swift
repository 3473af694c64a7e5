/// The connections of a store to its database at one time, for metrics.
///
/// Those to replicas are not counted.
public struct StoreConnections: Hashable, Sendable {
  /// The number of connections that a transaction or a stream uses.
  public package(set) var inUse: Int
  /// The number of connections that wait for a transaction.
  public package(set) var idle: Int
  /// The most connections that may be in use.
  public package(set) var maximum: Int
  /// The number of transactions that wait for their turn.
  public package(set) var waiting = 0
  /// The number of connections that were made since the store was opened.
  public package(set) var made: Int
  /// The time that it took to make all of them.
  public package(set) var makingTime: Duration

  package init(inUse: Int, idle: Int, maximum: Int, made: Int, makingTime: Duration) {
    self.inUse = inUse
    self.idle = idle
    self.maximum = maximum
    self.made = made
    self.makingTime = makingTime
  }

  /// Returns the connections of several stores together; nil for none.
  fileprivate static func sum(_ all: [Self]) -> Self? {
    guard var sum = all.first else { return nil }
    for other in all.dropFirst() {
      sum.inUse += other.inUse
      sum.idle += other.idle
      sum.maximum += other.maximum
      sum.made += other.made
      sum.makingTime += other.makingTime
    }
    return sum
  }
}

/// The state of one replica of a database, for health checks.
public struct ReplicaHealth: Hashable, Sendable {
  /// True if it has answered, and is a replica.
  public let isReachable: Bool
  /// The time by which it is behind, at most; nil if that is not known.
  public let lag: Duration?
  /// The bytes of the log that it has not replayed; nil if that is not known.
  public let lagInBytes: Int?

  /// Makes the state of a replica.
  public init(isReachable: Bool, lag: Duration? = nil, lagInBytes: Int? = nil) {
    self.isReachable = isReachable
    self.lag = lag
    self.lagInBytes = lagInBytes
  }
}

/// The functions by which a store with connections tells of them.
package struct ConnectionSource: Sendable {
  /// Returns the connections at this time; nil once the store is closed.
  package let counts: @Sendable () -> StoreConnections?
  /// Asks every replica how far it is behind; empty without replicas.
  package let replicas: @Sendable () -> [ReplicaHealth]

  package init(
    counts: @escaping @Sendable () -> StoreConnections?,
    replicas: @escaping @Sendable () -> [ReplicaHealth]
  ) {
    self.counts = counts
    self.replicas = replicas
  }

  /// Joins the connections of several stores; nil for none.
  package init?(joining sources: [ConnectionSource]) {
    if sources.isEmpty { return nil }
    self.init(
      counts: { .sum(sources.compactMap { $0.counts() }) },
      replicas: { sources.flatMap { $0.replicas() } })
  }
}
