internal import ORM

/// An owner whose total is derived of its purchases.
struct Stall: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var total = 0
  var purchases: ToMany<Purchase>

  static let entity = Entity<Stall>("Stall") {
    .key("id", \.id);
    .derived("total", \.total, .sum(of: \.purchases, \.amount));
    .relationship("purchases", \.purchases, inverse: \Purchase.stall, count: 0...2)
  }

  init(_ id: Int64) {
    self.id = id
    purchases = .notLoaded
  }
}

/// A purchase whose hooks repair its amount and note the total of its stall.
struct Purchase: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var amount: Int
  var stall: ToOne<Stall>

  static let entity = Entity<Purchase>("Purchase") {
    .key("id", \.id);
    .attribute("amount", \.amount, .range(0...9));
    .relationship("stall", \.stall)
  }

  init(_ id: Int64, _ amount: Int) {
    self.id = id
    self.amount = amount
    stall = .key(1)
  }

  mutating func willInsert(in transaction: WriteTransaction) throws {
    let stored = try transaction.find(Purchase.self, id)?.amount
    try note("will insert \(id): \(amount), stored \(stored ?? 0)", transaction)
    amount = abs(amount)
  }

  mutating func willUpdate(from old: Purchase, in transaction: WriteTransaction) throws {
    let stored = try transaction.find(Purchase.self, id)?.amount
    try note("will update \(id): \(old.amount) to \(amount), stored \(stored ?? 0)", transaction)
    amount = abs(amount)
  }

  func didInsert(in transaction: WriteTransaction) throws {
    try note("did insert \(id): \(amount), total \(total(transaction))", transaction)
  }

  func didUpdate(from old: Purchase, in transaction: WriteTransaction) throws {
    try note("did update \(id): \(amount), total \(total(transaction))", transaction)
  }

  private func total(_ transaction: WriteTransaction) throws -> Int {
    try transaction.find(Stall.self, 1)?.total ?? 0
  }

  private func note(_ text: String, _ transaction: WriteTransaction) throws {
    try transaction.save(Occurrence(text))
  }
}
