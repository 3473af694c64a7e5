internal import ORMStorage

/// A count of the rows of one session that the library tested itself, for instruments.
final class RowTally {
  var rows = 0
}

/// A cursor that adds the rows that it passes on to a tally.
final class TalliedRows: StoreCursor {
  private let base: any StoreCursor
  private let tally: RowTally

  init(_ base: any StoreCursor, _ tally: RowTally) {
    self.base = base
    self.tally = tally
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    var counting = Counting(visitor: visitor)
    defer {
      visitor = counting.visitor
      tally.rows += counting.rows
    }
    return try base.visit(&counting)
  }

  private struct Counting<V: RowVisitor>: RowVisitor {
    var visitor: V
    var rows = 0

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      rows += 1
      return try visitor.visit(row)
    }
  }
}
