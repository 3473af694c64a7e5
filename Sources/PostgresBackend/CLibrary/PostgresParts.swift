internal import ORMStorage
internal import SQLEngine

/// The rows of a result by their parts: the first column has the number of a row's part, and the second its
/// position in the part.
struct PostgresParts {
  /// The numbers of each part's rows, in the part's order.
  private var rows: [[Int32]] = []
  private var number = 0
  private var count = 0

  init(_ result: PostgresResult) {
    var positions: [[Int64]] = []
    for row in 0..<Int32(clamping: result.rowCount) {
      let number = Int(result.int4(row, 0))
      guard number >= 0 else { continue }
      while number >= rows.count {
        rows.append([])
        positions.append([])
      }
      rows[number].append(row)
      positions[number].append(result.int8(row, 1))
    }
    for number in rows.indices {
      // The server gives them in order, and does not say that it does.
      let order = positions[number]
      if zip(order, order.dropFirst()).allSatisfy({ $0 < $1 }) { continue }
      let sorted = order.indices.sorted { order[$0] < order[$1] }
      rows[number] = sorted.map { rows[number][$0] }
    }
  }

  /// Goes before the first row of a part.
  mutating func begin(_ number: Int) { (self.number, count) = (number, 0) }

  /// The number of the part's next row; nil after the last.
  mutating func next() -> Int32? {
    guard rows.indices.contains(number), count < rows[number].count else { return nil }
    defer { count += 1 }
    return rows[number][count]
  }
}

extension PostgresStatement {
  func visitRows<V: RowVisitor>(
    of part: SQLPart, _ layout: SQLRowLayout, _ visitor: inout V
  ) throws -> Bool {
    try begin(part)
    return try visit(rows: PostgresRow(self, layout), &visitor)
  }
}
