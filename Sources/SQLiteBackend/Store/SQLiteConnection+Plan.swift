internal import ORMStorage
package import SQLEngine

extension SQLiteConnection {
  /// Returns the access that EXPLAIN QUERY PLAN reports, in words of the schema.
  ///
  /// The form of its lines is that of the library's documentation, https://sqlite.org/eqp.html. A
  /// line in another form stays a text and counts as a scan.
  package func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess? {
    let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
    var nodes: [PlanNode] = []
    while try statement.step() {
      nodes.append(
        PlanNode(
          number: statement.text(at: 0) ?? "", parent: statement.text(at: 1) ?? "",
          text: statement.text(at: 3) ?? ""))
    }
    statement.rewind()
    var access = access(nodes.map(\.text), to: table)
    access.sortsGroups = nodes.contains {
      $0.text.hasPrefix("USE TEMP B-TREE") && $0.text.hasSuffix("GROUP BY")
    }
    access.isOnce = Self.isOnce(table.name, nodes)
    return access
  }

  /// A line of a plan, and the line that it is part of.
  private struct PlanNode {
    var number: String
    var parent: String
    var text: String
  }

  /// Returns whether a table is read in a list or a table that is made once.
  private static func isOnce(_ name: String, _ nodes: [PlanNode]) -> Bool {
    guard
      var node = nodes.first(where: {
        $0.text.hasPrefix("SEARCH \(name) ") || "\($0.text) ".hasPrefix("SCAN \(name) ")
      })
    else { return false }
    var isInList = false
    // The outermost lines are part of line 0, which there need not be.
    while node.parent != "0", let parent = nodes.first(where: { $0.number == node.parent }) {
      if parent.text.hasPrefix("CORRELATED ") { return false }
      if parent.text.hasPrefix("LIST SUBQUERY") || parent.text.hasPrefix("MATERIALIZE ") {
        isInList = true
      }
      node = parent
    }
    return isInList
  }

  private func access(_ lines: [String], to table: SQLAccess.Table) -> SQLAccess {
    let isSorted = lines.contains { $0.hasPrefix("USE TEMP B-TREE") && $0.hasSuffix("ORDER BY") }
    let name = table.name
    // Elements lead to owners, which are then looked up by key.
    for column in table.columns {
      guard let elements = column.elements,
        lines.contains(where: { $0.hasPrefix("SEARCH \(elements) ") }),
        lines.contains(where: { $0.hasPrefix("SEARCH \(name) ") })
      else { continue }
      let index = table.indexes.first { $0.elements == elements }
      return SQLAccess(
        .indexRange, index: index?.schemaName,
        bounds: [.init(attribute: column.attribute, symbol: "=")], isSorted: isSorted,
        lines: lines)
    }
    let searches = lines.filter { $0.hasPrefix("SEARCH \(name) ") }
    if lines.contains("MULTI-INDEX OR"), searches.count > 1 {
      var access = SQLAccess(.union, isSorted: isSorted, lines: lines)
      access.parts = searches.map { line in
        let index = table.indexes.first { line.contains("INDEX \($0.name) ") }
        let bounds = Self.bounds(line, table)
        return SQLAccess(
          index == nil ? Self.keyAccess(bounds, table) : .indexRange, index: index?.schemaName,
          bounds: bounds, isSorted: false, lines: [line])
      }
      return access
    }
    let line = searches.first ?? ""
    let index = table.indexes.first { index in
      !table.isAlias
        ? lines.contains { $0.contains("INDEX \(index.name)") }
        : lines.contains {
          $0.hasPrefix("S") && $0.contains(" \(name) ") && $0.contains("INDEX \(index.name)")
        }
    }
    let bounds = Self.bounds(line, table)
    let access: Explanation.Access
    if line.isEmpty {
      // A list of all keys is no table of the statement: they are looked up in the table's own order.
      let isNamed = lines.contains { "\($0) ".contains(" \(name) ") }
      let isListed = lines.contains { $0.hasSuffix(" FOR IN-OPERATOR") }
      access = isNamed || !isListed ? .scan : .keyLookup
    } else if index != nil {
      access = .indexRange
    } else {
      access = Self.keyAccess(bounds, table)
    }
    return SQLAccess(
      access, index: index?.schemaName, bounds: bounds, isSorted: isSorted, lines: lines)
  }

  /// Returns whether the primary key's bounds name single rows.
  private static func keyAccess(
    _ bounds: [SQLAccess.Bound], _ table: SQLAccess.Table
  ) -> Explanation.Access {
    let fixed = Set(bounds.filter { $0.symbol == "=" }.map(\.attribute))
    return table.key.allSatisfy(fixed.contains) ? .keyLookup : .keyRange
  }

  /// The bounds between the parentheses at a line's end: `(a=? AND b>?)`, or `((a,b)=(?,?))`.
  private static func bounds(_ line: String, _ table: SQLAccess.Table) -> [SQLAccess.Bound] {
    guard line.hasSuffix(")"), let open = line.firstRange(of: " (") else { return [] }
    return line[open.upperBound...].dropLast().split(separator: " AND ").compactMap { part in
      for symbol in ["=", ">", "<"] {
        guard let range = part.firstRange(of: symbol + "?") else { continue }
        let name = String(part[..<range.lowerBound])
        let attribute =
          name == "rowid"
          ? table.rowNumber
          : table.columns.first { $0.name == name || $0.folded == name }?.attribute
        return .init(attribute: attribute ?? name, symbol: symbol)
      }
      return nil
    }
  }
}
