internal import ORMStorage

/// Passes one row to the visitor of a put, as the row about to be replaced.
struct OldRowVisitor<O: PutVisitor>: RowVisitor {
  var visitor: O

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try visitor.willReplace(row)
    return .stop
  }
}
