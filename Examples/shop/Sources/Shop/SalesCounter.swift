import ORMExchange
import ServiceLifecycle

/// The background task: counts the pieces that were sold of each item.
///
/// It reads the history of the store. The count and the position in the history are written in one
/// transaction, so that each order counts once, however often the process is killed.
struct SalesCounter: Service {
  let store: any Store

  func run() async throws {
    let consumer = try await store.historyConsumer(salesConsumer, of: OrderLine.self)
    do {
      try await cancelWhenGracefulShutdown {
        try await consumer.handle { set, transaction in try Self.count(set, in: transaction) }
      }
    } catch is CancellationError {
      // The end of the server. What was not counted is counted after the next start.
    }
  }

  static func count(_ set: ChangeSet, in transaction: WriteTransaction) throws {
    var pieces: [Item.ID: Int] = [:]
    for change in set[OrderLine.self].rows where change.kind == .inserted {
      guard let line = try change.new(), let item = line.item.id else { continue }
      pieces[item, default: 0] += line.quantity
    }
    var sales = try transaction.find(Sales.self, byKey: Array(pieces.keys))
    for (item, count) in pieces { sales[item, default: Sales(id: item)].pieces += count }
    try transaction.save(Array(sales.values))
  }
}
