package import ORMCore

/// Orders.
extension ConditionCompiler {
  /// One term of an ORDER BY.
  package mutating func sortTerm(_ term: SortTerm) -> SQLText {
    let direction = term.isDescending ? " DESC" : ""
    let key: SQLText
    let isOptional: Bool
    if let column = column(term.operand), let subject = subject(column, term.options),
      dialect.orders(subject.kind, subject.kind)
    {
      key = SQLText(subject.name)
      isOptional = subject.isOptional
    } else {
      var names = AttributeNames()
      names.add(term.operand)
      key = call(.value, .order(term.operand, term.options), names.names)
      isOptional = true
    }
    // Nil comes first in ascending order anyway: saying so could keep an index from being used.
    guard isOptional, term.nilsComeFirst == term.isDescending else {
      return "\(key)\(sql: direction)"
    }
    return "\(key)\(sql: direction)\(sql: term.nilsComeFirst ? " NULLS FIRST" : " NULLS LAST")"
  }
}
