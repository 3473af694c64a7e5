package import ORMValues

extension QueryTemplate {
  /// The variable that stands for the object whose fetched property is asked.
  package static let source = "FETCH_SOURCE"

  /// A parsed template.
  struct Parts: Sendable {
    var condition: Condition
    var order: [SortTerm]
    /// The names of the variables.
    var names: Set<ExactText>
  }

  /// The condition and the order, with values for variables.
  ///
  /// - Throws: the errors of ``FormatParser``; `invalidCondition` for a value whose name is no variable
  ///   of the template.
  package func parsed(
    for entity: FormatEntity, source: FormatEntity? = nil,
    values: [ExactText: FormatVariable] = [:]
  ) throws -> (condition: Condition, order: [SortTerm]) {
    let parts = try parts(for: entity, source: source, values: values)
    return (parts.condition, parts.order)
  }

  /// The parts of the template, with values for variables, or with slots instead of them.
  ///
  /// - Throws: as ``parsed(for:source:values:)`` does, and `FormatSlots.Unsuitable`.
  func parts(
    for entity: FormatEntity, source: FormatEntity? = nil,
    values: [ExactText: FormatVariable] = [:], slots: FormatSlots? = nil
  ) throws -> Parts {
    var known: Set<ExactText> = []
    var condition = Condition.constant(true)
    if let format {
      var parser = try FormatParser(format, for: entity, values: values)
      parser.origin = source
      parser.slots = slots
      condition = try parser.condition()
      known.formUnion(parser.variableNames)
    }
    var terms: [SortTerm] = []
    if let order {
      var parser = try FormatParser(order, for: entity, values: values)
      parser.origin = source
      parser.slots = slots
      terms = try parser.order()
      known.formUnion(parser.variableNames)
    }
    let given = values.keys.sorted().map(\.text).filter { !$0.hasPrefix(Self.source) }
    for name in given where !known.contains(name) {
      throw StoreError(
        .invalidCondition,
        "\(self.name) has no variable $\(name)"
          + FormatSuggestion.text(for: name, among: known.sorted().map(\.text)), entity: entity.name
      )
    }
    return Parts(condition: condition, order: terms, names: known)
  }
}
