import ORM
import ORMCore
import Testing

/// Abilities of readers and writers that core asks for by refinements, through wrappers around a store.
@Suite struct StoreRefinementTests {
  @Test("the only write of an operation may commit; a write of a block may not")
  func savingTrips() throws {
    let store = WrappedStore(try StoreKind.memory.makeStore(Schema(Snack.self)))
    try store.insert(Snack("one", id: 1))
    #expect(store.takeCalls() == ["commitWithNextWrite", "put", "commit"])
    #expect(throws: StoreError.self) { try store.insert(Snack("again", id: 1)) }
    #expect(store.takeCalls() == ["commitWithNextWrite", "put"])
    try store.write { try $0.insert(Snack("two", id: 2)) }
    #expect(store.takeCalls() == ["put", "commit"])
    #expect(try store.fetch(Snack.all).map(\.name) == ["one", "two"])
    try store.close()
  }

  @Test("a store whose writers save no trips is asked once")
  func refusingTrips() throws {
    let store = try StoreKind.memory.makeStore(Schema(Snack.self))
    let plain = try store.writer(WriteTurn())
    let saving = WrappedWriter(plain) { _ in }
    let (ofSaving, ofPlain) = (StoreRuntime(), StoreRuntime())
    #expect(ofSaving.tripSaving(saving) === saving)
    #expect(ofSaving.tripSaving(saving) === saving)
    #expect(ofPlain.tripSaving(plain) == nil)
    #expect(ofPlain.tripSaving(saving) == nil)
    plain.end()
    try store.close()
  }

  @Test("a wrapper passes statements of the program on, where the wrapped store runs them")
  func statements() throws {
    let database = WrappedStore(try StoreKind.sqlite.makeStore(Schema(Snack.self)))
    #expect(try database.execute(sql: "CREATE TABLE own (n INTEGER)") == 0)
    #expect(try database.execute(sql: "INSERT INTO own VALUES (\(1)), (\(2))") == 2)
    #expect(
      try database.query(sql: "SELECT n FROM own ORDER BY n").map { $0["n"] } == [.int(1), .int(2)])
    try database.close()
    for kind in [StoreKind.memory, .lmdb] {
      let map = WrappedStore(try kind.makeStore(Schema(Snack.self)))
      let refused = #expect(throws: StoreError.self) {
        _ = try map.execute(sql: "CREATE TABLE own (n INTEGER)")
      }
      #expect(refused?.code == .unsupported)
      let unread = #expect(throws: StoreError.self) { _ = try map.query(sql: "SELECT 1") }
      #expect(unread?.code == .unsupported)
      try map.close()
    }
  }
}

/// A store around another whose writers commit with their only write, and note what core calls.
private final class WrappedStore: Store {
  private let base: any Store
  private let calls = Lock<[String]>([])

  init(_ base: any Store) { self.base = base }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    WrappedReader(try base.reader(turn))
  }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    WrappedWriter(try base.writer(turn)) { [self] call in calls.withLock { $0.append(call) } }
  }

  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }

  /// Returns the calls since the last time.
  func takeCalls() -> [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }
}

private final class WrappedReader: ForwardingReader {
  let forwardedReader: any StoreReader

  init(_ base: any StoreReader) { forwardedReader = base }
}

private final class WrappedWriter: ForwardingWriter, TripSavingWriter {
  let forwardedWriter: any StoreWriter
  private(set) var isCommitted = false
  private var commitsNext = false
  private let note: (String) -> Void

  init(_ base: any StoreWriter, _ note: @escaping (String) -> Void) {
    forwardedWriter = base
    self.note = note
  }

  func commitWithNextWrite() -> Bool {
    note("commitWithNextWrite")
    commitsNext = true
    return true
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    note("put")
    try forwardedWriter.put(request, from: &source, to: &visitor)
    if commitsNext {
      try forwardedWriter.commit()
      isCommitted = true
    }
  }

  func commit() throws {
    note("commit")
    if !isCommitted { try forwardedWriter.commit() }
  }
}
