struct MyProvider: StoreProvider {
  let name = "mine"

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try MemoryStore(schema: schema, options: options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try store.close()
    return try MemoryStore(schema: schema, options: options)
  }

  func cleanUp() throws {}
}

// SNIPPET
