internal import ORMStorage

/// Collects rows as values.
struct RowCollector: RowVisitor {
  var rows: [[StoredValue]] = []
  /// The number of rows that are wanted.
  var most = Int.max

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return rows.count < most ? .next : .stop
  }
}

/// Passes one row to the visitor of a put, as the row about to be replaced.
struct OldRowVisitor<O: PutVisitor>: RowVisitor {
  var visitor: O

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try visitor.willReplace(row)
    return .stop
  }
}
