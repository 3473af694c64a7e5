package import ORMStorage

extension QueryTemplate {
  /// The variable that stands for the object whose fetched property is asked.
  package static let source = "FETCH_SOURCE"

  /// The condition and the order, with values for variables.
  ///
  /// - Throws: what ``FormatParser`` throws; `invalidCondition` for a value whose name is no
  ///   variable of the template.
  package func parsed(
    for entity: FormatEntity, source: FormatEntity? = nil,
    values: [ExactText: FormatVariable] = [:]
  ) throws -> (condition: Condition, order: [SortTerm]) {
    var known: Set<ExactText> = []
    var condition = Condition.constant(true)
    if let format {
      var parser = try FormatParser(format, for: entity, values: values)
      parser.origin = source
      condition = try parser.condition()
      known.formUnion(parser.variableNames)
    }
    var terms: [SortTerm] = []
    if let order {
      var parser = try FormatParser(order, for: entity, values: values)
      parser.origin = source
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
    return (condition, terms)
  }
}
