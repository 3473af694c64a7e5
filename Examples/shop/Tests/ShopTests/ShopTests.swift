import Foundation
import Hummingbird
import LMDBBackend
import MemoryBackend
import ORMExchange
import PostgresBackend
import SQLiteBackend
import StrataTesting
import Testing

@testable import Shop

/// The kinds of stores that the tests run on: those of one machine, and PostgreSQL where
/// `STRATA_POSTGRES` names a server.
private let kinds =
  StoreKind.tested(.memory, .sqlite, .lmdb) + (server == nil ? [] : [StoreKind.postgres])
private let server = ProcessInfo.processInfo.environment["STRATA_POSTGRES"]

@Suite struct ShopTests {
  /// Runs a test against the routes of a server with an empty store of its own.
  private func serve(
    _ kind: StoreKind, _ test: (Client, any Store) async throws -> Void
  ) async throws {
    if let server, kind == .postgres {
      let separator = server.contains("?") ? "&" : "?"
      let name = "shop_\(UUID().uuidString.prefix(8).lowercased())"
      let store = try openStore(at: "\(server)\(separator)namespace=\(name)")
      try await test(Client(makeRouter(store: store, metrics: { "" })), store)
      return try await store.close()
    }
    var options = storeOptions()
    options.durability = .off
    try await kind.withTestStore(schema(), options: options) { store in
      try prepare(store)
      try await test(Client(makeRouter(store: store, metrics: { "" })), store)
    }
  }

