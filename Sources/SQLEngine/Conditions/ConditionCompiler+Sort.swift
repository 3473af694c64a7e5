package import ORMStorage

/// The terms of orders.
extension ConditionCompiler {
  /// One term of an ORDER BY.
  package mutating func sortTerm(_ term: SortTerm) throws -> SQLText {
    let direction = term.isDescending ? " DESC" : ""
    let key: SQLText
    let isOptional: Bool
    var beginning: SQLText?
    if Self.isSubject(term.operand), let subject = try subject(term.operand, term.options),
      dialect.orders(subject.kind, subject.kind)
    {
      key = subject.text
      isOptional = subject.isOptional
      beginning = subject.beginning
    } else {
      let arguments = try arguments(term.operand)
      let order = SQLEvaluation.order(
        arguments.rewriting.rewritten(term.operand), try kinds.kind(of: term.operand),
        term.options, arguments.frame)
      key = call(.value, order, arguments.texts)
      isOptional = true
    }
    // Where nil comes first or last anyway, saying so could keep an index from being used.
    var order = direction
    var isNull: SQLText = ""
    if isOptional, term.nilsComeFirst != dialect.putsNullsFirst(term.isDescending) {
      if dialect.placesNulls {
        order += term.nilsComeFirst ? " NULLS FIRST" : " NULLS LAST"
      } else {
        let ranks = term.nilsComeFirst ? "0 ELSE 1" : "1 ELSE 0"
        isNull = "CASE WHEN \(key) IS NULL THEN \(sql: ranks) END, "
      }
    }
    let text: SQLText = "\(key)\(sql: order)"
    return "\(isNull)\(beginning.map { "\($0)\(sql: order), \(text)" } ?? text)"
  }

  /// A value by which the engine distinguishes groups exactly; nil for any other.
  mutating func groupKey(_ operand: Operand) throws -> Related? {
    let key: Related
    if let position = position(operand) {
      let stored = table.column(position).stored
      key = Related(
        text: text(position, of: 0), source: SQLRowLayout.Column(stored),
        isOptional: stored.isOptional, nesting: 1, height: 1)
    } else {
      guard case .relatedValue = operand else { return nil }
      key = try related(.related(operand))
    }
    let kind = key.source.type.kind
    return !key.source.isTagged && dialect.comparesEqual(kind, kind) ? key : nil
  }
}
