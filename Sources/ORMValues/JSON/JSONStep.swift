/// One step of a path into a JSON value.
public enum JSONStep: Hashable, Codable, Sendable {
  /// The member of an object with this name.
  case key(String)
  /// The element of an array at this position, from 0.
  case index(Int)
}

extension JSONStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// A member's name.
  public init(stringLiteral value: String) { self = .key(value) }
  /// A position.
  public init(integerLiteral value: Int) { self = .index(value) }
}
