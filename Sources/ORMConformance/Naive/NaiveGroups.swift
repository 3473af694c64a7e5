internal import ORM
internal import ORMCore

/// Groups as clause 4.2 has them: each row is held against every group there is.
enum NaiveGroups {
  /// The contribution of one row: its keys, and its value for each aggregate.
  typealias Row = (keys: [StoredValue], values: [StoredValue])

  /// One group: its keys, and each aggregate or the error that it throws.
  struct Group {
    var keys: [StoredValue]
    var aggregates: [Result<StoredValue, any Error>]

    /// Returns the value of a column of the result.
    func value(of column: Int) throws -> StoredValue {
      column < keys.count ? keys[column] : try aggregates[column - keys.count].get()
    }

    /// Returns a row of the result in which these columns alone are computed; the others are nil.
    func row(_ columns: some Collection<Int>) throws -> [StoredValue] {
      var row = Array(repeating: StoredValue.null, count: keys.count + aggregates.count)
      for column in columns { row[column] = try value(of: column) }
      return row
    }

    /// Returns the whole row of the result.
    func row() throws -> [StoredValue] { try keys + aggregates.map { try $0.get() } }
  }

  /// The groups of rows in the order of their keys.
  ///
  /// - Parameters:
  ///   - rows: every row; a row counts for a count of rows by any value that is not nil.
  ///   - aggregates: which, in the order of the rows' values, each with the kind of its sum as
  ///     ``NaiveAggregate`` has it.
  static func groups(
    of rows: [Row], _ aggregates: [(kind: Aggregate.Kind, of: AttributeType.Kind?)]
  ) throws -> [Group] {
    var groups: [(keys: [StoredValue], rows: [Row])] = []
    for row in rows {
      if let index = groups.firstIndex(where: { isSame($0.keys, row.keys) }) {
        groups[index].rows.append(row)
      } else {
        groups.append((row.keys, [row]))
      }
    }
    let results = groups.map { group in
      Group(
        keys: row(ofKeys: group.rows.map(\.keys)),
        aggregates: aggregates.enumerated().map { index, aggregate in
          Result {
            try NaiveAggregate.value(
              of: aggregate.kind, over: group.rows.map { $0.values[index] }, kind: aggregate.of)
          }
        })
    }
    return try sorted(results, by: (rows.first?.keys ?? []).indices.map { SortTerm(.output($0)) })
  }

  /// Groups in an order that names columns of the result, each of which is computed for every group.
  static func sorted(_ groups: [Group], by order: [SortTerm]) throws -> [Group] {
    let columns = order.compactMap { term in
      if case .output(let column) = term.operand { column } else { nil }
    }
    let rows = try groups.map { (group: $0, row: try $0.row(columns)) }
    return rows.sorted { isOrdered($0.row, $1.row, by: order) }.map(\.group)
  }

  private static func isOrdered(
    _ a: [StoredValue], _ b: [StoredValue], by order: [SortTerm]
  ) -> Bool {
    for term in order {
      guard case .output(let column) = term.operand else { continue }
      let sign = sign(
        NaiveText.folded(a[column], term.options), NaiveText.folded(b[column], term.options), term)
      if sign != 0 { return sign < 0 }
    }
    return false
  }

  private static func sign(_ a: StoredValue, _ b: StoredValue, _ term: SortTerm) -> Int {
    switch (a.isNull, b.isNull) {
    case (true, true): return 0
    case (true, false): return term.nilsComeFirst ? -1 : 1
    case (false, true): return term.nilsComeFirst ? 1 : -1
    default: return term.isDescending ? -NaiveOrder.total(a, b) : NaiveOrder.total(a, b)
    }
  }

  private static func isSame(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
    zip(a, b).allSatisfy { NaiveOrder.total($0, $1) == 0 }
  }

  /// Returns the keys that a group shows.
  ///
  /// Of equal numbers of several kinds it shows the integer, else the double; and no negative zero.
  private static func row(ofKeys keys: [[StoredValue]]) -> [StoredValue] {
    (keys.first ?? []).indices.map { index in
      let values = keys.map { $0[index] }
      let shown = values.first(where: isInteger) ?? values.first(where: isDouble) ?? values[0]
      return shown.withoutNegativeZero
    }
  }

  private static func isInteger(_ value: StoredValue) -> Bool {
    switch value {
    case .int, .uint: true
    default: false
    }
  }

  private static func isDouble(_ value: StoredValue) -> Bool {
    if case .double = value { true } else { false }
  }
}
