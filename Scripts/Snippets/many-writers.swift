@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var stock: Int = 0
}

func open(_ store: any Store, _ schema: Schema) throws {
  // SNIPPET
  _ = store
}
