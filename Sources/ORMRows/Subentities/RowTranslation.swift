package import FoundationEssentials
internal import ORMStorage

/// A translation of a root's rows into rows of a subentity.
struct RowTranslation: Sendable {
  /// The root's column for each column of the row.
  let columns: [Int]
  /// The column and the kinds that make a row one of the subentity's, where the request itself does
  /// not say so.
  private let kind: (column: Int, kinds: Set<String>)?

  /// Whole rows.
  init(_ subentity: Subentity) {
    columns = subentity.columns
    kind = nil
  }

  /// Whole rows that another row leads to, and `count` values beside them.
  init(_ subentity: Subentity, beside count: Int) {
    let width = subentity.root.columns.count
    columns = subentity.columns + Array(width..<width + count)
    kind = (subentity.kindColumn, Set(subentity.kinds))
  }

  /// Returns whether a row is one of the subentity's.
  fileprivate func takes<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> Bool {
    guard let kind else { return true }
    guard try !row.isNull(at: kind.column) else { return false }
    return kind.kinds.contains(try row.string(at: kind.column))
  }

  /// Visits rows by `body`, which is given a visitor of the root's.
  func visiting<V: RowVisitor, Result>(
    _ visitor: inout V, _ body: (inout TranslatingVisitor<V>) throws -> Result
  ) rethrows -> Result {
    // By its address, since a copy of the visitor would copy the values that it collects.
    try withUnsafeMutablePointer(to: &visitor) { visitor in
      var translating = TranslatingVisitor(visitor: visitor, translation: self)
      return try body(&translating)
    }
  }
}

/// Takes rows of the root and hands them on as the subentity's.
///
/// It points at the visitor and is valid for the call alone in which it was made.
struct TranslatingVisitor<V: RowVisitor>: RowVisitor {
  fileprivate let visitor: UnsafeMutablePointer<V>
  fileprivate let translation: RowTranslation

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    guard try translation.takes(row) else { return .next }
    return try withUnsafePointer(to: row) { row in
      try visitor.pointee.visit(TranslatedRow(row, columns: translation.columns))
    }
  }
}

/// A cursor whose rows are read as a subentity's.
final class TranslatingCursor: StoreCursor {
  private let base: any StoreCursor
  private let translation: RowTranslation

  init(_ base: any StoreCursor, _ translation: RowTranslation) {
    self.base = base
    self.translation = translation
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    try translation.visiting(&visitor) { try base.visit(&$0) }
  }
}

/// A row with its columns at other positions.
///
/// It points at the row and is valid for the call alone in which it was made.
package struct TranslatedRow<Row: RowReader & ~Copyable>: RowReader {
  private let row: UnsafePointer<Row>
  private let columns: [Int]

  package init(_ row: UnsafePointer<Row>, columns: [Int]) {
    self.row = row
    self.columns = columns
  }

  /// The column of the row below.
  private func position(_ column: Int) throws -> Int {
    guard columns.indices.contains(column) else { throw StoredValue.noColumn(column) }
    return columns[column]
  }

  package var columnCount: Int { columns.count }
  package func isNull(at column: Int) throws -> Bool {
    try row.pointee.isNull(at: position(column))
  }
  package func bool(at column: Int) throws -> Bool { try row.pointee.bool(at: position(column)) }
  package func int64(at column: Int) throws -> Int64 { try row.pointee.int64(at: position(column)) }
  package func uint64(at column: Int) throws -> UInt64 {
    try row.pointee.uint64(at: position(column))
  }
  package func double(at column: Int) throws -> Double {
    try row.pointee.double(at: position(column))
  }
  package func string(at column: Int) throws -> String {
    try row.pointee.string(at: position(column))
  }
  package func data(at column: Int) throws -> Data { try row.pointee.data(at: position(column)) }
  package func date(at column: Int) throws -> Date { try row.pointee.date(at: position(column)) }
  package func uuid(at column: Int) throws -> UUID { try row.pointee.uuid(at: position(column)) }
  package func decimal(at column: Int) throws -> Decimal {
    try row.pointee.decimal(at: position(column))
  }
  package func array(at column: Int) throws -> [StoredValue] {
    try row.pointee.array(at: position(column))
  }
  package func json(at column: Int) throws -> String { try row.pointee.json(at: position(column)) }
  package func value(at column: Int) throws -> StoredValue {
    try row.pointee.value(at: position(column))
  }
  package func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws
    -> R
  {
    try row.pointee.withBytes(at: position(column), body)
  }
}
