@Persistable
struct Account {
  @PrimaryKey var id: Int64
  var owner: String
  @Attribute(.range(0...1_000_000)) var balance = 0
  @Attribute(.version) var version = 0

  init(id: Int64, owner: String, balance: Int = 0) {
    self.id = id
    self.owner = owner
    self.balance = balance
  }
}

struct NotEnough: Error {}

func show(_ text: String) {}

func use(_ store: any Store, schema: Schema) throws {
  // SNIPPET
}
