struct MyProvider: StoreProvider {
  let name = "mine"

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    MemoryStore(schema: schema, options: options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try store.close()
    return MemoryStore(schema: schema, options: options)
  }

  func cleanUp() throws {}
}

func use(seed: UInt64) async throws {
  // SNIPPET
}
