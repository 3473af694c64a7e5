/// A case of an enumeration in the form that a synthesized `Encodable` gives it: one member named after the
/// case, whose object holds the associated values.
///
/// A synthesized `Decodable` has a type of coding keys for each case. At the first use of such a type in a
/// process, the runtime searches every conformance that is loaded. This reader has one type for all,
/// which a program compiles once instead of some 1.5 kB for each case.
package struct CodedCase {
  /// The name of the case.
  package let name: String
  private let path: [any CodingKey]
  private let values: KeyedDecodingContainer<Key>

  /// The name of a case, or of an associated value.
  package struct Key: CodingKey, ExpressibleByStringLiteral {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init(stringLiteral name: String) { stringValue = name }
    package init?(intValue: Int) { nil }
  }

  /// The name of the first associated value, if it has no label.
  private static let only = Key(stringValue: "_0")

  /// Reads the name of a case.
  ///
  /// - Throws: `DecodingError` for a value that is not an object with one member, an object.
  package init(from decoder: any Decoder) throws {
    let cases = try decoder.container(keyedBy: Key.self)
    path = decoder.codingPath
    let keys = cases.allKeys
    guard keys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "\(keys.count) members instead of one"))
    }
    name = keys[0].stringValue
    values = try cases.nestedContainer(keyedBy: Key.self, forKey: keys[0])
  }

  /// Decodes the associated value, which has no label.
  package func value<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try values.decode(type, forKey: Self.only)
  }

  /// Decodes the associated value of a label; one without a label has its position, as `_1`.
  package func value<Value: Decodable>(_ label: Key) throws -> Value {
    try values.decode(Value.self, forKey: label)
  }

  /// Decodes the associated value of a label; nil where there is none.
  package func optional<Value: Decodable>(_ label: Key) throws -> Value? {
    try values.decodeIfPresent(Value.self, forKey: label)
  }

  /// Decodes a number that coders of JSON have no word for as a text, and any other as itself.
  func number<Value: Decodable>(_ make: (Double) -> Value) throws -> Value {
    do {
      return try value()
    } catch {
      switch try? value(as: String.self) {
      case "inf": return make(.infinity)
      case "-inf": return make(-.infinity)
      case "nan": return make(.nan)
      default: throw error
      }
    }
  }

  /// Encodes a case with its associated value.
  package static func encode(
    _ name: String, _ value: some Encodable, to encoder: any Encoder
  ) throws {
    var cases = encoder.container(keyedBy: Key.self)
    var values = cases.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: name))
    try values.encode(value, forKey: only)
  }

  /// Encodes a case with several associated values by their labels, without those that are nil.
  ///
  /// The label keeps a literal whose values are of one type from being a dictionary, which is one value.
  package static func encode(
    _ name: String, parts: KeyValuePairs<Key, (any Encodable)?>, to encoder: any Encoder
  ) throws {
    var cases = encoder.container(keyedBy: Key.self)
    var values = cases.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: name))
    for (label, part) in parts {
      if let part { try values.encode(part, forKey: label) }
    }
  }

  /// Encodes a case with a number.
  ///
  /// Coders other than the library's own refuse a number that is not finite, which is a text in theirs.
  static func encode(
    _ name: String, _ value: some Encodable, number: Double, to encoder: any Encoder
  ) throws {
    if number.isFinite || encoder is JSONEncoding {
      try encode(name, value, to: encoder)
    } else {
      try encode(name, number.isNaN ? "nan" : number < 0 ? "-inf" : "inf", to: encoder)
    }
  }

  /// Encodes a case without an associated value.
  package static func encode(_ name: String, to encoder: any Encoder) {
    var cases = encoder.container(keyedBy: Key.self)
    _ = cases.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: name))
  }

  /// The error for a case that the type does not have.
  package var isUnknown: DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: "there is no case \(name)"))
  }
}
