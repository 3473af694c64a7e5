import Dispatch
import Foundation
import ORM
import ORMCore
import SQLiteBackend
import TestSupport
import Testing

/// Reads that follow each other: a store may use the parts of one for the next.
@Suite(.timeLimit(.minutes(10))) struct RepeatedReadTests {
  private struct Failure: Error {}

  private func filled(_ kind: StoreKind) throws -> any Store {
    let store = try kind.openStore()
    try store.save((1...3).map { Snack("s\($0)", price: Double($0)) })
    return store
  }

  @Test(
    "6.1: each read sees the newest commit, and the transaction of the one before is over",
    arguments: StoreKind.everywhere)
  func newest(_ kind: StoreKind) throws {
    let store = try filled(kind)
    var kept: [ReadTransaction] = []
    for count in 3...6 {
      try store.read { (tx: ReadTransaction) throws -> Void in
        #expect(try tx.count(Snack.all) == count)
        #expect(try tx.find(Snack.self, Int64(count))?.name == "s\(count)")
        for old in kept {
          #expect(fault { _ = try old.count(Snack.all) } == "transactionEnded")
          #expect(fault { _ = try old.find(Snack.self, 1) } == "transactionEnded")
        }
        kept.append(tx)
      }
      #expect(try store.find(Snack.self, Int64(count + 1)) == nil)
      try store.save(Snack("s\(count + 1)"))
      #expect(try store.find(Snack.self, Int64(count + 1))?.name == "s\(count + 1)")
    }
  }

  @Test("5.5: a read after one that threw is as any other", arguments: StoreKind.everywhere)
  func afterErrors(_ kind: StoreKind) throws {
    let store = try filled(kind)
    for _ in 0..<3 {
      #expect(throws: Failure.self) {
        try store.read { tx in
          #expect(try tx.find(Snack.self, 1)?.name == "s1")
          throw Failure()
        }
      }
      #expect(fault { _ = try store.fetch(Snack.all.limit(-1)) } == "invalidPage")
      #expect(try store.find(Snack.self, 2)?.name == "s2")
    }
  }

  @Test("6.3: reads inside a read are of its snapshot", arguments: StoreKind.everywhere)
  func nested(_ kind: StoreKind) throws {
    let store = try filled(kind)
    for round in 1...3 {
      try store.read { tx in
        let before = try tx.count(Snack.all)
        let commits = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          _ = try? store.save(Snack("s\(round)"))
          commits.signal()
        }
        commits.wait()
        #expect(try store.count(Snack.all) == before)
        #expect(try store.find(Snack.self, Int64(before + 1)) == nil)
      }
      #expect(try store.count(Snack.all) == 3 + round)
    }
  }

  @Test("5.2: a store closes after reads, and then refuses them", arguments: StoreKind.everywhere)
  func closing(_ kind: StoreKind) throws {
    let store = try filled(kind)
    #expect(try store.find(Snack.self, 1)?.name == "s1")
    #expect(try store.count(Snack.all) == 3)
    try store.close()
    #expect(fault { _ = try store.find(Snack.self, 1) } == "closed")
    #expect(fault { _ = try store.count(Snack.all) } == "closed")
  }

  @Test(
    "6.1: reads of several threads each have a snapshot of their own",
    arguments: StoreKind.everywhere)
  func threads(_ kind: StoreKind) throws {
    let store = try filled(kind)
    // A write moves an amount from one row to the other, so that every snapshot has the same sum.
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<60 {
        do {
          if thread == 0 {
            try store.write { tx in
              for (id, change) in [(Int64(1), 1.0), (2, -1)] {
                var snack = try #require(try tx.find(Snack.self, id))
                snack.price += change
                try tx.save(snack)
              }
            }
          } else if round % 3 == 0 {
            #expect(try store.find(Snack.self, 3)?.price == 3)
          } else {
            try store.read { tx in
              let first = try #require(try tx.find(Snack.self, 1))
              let second = try #require(try tx.find(Snack.self, 2))
              #expect(first.price + second.price == 3)
            }
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try store.find(Snack.self, 1)?.price == 61)
  }

  @Test("9.5: a read that failed is asked for contention before its slot is another's")
  func contention() throws {
    let store = AskedStore(try StoreKind.memory.openStore())
    #expect(throws: Failure.self) { try store.read { (_: ReadTransaction) in throw Failure() } }
    #expect(store.asked.withLock { $0 } == [true])
  }

  @Test(
    "11.2: an iteration over changes does not keep a store open, and ends with it",
    arguments: StoreKind.everywhere)
  func dropped(_ kind: StoreKind) async throws {
    weak var scheduler: TransactionScheduler?
    var iterator: ChangeStream.Iterator
    do {
      let store = try filled(kind)
      scheduler = store.runtime.transactions
      iterator = store.changes(of: Snack.self).makeAsyncIterator()
    }
    // What the scheduler has begun on other threads comes to its end.
    try #require(try await eventually { scheduler == nil })
    #expect(try await iterator.next() == nil)
  }

  @Test("a model that reads while it is loaded sees the snapshot of its find")
  func loading() throws {
    for kind in StoreKind.everywhere {
      let store = try kind.makeStore(Schema(Watching.self))
      Watching.onLoad.withLock { $0 = nil }
      try store.insert([Watching(id: 1), Watching(id: 2)])
      Watching.onLoad.withLock { hook in
        hook = { id in
          guard id == 1 else { return nil }
          let saved = DispatchSemaphore(value: 0)
          DispatchQueue.global().async {
            _ = try? store.delete(Watching.self, id: 2)
            saved.signal()
          }
          saved.wait()
          return try store.find(Watching.self, 2)?.id
        }
      }
      let found = try store.find(Watching.self, 1)
      #expect(found?.seen == 2, "\(kind)")
      #expect(try store.find(Watching.self, 2) == nil, "\(kind)")
      Watching.onLoad.withLock { $0 = nil }
    }
  }

  @Test("9.5: a read that others came in the way of runs again, unless it has given rows")
  func contended() throws {
    let store = FaultyStore(try filled(.memory), .conflict(.read))
    #expect(try store.fetch(Snack.all).map(\.name) == ["s1", "s2", "s3"])
    #expect(store.count(of: .reader) == 2)
    var given: [String] = []
    store.add(.conflict(.batch, after: 1))
    let error = #expect(throws: StoreError.self) {
      try store.chunks(Snack.all, size: 2) { given += $0.map(\.name) }
    }
    #expect(error?.code == .contended)
    #expect(given == ["s1", "s2"])
    #expect(store.count(of: .reader) == 3)
    // The block of the program is run again as a whole.
    #expect(try store.count(Snack.all) == 3)
    given = []
    store.add(.conflict(.batch, after: 1))
    try store.read { tx in
      given = []
      try tx.chunks(Snack.all, size: 2) { given += $0.map(\.name) }
    }
    #expect(given == ["s1", "s2", "s3"])
    #expect(store.count(of: .reader) == 6)
  }

  @Test("7.5: finds go on after another program has changed the tables")
  func changedTables() throws {
    let folder = TestFolder()
    let path = folder.file("shared.sqlite")
    let schema = try Schema(Snack.self)
    let store = try StoreKind.sqlite.open(path, schema, StoreOptions())
    try store.save(Snack("s1"))
    #expect(try store.find(Snack.self, 1)?.name == "s1")
    let other = try StoreKind.sqlite.open(path, Schema(WiderSnack.self), StoreOptions())
    #expect(try store.find(Snack.self, 1)?.name == "s1")
    try other.save(WiderSnack(id: 2, name: "s2", color: "red"))
    #expect(try store.find(Snack.self, 2)?.name == "s2")
    try other.save(WiderSnack(id: 1, name: "new", color: nil))
    #expect(try store.find(Snack.self, 1)?.name == "new")
    #expect(try store.find(Snack.self, 3) == nil)
    try other.close()
    try store.close()
  }
}

