internal import ORMStorage

/// Collects the attributes of an Encodable by the names of its coding keys.
final class RowEncoding: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// The position of each name; nil when names are taken as they come.
  private let names: [String: Int]?
  private let attributes: [AttributeDescription]
  /// The positions of each relationship's key.
  private let links: [String: [Int]]
  /// The embedded structs.
  private let embedded: [EmbeddedStruct]
  private(set) var values: [StoredValue]
  /// The types of the parts of a composite key; empty for a model.
  private var types: [AttributeType] = []

  private init(
    names: [String: Int]?, attributes: [AttributeDescription] = [], links: [String: [Int]] = [:],
    embedded: [EmbeddedStruct] = []
  ) {
    self.embedded = embedded
    self.names = names
    self.links = links
    self.attributes = attributes
    values = Array(repeating: .null, count: attributes.count)
  }

  /// The values of a model, by the positions of its attributes.
  static func encode<Model: Encodable>(
    _ model: Model, names: [String: Int], attributes: [AttributeDescription],
    links: [String: [Int]] = [:], embedded: [EmbeddedStruct] = []
  ) throws -> [StoredValue] {
    let encoding = RowEncoding(
      names: names, attributes: attributes, links: links, embedded: embedded)
    try model.encode(to: encoding)
    return encoding.values
  }

  /// The values of a composite key, in the order its properties are encoded.
  static func keyValues<Key: Encodable>(of key: Key) throws -> [StoredValue] {
    try typedKeyValues(of: key).values
  }

  /// The values of a composite key with the types of its properties: a small unsigned integer is of
  /// the same kind as a signed one.
  static func typedKeyValues<Key: Encodable>(
    of key: Key
  ) throws -> (values: [StoredValue], types: [AttributeType]) {
    let encoding = RowEncoding(names: nil)
    try key.encode(to: encoding)
    return (encoding.values, encoding.types)
  }

  func set(
    _ value: StoredValue, as type: AttributeType? = nil, for key: any CodingKey
  ) throws {
    guard let names else {
      values.append(value)
      types.append(type ?? value.kind?.widestType ?? .int64)
      return
    }
    // A property that is no attribute is transient.
    if let position = names[key.stringValue] { values[position] = value }
  }

  /// Sets a value of a type that is an attribute by itself.
  func set<Value: AttributeValue & Encodable>(plain value: Value, for key: any CodingKey) throws {
    if isJSON(key) { return try set(encoded: value, for: key) }
    try set(value.storedValue, as: Value.attributeType, for: key)
  }

  /// Returns whether the entity stores the property as JSON, even if its type could be stored as another
  /// kind.
  private func isJSON(_ key: any CodingKey) -> Bool {
    guard let position = names?[key.stringValue] else { return false }
    return attributes[position].type == .json
  }

  // One code for all types: plain attributes come here only if they are stored as JSON.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func set<Value: Encodable>(encoded value: Value, for key: any CodingKey) throws {
    if let columns = links[key.stringValue], let link = value as? any LinkValue {
      // A key that lives with the target may not be known yet.
      if columns.isEmpty { return }
      for (column, part) in zip(columns, try link.keyInRow() ?? []) { values[column] = part }
      return
    }
    if let part = embedded.first(where: { $0.name == key.stringValue }) {
      // An optional without a value is no struct, and leaves its columns null.
      guard let value = value as? any Persistable else { return }
      values.replaceSubrange(part.columns, with: try EmbeddedMapping.values(of: value, at: part))
      return
    }
    if isJSON(key), !(value is any AttributeCodec) {
      do {
        try set(.json(JSONCoding.encode(value)), for: key)
      } catch let error as StoreError {
        throw error.filling(attributes: [key.stringValue])
      }
    } else if let attribute = value as? any AttributeValue {
      try set(attribute.storedValue, as: type(of: attribute).attributeType, for: key)
    } else if let composite = value as? any CompositeKey {
      try composite.encode(to: self)
    } else if let names, names[key.stringValue] != nil {
      throw StoreError(
        .invalidValue, "a \(Value.self) cannot be stored as an attribute; declare it with `.json`",
        attributes: [key.stringValue])
    } else if names == nil {
      throw StoreError(
        .invalidValue,
        "every part of a composite key must be a scalar", attributes: [key.stringValue])
    }
  }

  /// Sets a value that may be nil, which a model leaves null and no key can have.
  fileprivate func set<Value: Encodable>(present value: Value?, for key: any CodingKey) throws {
    if let value { try set(encoded: value, for: key) } else { try setNothing(for: key) }
  }

  /// Sets a value, of a type that is an attribute by itself, that may be nil.
  fileprivate func set(
    presentPlain value: (some AttributeValue & Encodable)?, for key: any CodingKey
  ) throws {
    if let value { try set(plain: value, for: key) } else { try setNothing(for: key) }
  }

  private func setNothing(for key: any CodingKey) throws {
    guard names == nil else { return }
    throw StoreError(
      .missingValue, "a part of the primary key is not set", attributes: [key.stringValue])
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedRowEncoding(encoding: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingContainer(encoder: self)
  }

}

/// The properties of a model, or the parts of a key, that are encoded into a row.
private struct KeyedRowEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoding: RowEncoding
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try encoding.set(.null, for: key) }
  func encode(_ value: Bool, forKey key: Key) throws { try encoding.set(plain: value, for: key) }
  func encode(_ value: String, forKey key: Key) throws {
    try encoding.set(plain: value, for: key)
  }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try encoding.set(encoded: value, for: key)
  }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    try encoding.set(present: value, for: key)
  }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { encoding.container(keyedBy: keyType) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoding.unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoding }
  func superEncoder(forKey key: Key) -> any Encoder { encoding }
}

// The types for which the standard library's containers have functions of their own.
extension KeyedRowEncoding {
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    try encoding.set(presentPlain: value, for: key)
  }
}

/// The container of a model that does not encode itself by keys: every use is refused.
private struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let encoder: any Encoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  private var refusal: StoreError {
    StoreError(.invalidValue, "a model must encode itself into a keyed container")
  }
  func encodeNil() throws { throw refusal }
  func encode<T: Encodable>(_ value: T) throws { throw refusal }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: keyType) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { encoder }
}
