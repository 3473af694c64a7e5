import Foundation
import ORM
import ORMCore
import StoreModels
import TestSupport
import Testing

/// Observers of commits are notified of other processes: clause 6.5.
@Suite struct NoticeTests {
  /// Collects what is announced: "ours" or "theirs".
  private final class Log: Sendable {
    private let lines = Lock<[String]>([])
    private let observation = Lock<CommitObservation?>(nil)

    init(_ store: any Store) {
      let observation = store.runtime.transactions.observeCommits { [weak self] notice in
        self?.lines.withLock { $0.append(notice.isFromOtherProcess ? "theirs" : "ours") }
      }
      self.observation.withLock { $0 = observation }
    }

    var all: [String] { lines.withLock { $0 } }

    /// Waits until a number of lines are there.
    func wait(for count: Int) -> [String] {
      waited { all.count >= count }
      return all
    }
  }

  /// Has another process commit a number of times.
  private func commitElsewhere(_ kind: FileStore, _ path: String, times: Int) throws {
    let helper = try HelperProcess.store(["count", kind.location(path), "\(times)"])
    #expect(helper.lines() == ["ok"])
    #expect(helper.exits())
  }

  @Test(
    "6.5: another process's commits are noticed before ours that follows them, without looking",
    arguments: FileStore.inPlace)
  func inOrder(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let store = try kind.open(path) { $0.noticeInterval = .seconds(3_600) }
    try store.save(Counter(9))
    try commitElsewhere(kind, path, times: 1)
    let log = Log(store)
    try store.save(Counter(2))
    #expect(log.wait(for: 1) == ["ours"], "what was there before is no news")
    try commitElsewhere(kind, path, times: 3)
    try store.save(Counter(3))
    #expect(log.wait(for: 3) == ["ours", "theirs", "ours"])
    try store.save(Counter(4))
    #expect(log.wait(for: 4) == ["ours", "theirs", "ours", "ours"])
    try store.close()
  }

  @Test(
    "6.5: another process's commits are noticed while nothing is written here",
    arguments: FileStore.inPlace, [false, true])
  func whileListening(_ kind: FileStore, readOnly: Bool) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let first = try kind.open(path)
    try first.save(Counter(9))
    try first.close()
    let store = try kind.open(path) {
      $0.noticeInterval = .milliseconds(5)
      $0.isReadOnly = readOnly
    }
    let log = Log(store)
    try commitElsewhere(kind, path, times: 2)
    let seen = log.wait(for: 1)
    #expect(!seen.isEmpty && seen.allSatisfy { $0 == "theirs" })
    Thread.sleep(forTimeInterval: 0.1)
    // Opening commits nothing, so that there are two.
    #expect((1...2).contains(log.all.count))
    try store.close()
  }

  @Test(
    "6.5: none of ours is taken for another's, through savepoints, rollbacks and checkpoints",
    arguments: FileStore.inPlace)
  func oursAlone(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let store = try kind.open(folder.file("store")) { $0.noticeInterval = .milliseconds(1) }
    let log = Log(store)
    for group in 0..<60 {
      // Some 70 KB each: the log is moved into SQLite's file again and again.
      try store.insert((0..<100).map { Entry(group, $0) })
      try? store.write { transaction in
        try transaction.save(Counter(1))
        throw CancellationError()
      }
      try store.write { transaction in
        try? transaction.savepoint { inner in
          try inner.save(Counter(2))
          throw CancellationError()
        }
        try transaction.save(Counter(3, value: group))
      }
      _ = try store.count(Entry.self)
    }
    try store.delete(Entry.all.where { $0.group > 10 })
    // Counter 3 begins with the value 0 that it has at the start as well.
    #expect(log.wait(for: 121) == Array(repeating: "ours", count: 121))
    Thread.sleep(forTimeInterval: 0.05)
    #expect(log.all.count == 121)
    try store.close()
  }

  @Test("6.5: what the sqlite3 command writes is noticed", .enabled(if: SQLiteCommand.isPossible))
  func command() throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let store = try FileStore.sqlite.open(path) { $0.noticeInterval = .milliseconds(5) }
    try store.save(Counter(1, value: 1))
    let log = Log(store)
    try SQLiteCommand.run("UPDATE Counter SET value = 2", path)
    #expect(log.wait(for: 1) == ["theirs"])
    #expect(try store.find(Counter.self, 1)?.value == 2)
    try SQLiteCommand.run("SELECT * FROM Counter", path)
    Thread.sleep(forTimeInterval: 0.05)
    #expect(log.all == ["theirs"], "reading is no commit")
    try store.close()
  }
}
