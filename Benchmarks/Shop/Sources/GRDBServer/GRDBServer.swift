import Foundation
import GRDB
import Hummingbird

/// The routes of the benchmark with the same middleware and answers, on a database of GRDB.
@main
enum GRDBServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let pool = try openDatabase(at: environment["DATABASE"] ?? "shop.sqlite")
    let router = Router()
    router.addMiddleware {
      TracingMiddleware()
      MetricsMiddleware()
      LogRequestsMiddleware(.debug)
    }
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.get("items/:id") { _, context in
      let id = try context.parameters.require("id", as: Int64.self)
      let item = try await pool.read { db in
        try Item.filter(key: id).including(all: Item.tags).asRequest(of: ItemInfo.self).fetchOne(db)
      }
      guard let item else { throw HTTPError(.notFound) }
      return ItemAnswer(item)
    }
    router.get("items") { request, _ in try await page(for: request, in: pool) }
    router.post("items") { request, context in
      let new = try await request.decode(as: NewItem.self, context: context)
      let item = try await pool.write { db in
        var item = Item(name: new.name, price: new.price, stock: new.stock)
        try item.insert(db)
        return item
      }
      return EditedResponse(
        status: .created, response: ItemAnswer(ItemInfo(item: item, tags: [])))
    }
    router.post("tags") { request, context in
      let tag = try await request.decode(as: Tag.self, context: context)
      try await pool.write { try tag.insert($0) }
      return EditedResponse(
        status: .created, headers: [.location: "/tags/\(tag.id)"], response: tag)
    }
    let port = environment["PORT"].flatMap { Int($0) } ?? 8080
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: port), serverName: "shop"))
    try await application.runService()
  }

  /// Answers a page of items by their keys, which may have a greatest price, and the address of the next.
  private static func page(for request: Request, in pool: DatabasePool) async throws -> Page {
    guard var address = URLComponents(string: request.uri.string) else {
      throw HTTPError(.badRequest)
    }
    let parameters = address.queryItems ?? []
    let values = Dictionary(parameters.map { ($0.name, $0.value ?? "") }) { $1 }
    let limit = values["limit"].flatMap { Int($0) } ?? 20
    let rows = try await pool.read { db in
      var items = Item.order(Item.Columns.id).limit(limit + 1)
      if let price = values["price.lt"].flatMap({ Double($0) }) {
        items = items.filter(Item.Columns.price < price)
      }
      if let key = values["after"].flatMap({ Int64($0) }) {
        items = items.filter(Item.Columns.id > key)
      }
      return try items.including(all: Item.tags).asRequest(of: ItemInfo.self).fetchAll(db)
    }
    let page = rows.prefix(limit)
    guard rows.count > limit, let end = page.last?.item.id else {
      return Page(rows: page.map(ItemAnswer.init))
    }
    address.queryItems =
      parameters.filter { $0.name != "after" } + [URLQueryItem(name: "after", value: "\(end)")]
    return Page(rows: page.map(ItemAnswer.init), next: address.string)
  }
}

/// The JSON of an item that a client makes.
private struct NewItem: Decodable {
  var name: String
  var price: Double
  var stock: Int
}

/// The JSON of an item.
private struct ItemAnswer: ResponseEncodable {
  var id: Int64?
  var name: String
  var price: Double
  var stock: Int
  var version: Int
  var tags: [String]

  init(_ info: ItemInfo) {
    (id, name, price) = (info.item.id, info.item.name, info.item.price)
    (stock, version, tags) = (info.item.stock, info.item.version, info.tags.map(\.id))
  }
}

/// The JSON of a page.
private struct Page: ResponseEncodable {
  var rows: [ItemAnswer]
  var next: String?
}
