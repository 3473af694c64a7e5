internal import ORMCore

/// Which rows a shape is about.
extension ConditionCompiler {
  /// From where, which, in what order and how many: everything of a SELECT but its columns.
  mutating func source(_ shape: FetchShape) throws -> SQLText {
    var text: SQLText = "FROM \(sql: name(table.name))"
    if let condition = try condition(shape.condition) { text.append(" WHERE \(condition)") }
    let sort = shape.sort.map { sortTerm($0) }
    if !sort.isEmpty { text.append(" ORDER BY \(sort.joined(separator: ", "))") }
    if shape.isLimited { text.append(" LIMIT \(.limit) OFFSET \(.offset)") }
    return text
  }

  /// A condition that holds for the rows a shape selects; nil for all rows.
  mutating func selection(_ shape: FetchShape) throws -> SQLText? {
    guard shape.isLimited else { return try condition(shape.condition) }
    let keys = table.keyColumns.map { name($0.name) }.joined(separator: ", ")
    let key = table.keyColumns.count == 1 ? keys : "(\(keys))"
    return "\(sql: key) IN (SELECT \(sql: keys) \(try source(shape)))"
  }
}
