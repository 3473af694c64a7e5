internal import Foundation
internal import ORMStorage
internal import SQLEngine

extension PostgresConnection {
  /// Returns the access that EXPLAIN reports, in words of the schema.
  ///
  /// The plan is the generic one, which holds for any values that are bound. The form is that of the
  /// server's manual, https://www.postgresql.org/docs/current/sql-explain.html. A node that is not
  /// known counts as a scan.
  func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess? {
    try use()
    let values = Array(repeating: "NULL", count: Self.parameterCount(sql))
    let call = values.isEmpty ? "strata_plan" : "strata_plan(\(values.joined(separator: ", ")))"
    let results = try handle.run(
      """
      SET LOCAL plan_cache_mode = force_generic_plan; PREPARE strata_plan AS \(sql);
      EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE \(call);
      DEALLOCATE strata_plan; SET LOCAL plan_cache_mode = auto
      """)
    guard let text = results.first(where: { $0.rowCount > 0 })?.text(0, 0),
      let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]],
      let root = plans.first?["Plan"] as? [String: Any]
    else { return nil }
    return PlanReading(PlanNode(root), table, dialect).access
  }

  /// The number of a statement's parameters, by the greatest `$n` outside of names and texts.
  static func parameterCount(_ sql: String) -> Int {
    var greatest = 0
    var quote: UInt8?
    var number: Int?
    for byte in sql.utf8 {
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): (quote, number) = (byte, nil)
      case UInt8(ascii: "$"): number = 0
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        number = number.map { $0 * 10 + Int(byte - UInt8(ascii: "0")) }
        greatest = max(greatest, number ?? 0)
      default: number = nil
      }
    }
    return greatest
  }
}

/// A node of a plan.
private struct PlanNode {
  let type: String
  /// The table that is read, by its name in the statement.
  let alias: String?
  /// The table that is read.
  let relation: String?
  let index: String?
  let condition: String?
  /// The way in which the node above uses this one.
  let relationship: String?
  let subplan: String?
  /// True if an aggregate forms groups.
  let isGrouping: Bool
  /// True if groups are found by hashing.
  let isHashed: Bool
  let nodes: [PlanNode]

  init(_ json: [String: Any]) {
    type = json["Node Type"] as? String ?? ""
    alias = json["Alias"] as? String
    relation = json["Relation Name"] as? String
    index = json["Index Name"] as? String
    condition = json["Index Cond"] as? String
    relationship = json["Parent Relationship"] as? String
    subplan = json["Subplan Name"] as? String
    isGrouping = json["Group Key"] != nil
    isHashed = ["Hashed", "Mixed"].contains(json["Strategy"] as? String)
    nodes = (json["Plans"] as? [[String: Any]] ?? []).map { PlanNode($0) }
  }

  var isSort: Bool { type == "Sort" || type == "Incremental Sort" }

  /// The node and those below it, each indented by its depth.
  func lines(_ depth: Int = 0) -> [String] {
    var line = String(repeating: "  ", count: depth) + type
    if let index { line += " using \(index)" }
    if let alias { line += " on \(alias)" }
    if let condition { line += " \(condition)" }
    return [line] + nodes.flatMap { $0.lines(depth + 1) }
  }
}

/// The reading of a plan for one of its tables.
private struct PlanReading {
  private let root: PlanNode
  private let table: SQLAccess.Table
  private let dialect: PostgresDialect

  init(_ root: PlanNode, _ table: SQLAccess.Table, _ dialect: PostgresDialect) {
    self.root = root
    self.table = table
    self.dialect = dialect
  }

  var access: SQLAccess {
    let path = path(in: root) {
      $0.alias == (table.isAlias ? table.name : dialect.shortened(table.name))
    }
    var access = elementAccess ?? path.last.map(access(of:)) ?? scan(nil)
    access.lines = root.lines()
    var outer: PlanNode? = root
    // Down to the first node of several rows' sources.
    while let node = outer, !access.isSorted {
      if node.isGrouping { break }
      access.isSorted = node.isSort
      outer = node.nodes.count == 1 ? node.nodes[0] : nil
    }
    if let groups = self.path(in: root, to: { $0.isGrouping }).last {
      access.sortsGroups = groups.isHashed || groups.nodes.contains(where: \.isSort)
    }
    access.isOnce = Self.isOnce(path)
    return access
  }

