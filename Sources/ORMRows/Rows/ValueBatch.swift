package import ORMStorage

/// A visitor that collects rows of values in batches.
package struct ValueBatch: RowVisitor {
  let size: Int
  package var rows: [[StoredValue]] = []

  package init(size: Int) { self.size = size }

  package mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return rows.count < size ? .next : .pause
  }
}
