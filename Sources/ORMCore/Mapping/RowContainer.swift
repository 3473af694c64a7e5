internal import ORMStorage

/// The properties of a model that is decoded from a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { (try? decoder.has(key.stringValue)) ?? false }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder.isNil(key.stringValue) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.decode(type, key.stringValue)
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try decoder.decodeIfPresent(type, key.stringValue)
  }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { try decoder.container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowDecoder.refusal
  }
  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

// The types for which the standard library's containers have functions of their own.
extension RowContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decoder.decode(plain: type, key.stringValue)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try decoder.decodeIfPresent(plain: type, key.stringValue)
  }
}
