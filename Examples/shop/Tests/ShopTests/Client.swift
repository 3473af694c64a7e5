import Foundation
import Hummingbird
import Logging
import NIOEmbedded
import ORMExchange

/// A client that sends JSON to the routes of a server and reads the answers, without a network.
///
/// `HummingbirdTesting` does more, and builds a client for HTTP/2 and TLS for it.
struct Client: Sendable {
  private let responder: RouterResponder<BasicRequestContext>

  init(_ router: Router<BasicRequestContext>) { responder = router.buildResponder() }

  struct Answer: Sendable {
    let status: HTTPResponse.Status
    let location: String?
    let text: String

    var body: JSONValue { (try? JSONValue(parsing: text)) ?? .null }
    /// The rows of a page.
    var rows: [JSONValue] { body["rows"].elements ?? [] }
  }

  func get(_ address: String) async throws -> Answer { try await send(address, .get) }

  @discardableResult
  func post(_ address: String, _ body: JSONValue) async throws -> Answer {
    try await send(address, .post, body.text)
  }

  func patch(_ address: String, _ body: JSONValue) async throws -> Answer {
    try await send(address, .patch, body.text)
  }

  func delete(_ address: String) async throws -> Answer { try await send(address, .delete) }

  func send(
    _ address: String, _ method: HTTPRequest.Method, _ body: String = ""
  ) async throws -> Answer {
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: address),
      body: RequestBody(buffer: ByteBuffer(string: body)))
    let context = BasicRequestContext(
      source: ApplicationRequestContextSource(
        channel: EmbeddedChannel(), logger: Logger(label: "test")))
    let response = try await responder.respond(to: request, context: context)
    let text = CollectedText()
    try await response.body.write(text)
    return Answer(
      status: response.status, location: response.headers[.location], text: text.text)
  }
}

/// The text of a response's body.
private final class CollectedText: ResponseBodyWriter {
  private(set) var text = ""

  func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }
  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
