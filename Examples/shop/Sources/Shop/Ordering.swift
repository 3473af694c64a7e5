import Foundation
import Hummingbird
import ORMExchange

/// Places an order: takes the pieces from stock, and notes the prices of today.
///
/// One transaction reads and writes the items, so no two orders sell the same piece. An error undoes
/// all of it.
func placeOrder(_ transaction: WriteTransaction, _ body: Data) throws -> Order.ID {
  var order = try Order.json.decodeOne(body)
  var lines = order.lines.loaded ?? []
  guard !lines.isEmpty else {
    throw HTTPError(.unprocessableContent, message: "an order has at least one line")
  }
  // One request for all items, and one for all that they become.
  var items = try transaction.find(Item.self, byKey: lines.compactMap(\.item.id))
  for index in lines.indices {
    let quantity = lines[index].quantity
    guard quantity > 0, let id = lines[index].item.id, var item = items[id] else {
      throw HTTPError(.unprocessableContent, message: "line \(index + 1) names no item or pieces")
    }
    guard item.stock >= quantity else {
      throw HTTPError(.conflict, message: "item \(id): \(item.stock) left")
    }
    item.stock -= quantity
    items[id] = item
    lines[index].price = item.price
    order.total += item.price * Decimal(quantity)
  }
  try transaction.save(Array(items.values))
  order.lines = ToMany(lines)
  return try transaction.insert(order).id
}
