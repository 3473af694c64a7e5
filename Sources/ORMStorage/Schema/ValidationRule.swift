internal import ORMValues

/// A rule that every row of an entity keeps: a condition on its attributes, with a name and a
/// sentence for a person.
///
/// It is stored with the schema, so that tools which know no Swift type keep it as well. Stores
/// have no part in it: it is checked above them, on every path that writes.
public struct ValidationRule: Hashable, Codable, Sendable {
  /// The name: `range`, `length`, `matches`, or a name that the entity gives.
  public var name: String
  /// The attributes concerned, by their names in the program.
  public var attributes: [String]
  /// The condition that must hold, as a predicate format over the entity's own attributes.
  public var format: String
  /// The message of the error when it does not hold: "must be at least 0".
  public var message: String

  /// Makes a rule of texts.
  public init(_ name: String, attributes: [String], format: String, message: String) {
    self.name = name
    self.attributes = attributes
    self.format = format
    self.message = message
  }

  /// Returns whether two rules are the same; their texts are compared by scalars.
  public static func == (a: ValidationRule, b: ValidationRule) -> Bool {
    a.name == b.name && a.attributes == b.attributes && a.format.hasSameScalars(as: b.format)
      && a.message.hasSameScalars(as: b.message)
  }
}
