internal import ORMStorage

/// Values of related rows that do not fit into one text.
extension ConditionCompiler {
  /// Returns the value as a call that runs a statement of its own.
  ///
  /// The call passes the statement the values that it reads from the rows around.
  mutating func called(_ key: RelatedKey) throws -> Related {
    let query: SQLInnerQuery
    let outerColumns: [OuterColumn]
    let isOptional: Bool
    if let known = innerQueries[key] {
      (query, outerColumns, isOptional) = known
    } else {
      var inner = ConditionCompiler(inside: self)
      inner.throwsOverflow = key.throwsOverflow
      let related = try inner.native(key)
      innerQueries.merge(inner.innerQueries) { _, new in new }
      outerColumns = inner.outerColumns
      isOptional = related.isOptional
      query = SQLInnerQuery(
        query: SQLQuery("SELECT \(related.text)", dialect), evaluations: inner.evaluations,
        frame: SQLFrame(
          entity: table.entity.modelName,
          columns: try outerColumns.enumerated().map { index, column in
            SQLFrame.Column(
              name: "\(index)", source: try source(column.position, of: column.scope))
          }), result: related.source)
      innerQueries[key] = (query, outerColumns, isOptional)
    }
    hasInnerQueries = true
    let texts = outerColumns.map { text($0.position, of: $0.scope) }
    return Related(
      text: call(.query, .query(query), texts), source: query.result, isOptional: isOptional,
      nesting: 2, height: 6)
  }
}
