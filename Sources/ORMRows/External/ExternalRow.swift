internal import FoundationEssentials
internal import ORMStorage

/// A row that gives values which are stored outside of it: read when their column is, and not
/// before.
struct ExternalRow<Base: RowReader & ~Copyable>: RowReader {
  /// The engine's row, which is there for as long as this one.
  let base: UnsafePointer<Base>
  let output: ExternalOutput
  let view: ExternalReader

  var columnCount: Int { base.pointee.columnCount }
  func isNull(at column: Int) throws -> Bool { try base.pointee.isNull(at: column) }
  func bool(at column: Int) throws -> Bool { try base.pointee.bool(at: column) }
  func int64(at column: Int) throws -> Int64 { try base.pointee.int64(at: column) }
  func uint64(at column: Int) throws -> UInt64 { try base.pointee.uint64(at: column) }
  func double(at column: Int) throws -> Double { try base.pointee.double(at: column) }
  func string(at column: Int) throws -> String { try base.pointee.string(at: column) }
  func date(at column: Int) throws -> Date { try base.pointee.date(at: column) }
  func uuid(at column: Int) throws -> UUID { try base.pointee.uuid(at: column) }
  func decimal(at column: Int) throws -> Decimal { try base.pointee.decimal(at: column) }
  func array(at column: Int) throws -> [StoredValue] { try base.pointee.array(at: column) }
  func json(at column: Int) throws -> String { try base.pointee.json(at: column) }

  func data(at column: Int) throws -> Data {
    guard let source = output[column] else { return try base.pointee.data(at: column) }
    return try content(at: column, source)
  }

  func value(at column: Int) throws -> StoredValue {
    guard let source = output[column] else { return try base.pointee.value(at: column) }
    if try base.pointee.isNull(at: column) { return .null }
    return .data(try content(at: column, source))
  }

  func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    guard let source = output[column] else {
      return try base.pointee.withBytes(at: column, body)
    }
    return try content(at: column, source).withUnsafeBytes(body)
  }

  /// The value itself.
  private func content(at column: Int, _ source: ExternalOutput.Source) throws -> Data {
    do {
      var reference: ExternalReference?
      let inline = try base.pointee.withBytes(at: column) { bytes -> Data in
        switch try ExternalForm.content(of: bytes) {
        case .inline(let value): return Data(value)
        case .reference(let found):
          reference = found
          return Data()
        }
      }
      return try reference.map { try view.content(of: $0) } ?? inline
    } catch let error as StoreError {
      let key = output.key.compactMap { try? base.pointee.value(at: $0) }
      throw error.filling(entity: source.entity, key: key, attributes: [source.attribute])
    }
  }
}

/// A visitor that forwards rows to another, with the values that are stored outside of them.
struct ExternalVisitor<Visitor: RowVisitor>: RowVisitor {
  let visitor: UnsafeMutablePointer<Visitor>
  let output: ExternalOutput
  let view: ExternalReader

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try withUnsafePointer(to: row) { base in
      try visitor.pointee.visit(ExternalRow(base: base, output: output, view: view))
    }
  }
}

/// A visitor that forwards rows of a query in SQL, with the values that are stored outside of them.
struct ExternalResultVisitor<Visitor: RowVisitor>: RowVisitor {
  /// The columns of the result, which are known before the first row.
  final class Result {
    var output = ExternalOutput(sources: [], key: [])
  }

  let visitor: UnsafeMutablePointer<Visitor>
  let view: ExternalReader
  let result = Result()

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try withUnsafePointer(to: row) { base in
      try visitor.pointee.visit(ExternalRow(base: base, output: result.output, view: view))
    }
  }
}

/// A cursor over rows with values that are stored outside of them.
final class ExternalCursor: StoreCursor {
  private let base: any StoreCursor
  private let output: ExternalOutput
  private let view: ExternalReader

  init(_ base: any StoreCursor, _ output: ExternalOutput, _ view: ExternalReader) {
    self.base = base
    self.output = output
    self.view = view
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      var whole = ExternalVisitor(visitor: pointer, output: output, view: view)
      return try base.visit(&whole)
    }
  }
}
