/// A JSON value that is being encoded.
enum JSONFragment {
  /// A scalar or a whole value, as text.
  case text(String)
  /// A string that is not escaped yet.
  case string(String)
  /// An array or object that may still grow.
  case node(JSONNode)
  /// A nested encoder, whose result is read when the value is written.
  case encoder(JSONEncoding)

  /// Writes the value, members in the order of their names' bytes.
  func write(to writer: inout JSONWriter) throws {
    switch self {
    case .text(let text): writer.literal(text)
    case .string(let text): writer.string(text)
    case .encoder(let encoder): try encoder.result.write(to: &writer)
    case .node(let node):
      if let fault = node.fault { throw fault }
      switch node.kind {
      case .array:
        writer.beginArray()
        for element in node.elements { try element.write(to: &writer) }
      case .object:
        writer.beginObject()
        for (name, value) in node.sortedMembers {
          writer.key(name)
          try value.write(to: &writer)
        }
      }
      writer.end()
    }
  }
}

/// An array or object that is being encoded.
final class JSONNode {
  enum Kind {
    case array
    case object
  }

  let kind: Kind
  var elements: [JSONFragment] = []
  private var members: [(name: String, value: JSONFragment)] = []
  /// The error that a container function found and could not throw.
  var fault: StoreError?

  init(_ kind: Kind) {
    self.kind = kind
  }

  func set(_ value: JSONFragment, for name: String) {
    members.append((name, value))
  }

  /// The members in the order of their names' bytes; of several alike the last.
  var sortedMembers: [(name: String, value: JSONFragment)] {
    let order = members.indices.sorted { a, b in
      let names = ByteOrder.compare(members[a].name, members[b].name)
      return names == .less || (names == .equal && a < b)
    }
    return order.enumerated().compactMap { position, index in
      let next = position + 1 < order.count ? members[order[position + 1]].name : nil
      let isRepeated = next.map { ByteOrder.areEqual($0, members[index].name) } ?? false
      return isRepeated ? nil : members[index]
    }
  }
}

/// The encoder that one value sees.
final class JSONEncoding: Encoder {
  let codingPath: [any CodingKey]
  private var fragment: JSONFragment?

  init(at path: JSONPath) {
    codingPath = path.keys
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The fragment that the value encoded; an empty object if it encoded nothing.
  var result: JSONFragment { fragment ?? .node(JSONNode(.object)) }

  /// The node of this encoder; one more container of the same kind goes on with it.
  private func node(_ kind: JSONNode.Kind) -> JSONNode {
    if case .node(let node) = fragment, node.kind == kind { return node }
    let node = JSONNode(kind)
    node.checkDepth(of: JSONPath(codingPath))
    if fragment != nil { node.fault = encodedTwice }
    fragment = .node(node)
    return node
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedEncoding<Key>(node: node(.object), codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    JSONUnkeyedEncoding(node: node(.array), codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Encodes a value as a JSON fragment.
  static func fragment<T: Encodable>(
    of value: T, at path: JSONPath
  ) throws -> JSONFragment {
    if let special = value as? any JSONRepresentable,
      let fragment = try special.jsonFragment(at: path)
    {
      return fragment
    }
    // Each level is a few frames deep, so a value that holds itself must be stopped on the way.
    if path.count > JSONParser.maximumDepth { throw tooDeep }
    let encoder = JSONEncoding(at: path)
    try value.encode(to: encoder)
    return encoder.result
  }

  private func checkUnused() throws {
    if fragment != nil { throw encodedTwice }
  }

  private var encodedTwice: StoreError {
    StoreError(
      .invalidValue,
      "a value encodes itself both as a container and as a single value at \(JSONPath(codingPath))")
  }

  static let tooDeep = StoreError(
    .invalidValue,
    "more than \(JSONParser.maximumDepth) nested objects and arrays cannot be written as JSON")
}

extension JSONNode {
  /// Notes a fault when this node would lie deeper than a parser reads.
  func checkDepth(of path: JSONPath) {
    if path.count >= JSONParser.maximumDepth { fault = JSONEncoding.tooDeep }
  }
}

extension JSONEncoding: SingleValueEncodingContainer {
  func encodeNil() throws {
    try checkUnused()
    fragment = .text("null")
  }

  func encode<T: Encodable>(_ value: T) throws {
    try checkUnused()
    fragment = try Self.fragment(of: value, at: JSONPath(codingPath))
  }
}
