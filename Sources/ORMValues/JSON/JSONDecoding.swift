/// The decoder that one value sees.
struct JSONDecoding: Decoder {
  let tree: JSONValue
  let path: JSONPath

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      JSONKeyedDecoding<Key>(members: try members(), codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    JSONUnkeyedDecoding(elements: try elements(), codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  private func members() throws -> JSONMembers {
    guard case .object(let members) = tree else { throw mismatch([String: Any].self) }
    return members
  }

  private func elements() throws -> [JSONValue] {
    guard case .array(let elements) = tree else { throw mismatch([Any].self) }
    return elements
  }

  /// The error for a value that is not of a type.
  func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "not of the type")
    if case .null = tree { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }

  /// Decodes a tree as a value of a type.
  static func value<T: Decodable>(
    of type: T.Type, in tree: JSONValue, at path: JSONPath
  ) throws -> T {
    let decoder = JSONDecoding(tree: tree, path: path)
    if let special = JSONSpecialTypes.readers[ObjectIdentifier(type)] {
      guard let value = special.init(json: tree) as? T else { throw decoder.mismatch(type) }
      return value
    }
    return try T(from: decoder)
  }
}

extension JSONDecoding: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    if case .null = tree { true } else { false }
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try Self.value(of: type, in: tree, at: path)
  }
}

/// The members of an object that is being decoded.
struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: JSONMembers
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  private func decoder(_ key: any CodingKey) throws -> JSONDecoding {
    guard let tree = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "no such member"))
    }
    return JSONDecoding(tree: tree, path: JSONPath(codingPath, key))
  }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { superDecoder(JSONPathKey.superclass) }

  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

  private func superDecoder(_ key: any CodingKey) -> any Decoder {
    JSONDecoding(tree: members[key.stringValue] ?? .null, path: JSONPath(codingPath, key))
  }
}

/// The elements of an array that is being decoded.
struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSONValue], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// The element that comes next; it counts as read once the body did not throw.
  private mutating func next<T>(_ type: Any.Type, _ body: (JSONDecoding) throws -> T) throws -> T {
    let path = JSONPath(codingPath, index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: path.keys, debugDescription: "no more elements"))
    }
    let value = try body(JSONDecoding(tree: elements[currentIndex], path: path))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = elements[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next(type) { try $0.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next(type) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try next((any Decoder).self) { $0 }
  }
}
