import ORM

// Must not compile: each line marked below compares an attribute with something of another type,
// or negates one that is no Bool.
// `Tests/Dependents/run` type-checks the file and compares all errors with those in Comparisons.txt.

@Persistable
struct Snack {
  @PrimaryKey var id: Int64 = 0
  var name: String
  var price: Double
  var stock: Int?
  var isVegan: Bool?
}

func comparisons(text: String) -> [Query<Snack>] {
  [
    Snack.all.where { $0.price < "x" },  // refused
    Snack.all.where { $0.name == 3 },  // refused
    Snack.all.where { $0.price > 3 && $0.name != 2.5 },  // refused
    Snack.all.where { $0.stock >= text },  // refused
    Snack.all.where { 3 <= $0.name },  // refused
    Snack.all.where { $0.price == $0.name },  // refused
    Snack.all.where { !$0.name },  // refused
    Snack.all.where { $0.price > 3 && !$0.isVegan },  // refused
    Snack.all.where { $0.price > 3 && $0.stock == nil && "a" < $0.name && 7 > $0.stock },
  ]
}
