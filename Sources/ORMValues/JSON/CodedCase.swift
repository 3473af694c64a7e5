/// A case of an enumeration in the form that a synthesized `Encodable` gives it: one member named after the
/// case, whose object holds the associated values.
///
/// A synthesized `Decodable` has a type of coding keys for each case. At the first use of such a type in a
/// process, the runtime searches every conformance that is loaded. This reader has one type for all.
struct CodedCase {
  /// The name of the case.
  let name: String
  private let path: [any CodingKey]
  private let values: KeyedDecodingContainer<Key>

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads the name of a case.
  ///
  /// - Throws: `DecodingError` for a value that is not an object with one member, an object.
  init(from decoder: any Decoder) throws {
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
  func value<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try values.decode(type, forKey: Key(stringValue: "_0"))
  }

  /// The error for a case that the type does not have.
  var isUnknown: DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: "there is no case \(name)"))
  }
}
