internal import ORMValues

/// The rows of groups: those that satisfy the condition, in order, cut to the page.
///
/// The result of an aggregate is computed where it is needed: a sum that overflows throws when
/// its group is passed on, or when the order or the condition on groups asks for it (clause 4.2).
package final class GroupRows {
  private let table: GroupTable
  /// The number of groups of the table that count, the first of them.
  private let count: Int
  private let columnCount: Int
  /// The parts of the condition, each with the columns that it reads.
  private let having: [(condition: BoundCondition, columns: [Int])]
  private let sort: [(term: BoundSortTerm, columns: [Int])]
  private let isSortedByKeys: Bool
  private var order: [Int]?
  private var position = 0
  private var offset: Int
  private var remaining: Int
  private var isAtEnd = false
  private var check = StopCheck()
  /// True if nothing comes after these groups either: the visitor stopped, or the page is full.
  package private(set) var isStopped = false

  /// The groups of a table, which has all of their rows.
  ///
  /// - Parameters:
  ///   - first: the number of groups to give, in the order in which they were met; nil for all.
  ///   - earlier: the groups that come before all of these in the order, and were passed on.
  package init(
    _ table: GroupTable, _ plan: GroupPlan, _ request: FetchRequest, first: Int? = nil,
    after earlier: GroupRows? = nil
  ) throws {
    self.table = table
    count = min(first ?? .max, table.count)
    columnCount = plan.columns.count
    having = try plan.having.map { (try $0.bound(to: request.bindings), $0.columns) }
    sort = try plan.sort.map {
      (BoundSortTerm($0.term, try $0.operand.bound(to: request.bindings)), $0.operand.columns)
    }
    isSortedByKeys = plan.isSortedByKeys
    offset = earlier?.offset ?? (request.shape.isLimited ? request.offset : 0)
    remaining = earlier?.remaining ?? (request.shape.isLimited ? request.limit ?? .max : .max)
  }

  /// Passes on groups until the visitor pauses (true) or stops, or there are no more.
  package func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd || remaining == 0 { return false }
    // An error on the way ends it.
    isAtEnd = true
    let order = try self.order ?? sorted()
    self.order = order
    while remaining > 0, position < order.count {
      let group = order[position]
      position += 1
      try check.step()
      if isSortedByKeys, try !isWanted(group) { continue }
      if offset > 0 {
        offset -= 1
        continue
      }
      remaining -= 1
      var values: [StoredValue] = []
      values.reserveCapacity(columnCount)
      for column in 0..<columnCount { values.append(try table.value(of: column, in: group)) }
      switch try visitor.visit(BufferedRow(values)) {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop:
        isStopped = true
        return false
      }
    }
    isStopped = remaining == 0
    return false
  }

  private func isWanted(_ group: Int) throws -> Bool {
    try having.allSatisfy { try $0.condition.matches(row(group, $0.columns)) }
  }

  /// A row of a group with these columns alone worked out.
  private func row(_ group: Int, _ columns: [Int]) throws -> BufferedRow {
    var row = BufferedRow(Array(repeating: .null, count: columnCount))
    for column in columns { row.values[column] = try table.value(of: column, in: group) }
    return row
  }

  /// The groups in order; sorted by keys alone, the condition on groups is still to be asked.
  private func sorted() throws -> [Int] {
    var groups = Array(0..<count)
    var check = StopCheck()
    if !isSortedByKeys {
      groups = try groups.filter { group in
        try check.step()
        return try isWanted(group)
      }
    }
    var keys: [StoredValue] = []
    keys.reserveCapacity(count * sort.count)
    var starts = Array(repeating: 0, count: count)
    for group in groups {
      try check.step()
      starts[group] = keys.count
      for (term, columns) in sort { keys.append(try term.key(of: row(group, columns))) }
    }
    try groups.sortStoppably { a, b in
      for (i, part) in sort.enumerated() {
        let order = part.term.order(keys[starts[a] + i], keys[starts[b] + i])
        if order != 0 { return order < 0 }
      }
      return false
    }
    return groups
  }
}
