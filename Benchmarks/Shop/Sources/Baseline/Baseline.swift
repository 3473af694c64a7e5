import Foundation
import Hummingbird

/// The routes of the benchmark with the same middleware and answers of the same size, without a store.
@main
enum Baseline {
  static func main() async throws {
    let item = #"{"id":1,"name":"Item 1","price":1,"stock":5,"version":1,"tags":[]}"#
    let page =
      #"{"rows":["# + Array(repeating: item, count: 20).joined(separator: ",")
      + #"],"next":"/items?limit=20&price.lt=500&after=MDEyMzQ1Njc4OTAxMjM0NQ"}"#
    let router = Router()
    router.addMiddleware {
      TracingMiddleware()
      MetricsMiddleware()
      LogRequestsMiddleware(.debug)
    }
    router.get("health") { _, _ in Self.response("{}") }
    router.get("items/:id") { _, _ in Self.response(item) }
    router.get("items") { _, _ in Self.response(page) }
    router.post("tags") { request, _ in
      let body = try await request.body.collect(upTo: 1 << 20)
      return Self.response(String(buffer: body), .created)
    }
    let port = ProcessInfo.processInfo.environment["PORT"].flatMap { Int($0) } ?? 8080
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: port), serverName: "shop"))
    try await application.runService()
  }

  private static func response(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
