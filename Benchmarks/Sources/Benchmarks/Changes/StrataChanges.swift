import Dispatch
import ORM
import ORMObservation
import ORMSessions
import Workloads

/// Changes and observations of a store.
struct StrataChanges: ObservationOperations {
  let store: any Store
  private let queue = DispatchQueue(label: "observers")

  init(store: any Store) { self.store = store }

  func clear() throws { _ = try store.deleteAll(Player.self) }

  func insert(_ players: [PlayerData]) throws { _ = try store.insert(players.map(Player.init)) }

  func save(_ player: PlayerData) throws { _ = try store.save(Player(player)) }

  func save(_ players: [PlayerData]) throws { _ = try store.save(players.map(Player.init)) }

  func edit(_ count: Int, inSession: Bool) throws -> Bool {
    let first = Player.where { $0.id <= Int64(count) }.sorted(by: .ascending(\.id))
    if inSession {
      let session = Session(store)
      for player in try session.fetch(first) { try player.update { $0.data.score += 1 } }
      return try session.save()
    }
    var players = try store.fetch(first)
    for index in players.indices { players[index].data.score += 1 }
    _ = try store.save(players, merge: .only(\.score))
    return true
  }

  func listen(
    _ detail: ChangeDetail, _ arrived: @escaping @Sendable (Int) -> Void
  ) throws -> AnyObject? {
    let level: ChangeLevel
    switch detail {
    case .none: return nil
    case .keys, .keysRead: level = .keys
    case .attributes: level = .attributes
    case .values, .valuesRead: level = .values
    }
    return Listening(
      store.changes(of: Player.self, level: level), arrived: detail.isRead ? arrived : nil)
  }

  func observe(scores: Range<Int64>, _ arrived: @escaping @Sendable () -> Void) -> AnyObject {
    Holds(
      scores.map { score in
        store.observe(Player.where { $0.score == score }).callback(on: queue) { _ in arrived() }
      })
  }

  func observeCount(_ arrived: @escaping @Sendable (Int) -> Void) -> AnyObject {
    store.observe(count: Player.all).callback(on: queue) { result in
      if case .success(let count) = result { arrived(count) }
    }
  }

  func observeRows(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject {
    store.observe(Player.all.sorted(by: .descending(\.score))).callback(on: queue) { result in
      if case .success(let players) = result, let first = players.first { arrived(first.score) }
    }
  }

  func observeList(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject? {
    store.observeList(Player.all.sorted(by: .descending(\.score))).callback(on: queue) { result in
      if case .success(let change) = result, let first = change.list.rows.first {
        arrived(first.score)
      }
    }
  }

  func observeKeys(_ arrived: @escaping @Sendable (Int64) -> Void) -> AnyObject? {
    store.observeList(Player.all.sorted(by: .descending(\.score))).keysOnly(window: 200)
      .callback(on: queue) { result in
        if case .success(let change) = result, let first = change.list[0, 0] {
          arrived(first.score)
        }
      }
  }

  func close() throws { try store.close() }
}

/// The holds on many observations.
private final class Holds {
  private let holds: [ObservationHold]
  init(_ holds: [ObservationHold]) { self.holds = holds }
}

/// A task that reads change sets.
private final class Listening {
  private let task: Task<Void, any Error>

  /// - Parameter arrived: gets the number of rows of each commit, once all were read; nil if they are
  ///   not to be read.
  init(_ stream: ChangeStream, arrived: (@Sendable (Int) -> Void)?) {
    // It listens from here on, not from the time when the task begins.
    let iterator = Iteration(stream.makeAsyncIterator())
    task = Task {
      var iterator = iterator.value
      while let set = try await iterator.next() {
        guard let arrived else { continue }
        var count = 0
        for entity in set.entities {
          for row in entity.rows where !row.key.isEmpty { count += 1 }
        }
        arrived(count)
      }
    }
  }

  deinit { task.cancel() }
}

/// An iterator on its way to the one task that uses it.
private struct Iteration: @unchecked Sendable {
  // No other task has it; there is no lock.
  let value: ChangeStream.Iterator
  init(_ value: ChangeStream.Iterator) { self.value = value }
}
