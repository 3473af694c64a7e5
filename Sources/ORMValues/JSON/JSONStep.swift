/// One step of a path into a JSON value.
public enum JSONStep: Hashable, Codable, Sendable {
  /// The member of an object with this name.
  case key(String)
  /// The element of an array at this position, from 0.
  case index(Int)
}

extension JSONStep {
  /// Returns whether two steps lead to the same member or element; names are compared by scalars.
  public static func == (a: JSONStep, b: JSONStep) -> Bool {
    switch (a, b) {
    case (.key(let a), .key(let b)): ByteOrder.areEqual(a, b)
    case (.index(let a), .index(let b)): a == b
    default: false
    }
  }

  /// Feeds the position, or the scalars of the name.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .key(let name):
      hasher.combine(0)
      ByteOrder.hash(name, into: &hasher)
    case .index(let position):
      hasher.combine(1)
      hasher.combine(position)
    }
  }
}

extension JSONStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// A member's name.
  public init(stringLiteral value: String) { self = .key(value) }
  /// A position.
  public init(integerLiteral value: Int) { self = .index(value) }
}

extension JSONStep {
  /// Reads a step in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no step.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "key": self = .key(try coded.value())
    case "index": self = .index(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the step as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .key(let name): try CodedCase.encode("key", name, to: encoder)
    case .index(let position): try CodedCase.encode("index", position, to: encoder)
    }
  }
}
