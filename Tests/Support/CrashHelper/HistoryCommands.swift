import Dispatch
import ORM
import StoreModels

/// The commands by which tests have another process use the history of a store.
enum HistoryCommands {
  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.noticeInterval = .milliseconds(5)
    return options
  }

  /// Handles the changes of counters for ever, and reports the number of each commit.
  static func consume(_ location: String) throws {
    let store = try StoreCommands.open(location, options())
    let consumer = try store.historyConsumer("journal", of: Counter.self)
    report("ready")
    while true {
      try consumer.handlePending { set, tx in
        try tx.insert(Journal(Int(set.commit.number), greatest: 1))
      }
    }
  }

  /// Writes twenty counters, and reports a number of sets after a token.
  static func follow(_ location: String, _ token: String, count: Int) throws {
    let store = try StoreCommands.open(location, options())
    let changes = store.changes(of: Counter.self, after: try HistoryToken(token))
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        var iterator = changes.makeAsyncIterator()
        report("ready")
        for number in 21...40 { try await store.save(Counter(number)) }
        for _ in 0..<count {
          guard let set = try await iterator.next() else { break }
          report(set.commit.number, set[Counter.self].rows.map(\.row.key))
        }
      } catch {
        report(error)
      }
      done.signal()
    }
    done.wait()
    try store.close()
  }
}
