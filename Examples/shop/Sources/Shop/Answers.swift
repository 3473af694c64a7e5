import Foundation
import Hummingbird
import ORMExchange

/// Answers errors of the store by a status and a body that says what was wrong.
///
/// Messages of a `StoreError` name entities and attributes, and hold no values of rows.
struct StoreErrorMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as StoreError {
      let status = status(of: error)
      // A fault of the server: the log has it, and the client is told no more than that.
      if status == .internalServerError {
        context.logger.error("\(error)")
        return Response(["error": ["code": "internal"]], status)
      }
      var body: JSONValue = [
        "code": .string(error.code.rawValue), "message": .string(error.message),
      ]
      if !error.attributes.isEmpty {
        body["attributes"] = .array(error.attributes.map { .string($0) })
      }
      if !error.failures.isEmpty {
        body["failures"] = .array(
          error.failures.map { failure in
            [
              "attributes": .array(failure.attributes.map { .string($0) }),
              "message": .string(failure.message),
            ]
          })
      }
      return Response(["error": body], status)
    }
  }
}

/// The status for an error of the store.
func status(of error: StoreError) -> HTTPResponse.Status {
  switch error.code {
  case .invalidImport: error.importFault == .syntax ? .badRequest : .unprocessableContent
  case .validationFailed, .invalidValue, .missingValue, .missingTarget, .tooLarge:
    .unprocessableContent
  case .invalidCondition, .unknownAttribute, .tooComplex, .invalidPage, .invalidCursor: .badRequest
  case .notFound: .notFound
  case .duplicate, .conflict, .denied: .conflict
  case .busy, .contended, .deadlineExceeded, .connectionLost, .closed: .serviceUnavailable
  default: .internalServerError
  }
}

extension Response {
  /// A response with a JSON value.
  init(_ body: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: body.text)))
  }
}

extension Request {
  /// The bytes of the body; refuses one that is larger than a megabyte.
  func bytes() async throws -> Data {
    Data(try await body.collect(upTo: 1 << 20).readableBytesView)
  }
}
