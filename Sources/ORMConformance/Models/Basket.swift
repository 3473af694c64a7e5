internal import ORM
internal import ORMCore

/// The ordered end of a many-to-many whose targets count how often they are decoded.
struct Basket: Persistable, PrimaryKeyed, Codable {
  var id: Int
  var fruits: ToMany<Fruit> = .notLoaded
  static let entity = Entity<Basket>("Basket") {
    .key("id", \.id)
      .relationship("fruits", \.fruits, inverse: \Fruit.baskets, ordered: true)
  }
}

/// The other end.
struct Fruit: Persistable, PrimaryKeyed {
  var id: Int
  var baskets: ToMany<Basket> = .notLoaded
  static let entity = Entity<Fruit>("Fruit") {
    .key("id", \.id)
      .relationship("baskets", \.baskets)
  }
  /// Counts those that are decoded from rows while it is set.
  @TaskLocal static var decodings: Decodings?

  init(id: Int) { self.id = id }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    Self.decodings?.count.withLock { $0 += 1 }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws { try row.write(id, at: 0) }
}

/// The number of objects that were decoded.
final class Decodings: Sendable {
  let count = Lock(0)
}
