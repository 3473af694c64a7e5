import Foundation
import ORMExchange

/// A customer.
///
/// The address is unique, and users with orders cannot be deleted.
@Persistable
struct User {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique, .matches("[^@ ]+@[^@ ]+")) var email: String
  @Attribute(.length(1...80)) var name: String
  @Attribute(.createdAt) var joined: Date = .distantPast
  @Relationship(inverse: \Order.user, delete: .deny) var orders: ToMany<Order> = ToMany()
}

/// A thing on sale.
///
/// Its version grows with each change, and an old one is refused.
@Persistable
struct Item {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique, .length(1...80)) var name: String
  @Attribute(.indexed, .range(0...1_000_000)) var price: Decimal
  @Attribute(.range(0...1_000_000)) var stock: Int = 0
  @Attribute(.version) var version: Int = 0
  @Relationship(inverse: \Tag.items) var tags: ToMany<Tag> = ToMany()
}

/// A word that items are found by.
///
/// The word is the key.
@Persistable
struct Tag {
  @PrimaryKey var id: String
  var items: ToMany<Item> = ToMany()
}

/// A purchase by a user.
@Persistable
struct Order {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.createdAt) var placed: Date = .distantPast
  var total: Decimal = 0
  @Relationship(required: true) var user: ToOne<User> = ToOne()
  @Relationship(inverse: \OrderLine.order, delete: .cascade)
  var lines: ToMany<OrderLine> = ToMany()
}

/// A number of pieces of one item in an order, with the price at that time.
@Persistable
struct OrderLine {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.range(1...1_000)) var quantity: Int
  var price: Decimal = 0
  @Relationship(targetDeleted: .deny, required: true) var item: ToOne<Item> = ToOne()
  @Relationship(required: true) var order: ToOne<Order> = ToOne()
}

/// The pieces of an item that were sold, counted by the background task.
@Persistable
struct Sales {
  /// The key of the item.
  @PrimaryKey var id: Int64
  var pieces: Int = 0
}

// The JSON of the models. Keys and timestamps of the store are written, and not read from clients.

extension User: JSONMapped {
  static let json =
    JSONMapping(User.self, unknown: .refuse).leaveOut(\.id, \.joined, \.orders, when: .reading)
}

extension Item: JSONMapped {
  static let json =
    JSONMapping(Item.self, unknown: .refuse).leaveOut(\.id, when: .reading).keys(\.tags)
}

extension Tag: JSONMapped {
  static let json =
    JSONMapping(Tag.self, unknown: .refuse).leaveOut(\.items)
}

extension Order: JSONMapped {
  static let json =
    JSONMapping(Order.self, unknown: .refuse)
    .leaveOut(\.id, \.placed, \.total, when: .reading)
    .key(\.user, from: "user")
    .nested(\.lines, with: OrderLine.json)
}

extension OrderLine: JSONMapped {
  static let json =
    JSONMapping(OrderLine.self, unknown: .refuse)
    .only(\.item, \.quantity, when: .reading)
    .leaveOut(\.id, \.order, when: .writing)
    .key(\.item, from: "item")
}

extension Sales: JSONMapped {}
