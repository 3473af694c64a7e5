import Dispatch
import GRDB
import Workloads

/// Observations of GRDB: its records with columns by position, the faster of its two usual forms.
struct GRDBChanges: ObservationOperations {
  let queue: DatabaseQueue
  private let values = DispatchQueue(label: "observers")

  init(path: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      // As the stores beside it, which wait for no disk.
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try GRDBTables.create(queue)
  }

  func clear() throws { _ = try queue.write { try FastPlayer.deleteAll($0) } }

  func insert(_ players: [PlayerData]) throws {
    try queue.write { for player in players { try FastPlayer(player).insert($0) } }
  }

  func save(_ player: PlayerData) throws {
    try queue.write { try FastPlayer(player).upsert($0) }
  }

  func save(_ players: [PlayerData]) throws {
    try queue.write { for player in players { try FastPlayer(player).upsert($0) } }
  }

  func edit(_ count: Int, inSession: Bool) throws -> Bool {
    if inSession { return false }
    let players = try queue.read {
      try FastPlayer.filter(Column("id") <= count).order(Column("id")).fetchAll($0)
    }
    try queue.write {
      for player in players {
        var data = player.data
        data.score += 1
        try FastPlayer(data).update($0, columns: ["score"])
      }
    }
    return true
  }

  func observeList(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject? { nil }

  func observeKeys(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject? { nil }

  /// A transaction observer of the table learns the row ids of each change, and no values.
  func listen(
    _ detail: ChangeDetail, _ arrived: @escaping @Sendable (Int) -> Void
  ) throws -> AnyObject? {
    guard detail == .keys || detail == .keysRead else { return nil }
    let observer = RowObserver(arrived)
    queue.add(transactionObserver: observer, extent: .observerLifetime)
    return observer
  }

  func observe(scores: Range<Int64>, _ arrived: @escaping @Sendable () -> Void) -> AnyObject {
    Cancellables(
      scores.map { score in
        ValueObservation
          .tracking {
            try FastPlayer.filter(Column("score") == score).order(Column("id")).fetchAll($0)
          }
          .start(in: queue, scheduling: .async(onQueue: values), onError: { _ in }) { _ in
            arrived()
          }
      })
  }

  func observeCount(_ arrived: @escaping @Sendable (Int) -> Void) -> AnyObject {
    Cancellables([
      ValueObservation.tracking { try FastPlayer.fetchCount($0) }
        .start(in: queue, scheduling: .async(onQueue: values), onError: { _ in }) { arrived($0) }
    ])
  }

  func observeRows(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject {
    Cancellables([
      ValueObservation
        .tracking { try FastPlayer.order(Column("score").desc, Column("id").desc).fetchAll($0) }
        .start(in: queue, scheduling: .async(onQueue: values), onError: { _ in }) { players in
          if let first = players.first { arrived(first.data.score) }
        }
    ])
  }

  func close() throws { try queue.close() }
}

private final class Cancellables {
  private let all: [AnyDatabaseCancellable]
  init(_ all: [AnyDatabaseCancellable]) { self.all = all }
}

/// An observer that keeps the row ids of a transaction.
private final class RowObserver: TransactionObserver {
  private var changed: [Int64] = []
  private let arrived: @Sendable (Int) -> Void

  init(_ arrived: @escaping @Sendable (Int) -> Void) { self.arrived = arrived }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    eventKind.tableName == "player"
  }
  func databaseDidChange(with event: DatabaseEvent) { changed.append(event.rowID) }
  func databaseDidCommit(_ db: Database) {
    arrived(changed.count)
    changed = []
  }
  func databaseDidRollback(_ db: Database) { changed = [] }
}
