@_spi(Records) internal import ORMStorage

/// A visitor that counts the rows which it passes on.
struct ReportedVisitor<Base: RowVisitor>: RowVisitor {
  /// A pointer to the visitor: a copy would copy the rows that it has collected.
  let base: UnsafeMutablePointer<Base>
  private(set) var rows = 0

  init(_ base: UnsafeMutablePointer<Base>) { self.base = base }

  mutating func expect(atMost count: Int) { base.pointee.expect(atMost: count) }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows += 1
    return try base.pointee.visit(row)
  }

  mutating func visit(record: RecordReader) throws -> VisitStep {
    rows += 1
    return try base.pointee.visit(record: record)
  }

  mutating func visit(block: inout RecordBlock) throws -> VisitStep {
    let before = block.count
    defer { rows += before - block.count }
    return try base.pointee.visit(block: &block)
  }
}

/// A source that counts the rows which it passes on.
package struct ReportedSource<Base: RowSource>: RowSource {
  /// A pointer to the source.
  let base: UnsafeMutablePointer<Base>
  private(set) var rows = 0

  init(_ base: UnsafeMutablePointer<Base>) { self.base = base }

  package mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    let hasRow = try base.pointee.next(into: &row)
    if hasRow { rows += 1 }
    return hasRow
  }

  package mutating func rewind() {
    rows = 0
    base.pointee.rewind()
  }

  package mutating func next(record: inout RecordWriter) throws -> Bool {
    let hasRow = try base.pointee.next(record: &record)
    if hasRow { rows += 1 }
    return hasRow
  }
}
