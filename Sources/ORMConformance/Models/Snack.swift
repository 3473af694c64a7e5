internal import ORM

/// The model that most cases use: keys of the program, a bit of everything, written by hand.
struct Snack: PrimaryKeyed, Hashable {
  var id: Int64
  var name: String
  var taste: String?
  var price: Double?
  var stock: Int?
  var tags: [String] = []

  init(
    _ id: Int64, _ name: String = "", taste: String? = nil, price: Double? = nil,
    stock: Int? = nil, tags: [String] = []
  ) {
    self.id = id
    self.name = name
    self.taste = taste
    self.price = price
    self.stock = stock
    self.tags = tags
  }

  static let entity = Entity<Snack>("Snack") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
      .attribute("taste", \.taste)
      .attribute("price", \.price, .indexed)
      .attribute("stock", \.stock)
      .attribute("tags", \.tags, .indexed(.elements))
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    taste = try row[2]
    price = try row[3]
    stock = try row[4]
    tags = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(taste, at: 2)
    try row.write(price, at: 3)
    try row.write(stock, at: 4)
    try row.write(tags, at: 5)
  }
}
