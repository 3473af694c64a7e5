import Testing

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

final class FailingStore: Store {
  let base: any Store
  init(_ base: any Store) { self.base = base }
  func failNextCommit(_ error: StoreError) {}
  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { try base.reader(turn) }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { try base.writer(turn) }
  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

let schema = try! Schema(Snack.self)

// SNIPPET
