internal import FoundationEssentials
internal import ORMStorage

/// The rules between a model's Swift type and its entity, checked when a schema is built.
enum ModelCheck {
  /// Every broken rule.
  static func failures(of model: any Persistable.Type) -> [StoreError] {
    (model as? any PrimaryKeyed.Type).map { keyFailures(of: $0) } ?? []
  }

  /// The key's type and the entity's key attributes must be the same thing.
  private static func keyFailures<Model: PrimaryKeyed>(of model: Model.Type) -> [StoreError] {
    let entity = Model.entity.description
    func failure(_ message: String, _ attributes: [String] = []) -> StoreError {
      StoreError(.invalidSchema, message, entity: entity.name, attributes: attributes)
    }
    if entity.key.isEmpty {
      return [
        failure(
          "the model conforms to PrimaryKeyed, but its entity declares no key")
      ]
    }
    if let type = Model.ID.self as? any AttributeValue.Type {
      guard entity.key.count == 1, let position = entity.position(of: entity.key[0]) else {
        return [
          failure(
            "the entity declares a key of several attributes, but the model's ID is "
              + "\(Model.ID.self), a single value")
        ]
      }
      let declared = entity.attributes[position].type
      return type.attributeType == declared
        ? []
        : [
          failure(
            "the key attribute is declared as \(declared), which the model's ID, \(Model.ID.self), "
              + "is not", [entity.key[0]])
        ]
    }
    guard let type = Model.ID.self as? any CompositeKey.Type,
      let probe = KeyProbe.values(of: type)
    else { return [] }
    let known = Dictionary(probe.parts, uniquingKeysWith: { first, _ in first })
    if probe.keyValues == Model.entity.keyParts.map({ known[$0.part] ?? .null }) { return [] }
    let names = probe.parts.map(\.0).joined(separator: ", ")
    return [
      failure("the key must list the attributes of \(type) in their order: \(names)", entity.key)
    ]
  }
}

/// Finds out which of a composite key's values is which part, by decoding one from made-up values,
/// each another.
private final class KeyProbe: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private var parts: [(String, StoredValue)] = []
  /// The names of the keys around the one that is decoded, with underscores after them.
  private var prefix = ""

  /// The parts by name, and the values in the key's own order; nil for a key that takes no made-up
  /// values, or does not decode by names.
  static func values(
    of type: any CompositeKey.Type
  ) -> (parts: [(String, StoredValue)], keyValues: [StoredValue])? {
    let decoder = KeyProbe()
    guard let values = try? type.init(from: decoder).keyValues() else { return nil }
    return (decoder.parts, values)
  }

  private struct Unsuited: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsuited() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unsuited() }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: KeyProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      if let inner = type as? any CompositeKey.Type {
        let outer = decoder.prefix
        decoder.prefix = "\(outer)\(key.stringValue)_"
        defer { decoder.prefix = outer }
        guard let value = try inner.init(from: decoder) as? T else { throw Unsuited() }
        return value
      }
      guard let attribute = type as? any AttributeValue.Type else { throw Unsuited() }
      let stored = StoredValue.madeUp(decoder.parts.count, attribute.attributeType)
      decoder.parts.append((decoder.prefix + key.stringValue, stored))
      guard let value = try attribute.init(storedValue: stored) as? T else { throw Unsuited() }
      return value
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw Unsuited() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw Unsuited()
    }
    func superDecoder() throws -> any Decoder { throw Unsuited() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unsuited() }
  }
}

extension StoredValue {
  /// A value of a type, another for each number; null for types that are no keys.
  fileprivate static func madeUp(_ number: Int, _ type: AttributeType) -> StoredValue {
    switch type.kind {
    case .bool: .bool(!number.isMultiple(of: 2))
    case .int, .unsigned: .int(Int64(number))
    case .double: .double(Double(number))
    case .string: .string("\(number)")
    case .data: .data(Data([UInt8(truncatingIfNeeded: number)]))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .uuid: .uuid(UUID())
    case .decimal: .decimal(Decimal(number))
    case .array, .json: .null
    }
  }
}
