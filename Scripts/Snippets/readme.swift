// The first lines of README.md.

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var price: Double
}

// SNIPPET
print(snack.id, found?.name ?? "none", cheap.map(\.price), try Snack.all.count())
// prints: 1 Chips [2.5] 0
