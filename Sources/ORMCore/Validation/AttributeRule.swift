internal import ORMStorage

/// A rule of one attribute before the attribute's name is known.
package struct AttributeRule: Sendable {
  /// The name of the rule.
  let name: String
  /// The condition that must hold for the attribute if it is not nil.
  let condition: @Sendable (Operand) -> Condition
  /// The message reported if the condition does not hold.
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

/// A check of one attribute by code, for rules that a condition cannot express.
package struct AttributeCheck<Model>: Sendable {
  /// The attribute, by its name in the program.
  package let attribute: String
  /// The message reported if the check fails.
  package let message: String
  /// True if it holds for an object.
  package let holds: @Sendable (Model) -> Bool
}
