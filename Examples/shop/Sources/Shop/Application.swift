import Hummingbird
import Logging
import ORMExchange
import ServiceLifecycle
import StrataObservability

/// The server over a store: its routes, and the services that begin and end with it.
///
/// When the process is told to end, services end in the opposite order: the server first, which
/// answers the requests that it has, then the background task, and the store last.
public func makeApplication(
  store: any Store, configuration: ApplicationConfiguration = ApplicationConfiguration(),
  logger: Logger, metrics: @escaping @Sendable () -> String = { "" }
) -> some ApplicationProtocol {
  Application(
    router: makeRouter(store: store, metrics: metrics), configuration: configuration,
    services: [StoreService(store), SalesCounter(store: store)], logger: logger)
}

func makeRouter(
  store: any Store, metrics: @escaping @Sendable () -> String
) -> Router<BasicRequestContext> {
  let router = Router()
  router.addMiddleware {
    TracingMiddleware()
    MetricsMiddleware()
    LogRequestsMiddleware(.debug)
    StoreErrorMiddleware()
  }

  Resource(
    path: "users", store: store,
    listing: Listing<User>(names: ["email": "email", "name": "name", "joined": "joined"]),
    createdRows: 1
  ).addRoutes(to: router)
  Resource(
    path: "items", store: store,
    listing: Listing(
      query: Item.all.prefetch(\.tags),
      names: ["name": "name", "price": "price", "stock": "stock", "tag": "ANY tags.id"]),
    find: { try $0.find(Item.self, $1, prefetch: \.tags) }
  ).addRoutes(to: router)
  Resource(
    path: "tags", store: store, listing: Listing<Tag>(names: ["id": "id"]), createdRows: 1
  ).addRoutes(to: router)
  Resource(
    path: "orders", store: store,
    listing: Listing(
      query: Order.all.prefetch(\.lines),
      names: ["user": "user.id", "placed": "placed", "total": "total"]),
    isFixed: true,
    find: { try $0.find(Order.self, $1, prefetch: \.lines) },
    create: placeOrder
  ).addRoutes(to: router)

  let sales = Listing<Sales>(names: ["pieces": "pieces"])
  router.get("sales") { request, _ in try await sales.page(for: request, in: store) }
  // All items as JSON Lines, from one snapshot. However many there are, memory holds a few of them.
  router.get("items.jsonl") { _, _ in
    let items = store.stream(Item.all)
    return Response(
      status: .ok, headers: [.contentType: "application/jsonl"],
      body: ResponseBody { writer in
        var lines = ByteBuffer()
        for try await item in items {
          lines.writeString(try Item.json.encode(item) + "\n")
          if lines.readableBytes > 16_384 {
            try await writer.write(lines)
            lines.clear()
          }
        }
        try await writer.write(lines)
        try await writer.finish(nil)
      })
  }
  // Readiness: a server whose store does not answer gets no requests.
  router.get("health") { _, _ in
    let health = await store.health(within: .seconds(1))
    var body: JSONValue = [
      "healthy": .bool(health.isHealthy), "waitingWriters": .number("\(health.waitingWriters)"),
    ]
    if let code = health.errorCode { body["error"] = .string(code.rawValue) }
    return Response(body, health.isHealthy ? .ok : .serviceUnavailable)
  }
  router.get("metrics") { _, _ in metrics() }
  return router
}
