import Testing

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique) var name: String
  var price: Double = 0
  @Attribute(.createdAt) var created: Date = .now
}

struct Shop {
  let store: any Store
  func raisePrices() throws { try store.update(Snack.all) { $0[\.price] += 1 } }
}

let schema = try! Schema(Snack.self)

// SNIPPET
