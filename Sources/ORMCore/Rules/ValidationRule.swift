/// A rule that every row of an entity keeps: a condition on its attributes, with a name and a
/// sentence for a person.
///
/// It is kept with the schema, so that tools which know no Swift type keep it as well. Stores have
/// no part in it: it is checked above them, on every path that writes.
public struct ValidationRule: Hashable, Codable, Sendable {
  /// The name: `range`, `length`, `matches`, or what the entity calls it.
  public var name: String
  /// The attributes concerned, by their names in the program.
  public var attributes: [String]
  /// What must hold, as a predicate format over the entity's own attributes.
  public var format: String
  /// What is told when it does not hold: "must be at least 0".
  public var message: String

  /// Makes a rule of texts.
  public init(_ name: String, attributes: [String], format: String, message: String) {
    self.name = name
    self.attributes = attributes
    self.format = format
    self.message = message
  }

  /// The condition that must hold.
  ///
  /// - Throws: what ``FormatParser`` throws.
  package func condition(for entity: FormatEntity) throws -> Condition {
    var parser = try FormatParser(format, for: entity)
    return try parser.condition()
  }
}

/// A rule of one attribute before the attribute's name is known.
package struct AttributeRule: Sendable {
  /// The name of the rule.
  let name: String
  /// What must hold of the attribute, where it is not nil.
  let condition: @Sendable (Operand) -> Condition
  /// What is told when it does not hold.
  let message: String

  /// The rule of an attribute; nil breaks none.
  func rule(of attribute: String, isOptional: Bool) -> ValidationRule {
    let operand = Operand.attribute(attribute)
    let condition = condition(operand)
    let whole: Condition =
      isOptional ? .any([.compare(operand, .equal, .value(.null), []), condition]) : condition
    return ValidationRule(
      name, attributes: [attribute], format: whole.description, message: message)
  }
}

/// A check of one attribute by code: what a condition cannot say.
package struct AttributeCheck<Model>: Sendable {
  /// The attribute, by its name in the program.
  package let attribute: String
  /// What is told when it does not hold.
  package let message: String
  /// Whether it holds for an object.
  package let holds: @Sendable (Model) -> Bool
}
