package import ORMValues

extension Condition {
  /// The names of the variables that wait for a value; in order, each once.
  package var variables: [String] {
    var names: Set<ExactText> = []
    forEachOperand { operand in
      if case .variable(let name) = operand { names.insert(name) }
    }
    return names.sorted().map(\.text)
  }

  /// The condition with variables replaced by values; those without a value stay.
  ///
  /// - Throws: `invalidCondition` for a name that is no variable.
  package func binding(_ values: [String: StoredValue]) throws -> Condition {
    let known = variables
    let values = [ExactText: StoredValue](values)
    for name in values.keys.sorted().map(\.text) where !known.containsScalars(of: name) {
      throw StoreError(
        .invalidCondition,
        "the condition has no variable $\(name)" + FormatSuggestion.text(for: name, among: known))
    }
    return rewriting { operand in
      if case .variable(let name) = operand { values[name].map { .value($0) } } else { nil }
    }
  }
}