  /// The nodes from the root to the first that fits; none if there is no such node.
  private func path(in node: PlanNode, to fits: (PlanNode) -> Bool) -> [PlanNode] {
    if fits(node) { return [node] }
    for inner in node.nodes {
      let path = path(in: inner, to: fits)
      if !path.isEmpty { return [node] + path }
    }
    return []
  }

  /// Returns whether rows are read once: into a table of hashes, or before the rest begins.
  private static func isOnce(_ path: [PlanNode]) -> Bool {
    var isOnce = false
    for node in path {
      if node.relationship == "SubPlan", node.subplan?.hasPrefix("hashed") != true,
        node.type != "Materialize"
      {
        return false
      }
      if node.type == "Hash" || node.relationship == "InitPlan"
        || node.relationship == "SubPlan"
      {
        isOnce = true
      }
    }
    return isOnce
  }

  private func scan(_ index: String?) -> SQLAccess {
    SQLAccess(.scan, index: index, isSorted: false, lines: [])
  }

  /// The access by a table of elements, which leads to the rows that have one.
  private var elementAccess: SQLAccess? {
    for column in table.columns {
      guard let elements = column.elements,
        let node = path(in: root, to: { $0.relation == dialect.shortened(elements) }).last,
        condition(of: node).contains("element")
      else { continue }
      let index = table.indexes.first { $0.elements == elements }
      return SQLAccess(
        .indexRange, index: index?.schemaName,
        bounds: [.init(attribute: column.attribute, symbol: "=")], isSorted: false, lines: [])
    }
    return nil
  }

  private func condition(of node: PlanNode) -> String {
    ([node.condition ?? ""] + node.nodes.map(condition(of:))).joined(separator: " ")
  }

  private func access(of node: PlanNode) -> SQLAccess {
    switch node.type {
    case "Bitmap Heap Scan": return node.nodes.first.map(access(of:)) ?? scan(nil)
    case "BitmapOr":
      var access = SQLAccess(.union, isSorted: false, lines: [])
      access.parts = node.nodes.map(access(of:))
      return access
    case "BitmapAnd":
      let parts = node.nodes.map(access(of:))
      guard var access = parts.first else { return scan(nil) }
      for part in parts.dropFirst() { access.bounds += part.bounds }
      return access
    case "Index Scan", "Index Only Scan", "Bitmap Index Scan": break
    default: return scan(nil)
    }
    let index = table.indexes.first { dialect.shortened($0.name) == node.index }?.schemaName
    let bounds = bounds(node.condition ?? "")
    if bounds.isEmpty { return scan(index) }
    let fixed = Set(bounds.filter { $0.symbol == "=" }.map(\.attribute))
    let isWholeKey = table.key.allSatisfy(fixed.contains)
    let access: Explanation.Access =
      index != nil ? .indexRange : isWholeKey ? .keyLookup : .keyRange
    return SQLAccess(access, index: index, bounds: bounds, isSorted: false, lines: [])
  }

  /// The bounds in a condition such as `((id = $1) AND ("name$folded" > $2))`.
  private func bounds(_ condition: String) -> [SQLAccess.Bound] {
    var bounds: [SQLAccess.Bound] = []
    for column in table.columns {
      for name in [column.name, column.folded].compactMap({ $0 }) {
        let quoted = "\"" + dialect.shortened(name).replacing("\"", with: "\"\"") + "\""
        for form in [dialect.shortened(name), quoted] {
          for symbol in ["=", "<", ">", "<=", ">="]
          where condition.contains("(\(form) \(symbol) ") {
            bounds.append(.init(attribute: column.attribute, symbol: String(symbol.prefix(1))))
          }
        }
      }
    }
    return bounds
  }
}
