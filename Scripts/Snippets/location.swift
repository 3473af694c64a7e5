// Storing, "Choosing the store".

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

func open() throws -> any Store {
  // SNIPPET
  return store
}

for text in ["sqlite:app.sqlite", "lmdb:app.lmdb", "memory:", "postgres:app:secret@host/shop"] {
  setenv("STORE", text, 1)
  do {
    let store = try open()
    print(try store.save(Snack(name: "Chips")).id)
    try store.close()
  } catch let error as StoreError {
    print(error.code, error.description.contains("secret"))
  }
}
// prints: 1
// prints: 1
// prints: 1
// prints: invalidLocation false
