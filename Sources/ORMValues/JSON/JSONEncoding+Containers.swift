/// The members of an object that is being encoded.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) throws {
    node.set(.text("null"), for: key.stringValue)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let fragment = try JSONEncoding.fragment(of: value, at: JSONPath(codingPath, key))
    node.set(fragment, for: key.stringValue)
  }

  private func nested(_ kind: JSONNode.Kind, _ key: Key) -> JSONNode {
    let inner = JSONNode(kind)
    inner.checkDepth(of: JSONPath(codingPath, key))
    node.set(.node(inner), for: key.stringValue)
    return inner
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(
      JSONKeyedEncoding<NestedKey>(node: nested(.object, key), codingPath: codingPath + [key]))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    JSONUnkeyedEncoding(node: nested(.array, key), codingPath: codingPath + [key])
  }

  func superEncoder() -> any Encoder { superEncoder(JSONPathKey.superclass) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

  private func superEncoder(_ key: any CodingKey) -> any Encoder {
    let encoder = JSONEncoding(at: JSONPath(codingPath, key))
    node.set(.encoder(encoder), for: key.stringValue)
    return encoder
  }
}

/// The elements of an array that is being encoded.
struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]

  var count: Int { node.elements.count }

  private var next: JSONPath { JSONPath(codingPath, index: count) }

  func encodeNil() throws { node.elements.append(.text("null")) }

  func encode<T: Encodable>(_ value: T) throws {
    node.elements.append(try JSONEncoding.fragment(of: value, at: next))
  }

  private func nested(_ kind: JSONNode.Kind) -> (JSONNode, [any CodingKey]) {
    let path = next
    let inner = JSONNode(kind)
    inner.checkDepth(of: path)
    node.elements.append(.node(inner))
    return (inner, path.keys)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let (inner, path) = nested(.object)
    return KeyedEncodingContainer(JSONKeyedEncoding<NestedKey>(node: inner, codingPath: path))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let (inner, path) = nested(.array)
    return JSONUnkeyedEncoding(node: inner, codingPath: path)
  }

  func superEncoder() -> any Encoder {
    let encoder = JSONEncoding(at: next)
    node.elements.append(.encoder(encoder))
    return encoder
  }
}
