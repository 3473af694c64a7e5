@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

// SNIPPET
