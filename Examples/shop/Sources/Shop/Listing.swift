import Foundation
import Hummingbird
import ORMExchange

/// A list that clients filter, sort and page through, by names that are declared here.
///
/// `/items?price.lt=3&tag=sweet&sort=-price,name&limit=20` is answered with the rows, and with the
/// address of the next page, which has a cursor.
struct Listing<Model: JSONMapped & PrimaryKeyed>: Sendable {
  /// The rows, and what is loaded with them.
  var query = Model.all
  /// The names that clients may use, each with the part of a condition that it stands for.
  ///
  /// A name that is missing here cannot be asked for, so no condition reaches an attribute that is not
  /// shown.
  let names: [String: String]

  private static var operators: [String: String] {
    [
      "not": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
      "prefix": "BEGINSWITH[c]", "contains": "CONTAINS[c]",
    ]
  }

  func page(for request: Request, in store: any Store) async throws -> Response {
    guard var address = URLComponents(string: request.uri.string) else {
      throw HTTPError(.badRequest, message: "the address cannot be read")
    }
    let parameters = address.queryItems ?? []
    var query = self.query.limit(20)
    for parameter in parameters {
      let text = parameter.value ?? ""
      switch parameter.name {
      case "limit":
        guard let limit = Int(text), (1...100).contains(limit) else {
          throw HTTPError(.badRequest, message: "limit is a number from 1 to 100")
        }
        query = query.limit(limit)
      case "after": query = try query.after(QueryCursor(text: text))
      case "sort": query = try query.sorted(by: sort(text))
      default: query = try query.where(filter(parameter.name, text))
      }
    }
    let page = try await store.fetchPage(query)
    var body: JSONValue = ["rows": try Model.json.json(of: page.rows)]
    if page.hasMore, let end = page.end {
      address.queryItems =
        parameters.filter { $0.name != "after" } + [URLQueryItem(name: "after", value: end.text)]
      body["next"] = address.string.map { .string($0) } ?? .null
    }
    return Response(body)
  }

  /// Makes a filter of a parameter such as `price.lt=3`, which is checked against the schema.
  ///
  /// A value is a number, a truth value or a text: the first that the attribute's type admits.
  private func filter(_ parameter: String, _ text: String) throws -> Filter<Model> {
    let words = parameter.split(separator: ".", maxSplits: 1).map(String.init)
    let comparison = words.count == 2 ? Self.operators[words[1]] : "=="
    guard let name = words.first, let path = names[name], let comparison else {
      throw unknown(parameter)
    }
    let format = "\(path) \(comparison) %@"
    if let number = Int64(text) {
      if let filter = try? Filter<Model>(format: format, number) { return filter }
    } else if let number = Double(text) {
      if let filter = try? Filter<Model>(format: format, number) { return filter }
    } else if let truth = Bool(text) {
      if let filter = try? Filter<Model>(format: format, truth) { return filter }
    }
    return try Filter(format: format, text)
  }

  /// Makes an order of a text such as `-price,name`.
  private func sort(_ text: String) throws -> Sort<Model> {
    for term in text.split(separator: ",") {
      let name = term.hasPrefix("-") ? term.dropFirst() : term
      guard names[String(name)] == String(name) else { throw unknown(String(name)) }
    }
    return try Sort(format: text)
  }

  private func unknown(_ name: String) -> HTTPError {
    HTTPError(
      .badRequest,
      message: """
        \(name) is no parameter; there are \(names.keys.sorted().joined(separator: ", ")), each with \
        .\(Self.operators.keys.sorted().joined(separator: ", .")), and limit, sort, after
        """)
  }
}
