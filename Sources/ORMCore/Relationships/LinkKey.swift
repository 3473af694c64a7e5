internal import FoundationEssentials
internal import ORMStorage

/// The key of a link's target as other programs read it: a scalar, or an object of the parts of a
/// composite key by their names.
struct LinkKey<Target: PrimaryKeyed>: Codable {
  let id: Target.ID

  init(_ id: Target.ID) { self.id = id }

  init(from decoder: any Decoder) throws {
    let key = Target.entity.keyAttributes
    let types = key.map(\.type.kind)
    if types.count == 1 {
      let container = try decoder.singleValueContainer()
      id = try Target.ID(keyValues: [
        try StoredValue(scalar: types[0]) { try container.decode($0) }
      ])
    } else {
      let container = try decoder.container(keyedBy: PartName.self)
      id = try Target.ID(
        keyValues: key.map { part in
          try StoredValue(scalar: part.type.kind) {
            try container.decode($0, forKey: PartName(stringValue: part.name))
          }
        })
    }
  }

  func encode(to encoder: any Encoder) throws {
    let values = try id.keyValues()
    if values.count == 1 {
      var container = encoder.singleValueContainer()
      try values[0].encodeScalar { try container.encode($0) }
    } else {
      var container = encoder.container(keyedBy: PartName.self)
      for (name, value) in zip(Target.entity.declared.key, values) {
        try value.encodeScalar { try container.encode($0, forKey: PartName(stringValue: name)) }
      }
    }
  }

  private struct PartName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension StoredValue {
  /// A scalar of a kind, which `decode` reads as the type that it is given.
  fileprivate init(
    scalar kind: AttributeType.Kind, _ decode: (any Decodable.Type) throws -> any Decodable
  ) throws {
    func read<Value: AttributeValue & Decodable>(_ type: Value.Type) throws -> StoredValue {
      guard let value = try decode(type) as? Value else { throw Self.unexpected("a \(type)") }
      return value.storedValue
    }
    switch kind {
    case .bool: self = try read(Bool.self)
    case .int: self = try read(Int64.self)
    case .unsigned: self = try read(UInt64.self)
    case .double: self = try read(Double.self)
    case .string: self = try read(String.self)
    case .data: self = try read(Data.self)
    case .date: self = try read(Date.self)
    case .uuid: self = try read(UUID.self)
    case .decimal: self = try read(Decimal.self)
    case .array, .json: throw Self.unexpected("a scalar")
    }
  }

  /// Hands the value to `encode` in its own type.
  fileprivate func encodeScalar(_ encode: (any Encodable) throws -> Void) throws {
    switch self {
    case .bool(let value): try encode(value)
    case .int(let value): try encode(value)
    case .uint(let value): try encode(value)
    case .double(let value): try encode(value)
    case .string(let value): try encode(value)
    case .data(let value): try encode(value)
    case .date(let value): try encode(value)
    case .uuid(let value): try encode(value)
    case .decimal(let value): try encode(value)
    case .null, .array, .json: throw Self.unexpected("a scalar")
    }
  }
}

// The code that the compiler makes for a Codable model calls these instead of the functions of the
// standard library: a link that is not loaded is left out, and null means that there is no target.

extension KeyedEncodingContainer {
  /// Encodes a to-one as its target's key, or null for no target; leaves out one that is not loaded.
  public mutating func encode<Target: PrimaryKeyed>(_ link: ToOne<Target>, forKey key: Key) throws {
    if !link.isUnknown { try encodeValue(link, forKey: key) }
  }

  /// Encodes a to-many as the array of its targets' keys; leaves out one that is not loaded.
  public mutating func encode<Target: PrimaryKeyed>(
    _ links: ToMany<Target>, forKey key: Key
  ) throws {
    if case .notLoaded = links.state { return }
    try encodeValue(links, forKey: key)
  }

  private mutating func encodeValue<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encode(value, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a to-one from its target's key; null is no target, and a missing value is a link that
  /// is not loaded.
  public func decode<Target: PrimaryKeyed>(
    _ type: ToOne<Target>.Type, forKey key: Key
  ) throws -> ToOne<Target> {
    if let link = try valueIfPresent(type, forKey: key) { return link }
    return contains(key) ? nil : .notLoaded
  }

  /// Decodes a to-many from an array of keys; null and a missing value are links that are not
  /// loaded.
  public func decode<Target: PrimaryKeyed>(
    _ type: ToMany<Target>.Type, forKey key: Key
  ) throws -> ToMany<Target> {
    try valueIfPresent(type, forKey: key) ?? .notLoaded
  }

  private func valueIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    try decodeIfPresent(type, forKey: key)
  }
}
