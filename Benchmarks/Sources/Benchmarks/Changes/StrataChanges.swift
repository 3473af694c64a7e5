import Dispatch
import ORM
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

  func listen(_ detail: ChangeDetail) throws -> AnyObject? {
    let level: ChangeLevel
    switch detail {
    case .none: return nil
    case .keys: level = .keys
    case .attributes: level = .attributes
    case .values: level = .values
    }
    return Listening(store.changes(of: Player.self, level: level))
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

  init(_ stream: ChangeStream) {
    // It listens from here on, not from the time when the task begins.
    let iterator = Iteration(stream.makeAsyncIterator())
    task = Task {
      var iterator = iterator.value
      while try await iterator.next() != nil {}
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
