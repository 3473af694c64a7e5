/// Gives a Decodable its attributes by the names of its coding keys.
struct RowDecoding: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private let values: [StoredValue]
  private let names: Names
  /// Of each relationship, the positions of its key.
  private var links: [String: [Int]] = [:]
  /// The embedded structs.
  private var embedded: [EmbeddedPlace] = []
  /// The attributes that name a fallback, by their positions.
  private var fallbacks: [Int: AttributeDescription] = [:]

  /// How a coding key finds its value.
  private enum Names {
    case table([String: Int])
    /// In the order in which keys are first asked for.
    case order(OrderOfAsking)
  }

  private final class OrderOfAsking {
    var positions: [String: Int] = [:]
  }

  /// A model from its values, by the positions of its attributes.
  static func decode<Model: Decodable>(
    _ type: Model.Type, from values: [StoredValue], names: [String: Int],
    links: [String: [Int]] = [:], embedded: [EmbeddedPlace] = [],
    fallbacks: [Int: AttributeDescription] = [:]
  ) throws -> Model {
    try Model(
      from: RowDecoding(
        values: values, names: .table(names), links: links, embedded: embedded,
        fallbacks: fallbacks))
  }

  /// A composite key from its values, in the order its properties are decoded.
  static func key<Key: Decodable>(_ type: Key.Type, from values: [StoredValue]) throws -> Key {
    try Key(from: RowDecoding(values: values, names: .order(OrderOfAsking())))
  }

  private func position(of key: any CodingKey) -> Int? {
    switch names {
    case .table(let table): return table[key.stringValue]
    case .order(let order):
      if let known = order.positions[key.stringValue] { return known }
      let position = order.positions.count
      guard position < values.count else { return nil }
      order.positions[key.stringValue] = position
      return position
    }
  }

  fileprivate func value(for key: any CodingKey) throws -> StoredValue {
    guard let position = position(of: key) else {
      throw StoreError(
        .decoding, "the model decodes a property that is no attribute of its entity",
        attributes: [key.stringValue])
    }
    return values[position]
  }

  fileprivate func has(_ key: any CodingKey) -> Bool {
    position(of: key) != nil || links[key.stringValue] != nil || place(of: key) != nil
  }

  private func place(of key: any CodingKey) -> EmbeddedPlace? {
    embedded.first { $0.name == key.stringValue }
  }

  /// Whether the property is nil; a link never is, but may lead nowhere.
  fileprivate func isNil(_ key: any CodingKey) throws -> Bool {
    if links[key.stringValue] != nil { return false }
    if let place = place(of: key), !place.isOptional { return false }
    return try value(for: key).isNull
  }

  fileprivate func decode<T: Decodable>(_ type: T.Type, for key: any CodingKey) throws -> T {
    if type is any CompositeKey.Type { return try T(from: self) }
    if let columns = links[key.stringValue], let link = type as? any LinkValue.Type {
      let decoded = try link.decoded(fromKey: columns.isEmpty ? nil : columns.map { values[$0] })
      guard let value = decoded as? T else { throw StoredValue.unexpected("a \(type)") }
      return value
    }
    if let place = place(of: key) {
      guard let value = try EmbeddedMapping.value(of: place, from: values) as? T else {
        throw StoredValue.unexpected("a \(type)")
      }
      return value
    }
    let stored = try value(for: key)
    do {
      let attribute = type as? any AttributeValue.Type
      if case .json(let text) = stored, attribute?.attributeType != .json {
        return try JSONCoding.decode(type, from: text)
      }
      if let attribute {
        let fallback = fallbacks.isEmpty ? nil : position(of: key).flatMap { fallbacks[$0] }
        guard let value = try attribute.init(stored, orFallback: fallback?.fallback) as? T else {
          throw StoredValue.unexpected("a \(type)")
        }
        return value
      }
      throw StoredValue.unexpected("JSON")
    } catch let error as StoreError {
      throw error.filling(attributes: [key.stringValue])
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(decoding: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.refusal }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.refusal }

  private static var refusal: StoreError {
    StoreError(.decoding, "a model must decode itself by coding keys")
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: RowDecoding
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { decoding.has(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try decoding.isNil(key) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try decoding.decode(type, for: key)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoding.container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw RowDecoding.refusal
    }
    func superDecoder() throws -> any Decoder { decoding }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoding }
  }
}
