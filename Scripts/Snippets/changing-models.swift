@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
}

// SNIPPET
