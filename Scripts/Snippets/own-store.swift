final class MyStore: Store {
  let schema: StoredSchema
  let runtime: StoreRuntime

  init(path: String, schema declared: Schema, options: StoreOptions) throws { fatalError() }
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { fatalError() }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { fatalError() }
  func close(_ turn: borrowing CloseTurn) throws {}
}

// SNIPPET
