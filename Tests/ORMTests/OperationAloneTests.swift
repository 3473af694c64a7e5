import ORM
import Testing

/// A note whose hook tries a batch that fails, and goes on.
private struct CarefulNote: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64

  static let entity = Entity<CarefulNote>("CarefulNote") { .key("id", \.id) }

  init(_ id: Int64) { self.id = id }

  func willInsert(in transaction: WriteTransaction) throws {
    // The last is there already, so that none of the batch may stay.
    #expect(throws: StoreError.self) {
      try transaction.insert([NoteTrace(20 + id), NoteTrace(30 + id), NoteTrace(1)])
    }
    #expect(throws: StoreError.self) {
      try transaction.store.insert([NoteTrace(40 + id), NoteTrace(1)])
    }
    try transaction.insert([NoteTrace(10 + id)])
  }
}

private struct NoteTrace: PrimaryKeyed, Codable, Hashable {
  var id: Int64

  static let entity = Entity<NoteTrace>("NoteTrace") { .key("id", \.id) }

  init(_ id: Int64) { self.id = id }
}

@Suite("An operation that is a transaction of its own")
struct OperationAloneTests {
  private func traces(_ store: any Store) throws -> [Int64] {
    try store.fetch(NoteTrace.all).map(\.id)
  }

  @Test(
    "5.1: what a hook catches is undone, and its operation goes on", arguments: StoreKind.everywhere
  )
  func hooks(_ kind: StoreKind) throws {
    let store = try kind.makeStore(Schema(CarefulNote.self, NoteTrace.self))
    try store.insert(NoteTrace(1))
    try store.insert(CarefulNote(1))
    #expect(try traces(store) == [1, 11])
    try store.insert([CarefulNote(2), CarefulNote(3)])
    #expect(try traces(store) == [1, 11, 12, 13])
  }

  @Test("5.1: a batch that fails leaves nothing", arguments: StoreKind.everywhere)
  func failing(_ kind: StoreKind) throws {
    let store = try kind.makeStore(Schema(CarefulNote.self, NoteTrace.self))
    try store.insert([NoteTrace(1), NoteTrace(5)])
    #expect(throws: StoreError.self) {
      try store.insert([NoteTrace(3), NoteTrace(4), NoteTrace(5)])
    }
    #expect(throws: StoreError.self) { try store.insert([CarefulNote(1), CarefulNote(1)]) }
    #expect(try traces(store) == [1, 5])
    #expect(try store.count(CarefulNote.self) == 0)
  }
}
