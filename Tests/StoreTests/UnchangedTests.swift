import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Writes that change nothing leave the file alone: clauses 5.1 and 6.5.
@Suite struct UnchangedTests {
  /// Everything on the disk that a commit would change.
  private func state(of path: String) throws -> [Data] {
    try [path, path + "-wal"].filter { FileManager.default.fileExists(atPath: $0) }.map(bytes)
  }

  @Test("5.1: what changes nothing is not written, not announced", arguments: FileStore.inPlace)
  func nothing(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let store = try kind.open(path)
    try store.insert((1...30).map { Entry.sample($0) })
    try store.save(Counter(1, value: 7))
    let before = try state(of: path)
    let scheduler = store.runtime.transactions
    // The numbers of the notices are given out whether or not anybody listens.
    let number = scheduler.announce(CommitNotice(entities: []))

    #expect(try store.update(Counter.all) { $0.value = 7 } == 1)
    #expect(try store.update(Counter.all) { $0[\.value] += 0 } == 1)
    #expect(try store.update(Entry.all) { $0[\.group] *= 1 } == 30)
    #expect(try store.update(Counter.all.where { $0.value > 100 }) { $0.value = 1 } == 0)
    try store.save(Counter(1, value: 7))
    try store.update(Counter(1, value: 7))
    try store.save((1...30).map { Entry.sample($0) })
    try store.save(Counter(5, value: 7), matching: \.id == 1)
    try store.patch(Counter.self, 1) { $0.value = 7 }
    #expect(try store.delete(Entry.all.where { $0.group == 99 }) == 0)
    #expect(try store.delete(Entry.self, id: 99) == false)
    try store.write { _ in }
    try store.write { transaction in
      try? transaction.savepoint { inner in
        try inner.save(Counter(2))
        throw CancellationError()
      }
      try transaction.save(Counter(1, value: 7))
    }

    #expect(try state(of: path) == before)
    #expect(scheduler.announce(CommitNotice(entities: [])) == number + 1, "nothing was announced")
    #expect(try store.update(Counter.all) { $0.value = 8 } == 1)
    #expect(try state(of: path) != before)
    #expect(scheduler.announce(CommitNotice(entities: [])) == number + 3)
    try store.close()
  }
}
