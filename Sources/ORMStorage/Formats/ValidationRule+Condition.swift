extension ValidationRule {
  /// The condition that must hold.
  ///
  /// - Throws: the errors of ``FormatParser``.
  package func condition(for entity: FormatEntity) throws -> Condition {
    var parser = try FormatParser(format, for: entity)
    return try parser.condition()
  }
}
