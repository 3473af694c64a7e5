package import ORMValues

/// Collects the values of rows.
package struct ValueCollector: RowVisitor {
  package var rows: [[StoredValue]] = []
  private let most: Int

  /// Creates a collector that stops at `most` rows.
  package init(atMost most: Int = .max) { self.most = most }

  package mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return rows.count < most ? .next : .stop
  }
}

/// Counts rows, and does nothing else with them.
package struct RowCounter: RowVisitor {
  package private(set) var count = 0
  private let most: Int

  /// Creates a counter that stops at `most` rows.
  package init(atMost most: Int = .max) { self.most = most }

  package mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) -> VisitStep {
    count += 1
    return count < most ? .next : .stop
  }
}

extension StoreReader {
  /// Returns the values of the rows of a request.
  package func rows(of request: FetchRequest) throws -> [[StoredValue]] {
    var collector = ValueCollector()
    try visit(request, &collector)
    return collector.rows
  }
}