/// A store that notes of each question for contention whether the block of the reader still runs.
private final class AskedStore: Store {
  private let base: any Store
  let asked = Lock<[Bool]>([])

  init(_ base: any Store) { self.base = base }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    AskedReader(try base.reader(turn)) { [self] in
      asked.withLock { $0.append(runtime.transactions.currentBlock() != nil) }
    }
  }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { try base.writer(turn) }
  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

private final class AskedReader: ForwardingReader {
  let forwardedReader: any StoreReader
  private let note: () -> Void

  init(_ base: any StoreReader, _ note: @escaping () -> Void) {
    forwardedReader = base
    self.note = note
  }

  var isContended: Bool {
    note()
    return false
  }
}

/// A model that calls a closure when it is read.
private struct Watching: Persistable, PrimaryKeyed, LoadHook {
  static let onLoad = Lock<(@Sendable (Int64) throws -> Int64?)?>(nil)

  var id: Int64
  /// The answer of the closure, which is not stored.
  var seen: Int64?

  static let entity = Entity<Watching>("Watching") { .key("id", \.id) }

  init(id: Int64) { self.id = id }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws { id = try row[0] }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws { try row.write(id, at: 0) }

  mutating func didLoad() throws {
    if let hook = Self.onLoad.withLock({ $0 }) { seen = try hook(id) }
  }
}

/// The snack of another program, with one attribute more.
private struct WiderSnack: Persistable, PrimaryKeyed {
  var id: Int64
  var name: String
  var color: String?

  static let entity = Entity<WiderSnack>("Snack") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("taste", \.taste)
      .attribute("price", \.price, .default(0))
      .attribute("color", \.color)
  }

  var taste: String? { nil }
  var price: Double { 0 }

  init(id: Int64, name: String, color: String?) {
    self.id = id
    self.name = name
    self.color = color
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    color = try row[4]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(nil as String?, at: 2)
    try row.write(0.0, at: 3)
    try row.write(color, at: 4)
  }
}