  @Test("A row is made, read, changed by what the body has, and deleted", arguments: kinds)
  func rows(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      var answer = try await client.post("/tags", ["id": "sweet"])
      #expect(answer.status == .created)
      answer = try await client.post(
        "/items", ["name": "Cake", "price": 3.5, "stock": 9, "tags": ["sweet"]])
      #expect(answer.status == .created)
      #expect(answer.location == "/items/1")
      let cake: JSONValue = [
        "id": 1, "name": "Cake", "price": 3.5, "stock": 9, "version": 1, "tags": ["sweet"],
      ]
      #expect(answer.body == cake)
      #expect(try await client.get("/items/1").body == cake)

      answer = try await client.patch("/items/1", ["price": 4])
      #expect(answer.body["price"] == 4)
      #expect(answer.body["name"] == "Cake")
      #expect(answer.body["stock"] == 9)
      #expect(answer.body["tags"] == ["sweet"])

      #expect(try await client.delete("/items/1").status == .noContent)
      #expect(try await client.get("/items/1").status == .notFound)
      #expect(try await client.patch("/items/1", ["price": 4]).status == .notFound)
      #expect(try await client.delete("/items/1").status == .notFound)
      #expect(try await client.get("/items/x").status == .notFound)
    }
  }

  @Test("A broken rule is 422 and names each attribute", arguments: kinds)
  func rules(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      var answer = try await client.post("/items", ["name": "", "price": -1])
      #expect(answer.status == .unprocessableContent)
      #expect(answer.body["error"]["code"] == "validationFailed")
      let failures = answer.body["error"]["failures"].elements ?? []
      #expect(failures.map { $0["attributes"] } == [["name"], ["price"]])

      answer = try await client.post("/items", ["name": "Cake"])
      #expect(answer.status == .unprocessableContent)  // no price
      answer = try await client.post("/items", ["name": "Cake", "price": 1, "colour": "red"])
      #expect(answer.status == .unprocessableContent)  // an unknown member
      answer = try await client.post("/items", ["name": "Cake", "price": 1, "tags": ["none"]])
      #expect(answer.status == .unprocessableContent)  // a tag that is not there
      #expect(try await client.send("/items", .post, "{\"name\": ").status == .badRequest)
      #expect(try await client.get("/items").body["rows"] == [])
    }
  }

  @Test("What is taken, was changed or is needed is 409", arguments: kinds)
  func conflicts(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      try await client.post("/items", ["name": "Cake", "price": 1, "stock": 5])
      var answer = try await client.post("/items", ["name": "Cake", "price": 2])
      #expect(answer.status == .conflict)
      #expect(answer.body["error"]["code"] == "duplicate")

      #expect(try await client.patch("/items/1", ["version": 1, "stock": 4]).status == .ok)
      answer = try await client.patch("/items/1", ["version": 1, "stock": 3])
      #expect(answer.status == .conflict)
      #expect(answer.body["error"]["code"] == "conflict")

      try await client.post("/users", ["email": "ann@example.com", "name": "Ann"])
      try await client.post("/orders", ["user": 1, "lines": [["item": 1, "quantity": 1]]])
      #expect(try await client.delete("/users/1").status == .conflict)
      #expect(try await client.delete("/items/1").status == .conflict)
    }
  }

  @Test(
    "Pages follow one another by their addresses, with filters and order", arguments: kinds)
  func pages(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      try await client.post("/tags", ["id": "sweet"])
      for number in 1...7 {
        var item: JSONValue = ["name": .string("Item \(number)"), "price": .number("\(number).5")]
        if number % 2 == 1 { item["tags"] = ["sweet"] }
        try await client.post("/items", item)
      }
      // Items 3, 5 and 7 are sweet and cost more than 2.
      var address: String? = "/items?tag=sweet&price.gt=2&sort=-price&limit=2"
      var pages: [[JSONValue]] = []
      while let next = address {
        let answer = try await client.get(next)
        #expect(answer.status == .ok)
        pages.append((answer.body["rows"].elements ?? []).map { $0["name"] })
        address = answer.body["next"].string
      }
      #expect(pages == [["Item 7", "Item 5"], ["Item 3"]])
      #expect(try await client.get("/items?name.prefix=item&limit=100").rows.count == 7)
      #expect(try await client.get("/items?price=2.5").rows.count == 1)

      for wrong in [
        "colour=red", "price.near=3", "price=cheap", "sort=version", "limit=0", "limit=1000",
        "after=x",
      ] {
        #expect(try await client.get("/items?\(wrong)").status == .badRequest, "\(wrong)")
      }
    }
  }

  @Test("An order takes from stock, or leaves all as it was", arguments: kinds)
  func orders(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      try await client.post("/users", ["email": "ann@example.com", "name": "Ann"])
      try await client.post("/items", ["name": "Cake", "price": 3.5, "stock": 5])
      try await client.post("/items", ["name": "Tea", "price": 2, "stock": 1])
      var answer = try await client.post(
        "/orders",
        ["user": 1, "lines": [["item": 1, "quantity": 2], ["item": 2, "quantity": 1]]])
      #expect(answer.status == .created)
      #expect(answer.body["total"] == 9)  // 2 * 3.5 + 1 * 2
      #expect(try await client.get("/items/1").body["stock"] == 3)

      // The second line cannot be served, so the first takes nothing.
      answer = try await client.post(
        "/orders",
        ["user": 1, "lines": [["item": 1, "quantity": 3], ["item": 2, "quantity": 1]]])
      #expect(answer.status == .conflict)
      #expect(try await client.get("/items/1").body["stock"] == 3)

      for lines: JSONValue in [
        [], [["item": 9, "quantity": 1]], [["item": 1, "quantity": 0]],
        [["item": 1, "quantity": .number("\(Int.min)")]],
      ] {
        answer = try await client.post("/orders", ["user": 1, "lines": lines])
        #expect(answer.status == .unprocessableContent, "\(lines)")
      }
      answer = try await client.post(
        "/orders", ["user": 7, "lines": [["item": 1, "quantity": 1]]])
      #expect(answer.status == .unprocessableContent)
      #expect(try await client.get("/orders?user=1").rows.count == 1)
      #expect(try await client.patch("/orders/1", ["total": 0]).status != .ok)
    }
  }

  @Test("The task counts each order once", arguments: kinds)
  func sales(_ kind: StoreKind) async throws {
    try await serve(kind) { client, store in
      try await client.post("/users", ["email": "ann@example.com", "name": "Ann"])
      try await client.post("/items", ["name": "Cake", "price": 1, "stock": 50])
      for quantity in [2, 3] {
        try await client.post(
          "/orders", ["user": 1, "lines": [["item": 1, "quantity": .number("\(quantity)")]]])
      }
      let consumer = try await store.historyConsumer(salesConsumer, of: OrderLine.self)
      for _ in 1...2 {
        try await consumer.handlePending { try SalesCounter.count($0, in: $1) }
        #expect(try await client.get("/sales").rows == [["id": 1, "pieces": 5]])
      }
    }
  }

  @Test(
    "A store of the first version is migrated when it is opened", arguments: ["sqlite", "lmdb"])
  func migration(_ kind: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let location = "\(kind):\(folder.path)/shop.\(kind)"
    let former = try StoreLocation(location, among: [.sqlite, .lmdb])
      .open(schema: Schema(FormerItem.self, version: 1))
    try await former.save(FormerItem(title: "Cake", price: 3.5))
    try await former.close()

    let store = try openStore(at: location)
    let item = try #require(try await store.find(Item.self, 1))
    #expect(item.name == "Cake")
    #expect(item.price == Decimal(string: "3.5"))
    try await store.close()
  }

  @Test("All items are answered as lines", arguments: kinds)
  func lines(_ kind: StoreKind) async throws {
    try await serve(kind) { client, _ in
      for name in ["Cake", "Tea"] {
        try await client.post("/items", ["name": .string(name), "price": 1])
      }
      let text = try await client.get("/items.jsonl").text
      let lines = text.split(separator: "\n").map(String.init)
      #expect(try lines.map { try JSONValue(parsing: $0)["name"] } == ["Cake", "Tea"])
    }
  }

  @Test("Health and metrics are answered, and a closed store is 503")
  func health() async throws {
    let store = try openStore(at: "memory:")
    let client = Client(makeRouter(store: store, metrics: { "a 1" }))
    #expect(try await client.get("/health").body == ["healthy": true, "waitingWriters": 0])
    #expect(try await client.get("/metrics").text == "a 1")
    try await store.close()
    let answer = try await client.get("/health")
    #expect(answer.status == .serviceUnavailable)
    #expect(answer.body["error"] == "closed")
  }
}

/// The item of version 1.
@Persistable("Item")
private struct FormerItem {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique, .length(1...80)) var title: String
  @Attribute(.indexed) var price: Decimal
  var stock: Int = 0
  @Attribute(.version) var version: Int = 0
}
