import Foundation
import Hummingbird
import ORMExchange

/// The routes of a model: list, read and create, and unless it is fixed, change and delete.
struct Resource<Model: JSONMapped & PrimaryKeyed>: Sendable
where Model.ID: LosslessStringConvertible {
  let path: String
  let store: any Store
  let listing: Listing<Model>
  /// True if rows are never changed once they are there.
  var isFixed = false
  /// Finds a row, with the links that its JSON shows.
  var find: @Sendable (ReadTransaction, Model.ID) throws -> Model? = { try $0.find(Model.self, $1) }
  /// The most rows that a creation writes, if it is known: with few, concurrent requests share a commit.
  var createdRows: Int?
  /// Creates a row from a body, in the transaction of the request.
  var create: @Sendable (WriteTransaction, Data) throws -> Model.ID = { transaction, body in
    try transaction.insert(Model.json.decodeOne(body)).id
  }

  func addRoutes(to router: Router<some RequestContext>) {
    router.get(RouterPath(path)) { request, _ in
      try await listing.page(for: request, in: store)
    }
    router.get(RouterPath("\(path)/:id")) { _, context in
      let id = try key(in: context)
      return Response(try await store.read { try json(find($0, id)) })
    }
    router.post(RouterPath(path)) { request, _ in
      let body = try await request.bytes()
      let (id, row) = try await store.write(rows: createdRows) { transaction in
        let id = try create(transaction, body)
        return (id, try json(find(transaction, id)))
      }
      var response = Response(row, .created)
      response.headers[.location] = "/\(path)/\(id)"
      return response
    }
    if isFixed { return }
    // Sets what the body has, and keeps the rest.
    router.patch(RouterPath("\(path)/:id")) { request, context in
      let (id, body) = (try key(in: context), try await request.bytes())
      return Response(
        try await store.write { transaction in
          try transaction.patch(Model.self, id, from: body)
          return try json(find(transaction, id))
        })
    }
    router.delete(RouterPath("\(path)/:id")) { _, context in
      guard try await store.delete(Model.self, id: key(in: context)) else {
        throw HTTPError(.notFound)
      }
      return Response(status: .noContent)
    }
  }

  private func key(in context: some RequestContext) throws -> Model.ID {
    let text = try context.parameters.require("id")
    guard let id = Model.ID(text.removingPercentEncoding ?? text) else {
      throw HTTPError(.notFound)
    }
    return id
  }

  private func json(_ model: Model?) throws -> JSONValue {
    guard let model else { throw HTTPError(.notFound) }
    return try Model.json.json(of: model)
  }
}
