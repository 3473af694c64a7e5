internal import FoundationEssentials
internal import ORMStorage

/// The changes that one put makes to the references of its rows to contents.
///
/// They are noted row by row as the engine pulls the rows, and settled as it reports the outcomes.
final class ExternalPut {
  let table: ExternalTable
  let request: PutRequest
  private let writer: ExternalWriter
  /// The settings of the pulled rows; the engine has not yet reported those from `first` on.
  private var rows: [[Int: Setting]] = []
  private var first = 0
  /// The references of the row that is about to be replaced, by column.
  private var old: [Int: ExternalReference] = [:]
  private(set) var ledger = ExternalLedger()

  /// The kind of value that a row sets in a column.
  enum Setting {
    case null
    case inline
    case reference(ExternalReference)
  }

  init(_ table: ExternalTable, _ request: PutRequest, _ writer: ExternalWriter) {
    self.table = table
    self.request = request
    self.writer = writer
  }

  func beginRow() { rows.append([:]) }
  func dropRow() { rows.removeLast() }

  func rewind() {
    rows = []
    first = 0
    old = [:]
    ledger = ExternalLedger()
  }

  func setNull(at column: Int) { rows[rows.count - 1][column] = .null }

  /// Returns the form in which a row stores a value, keeping a large value outside.
  func form(of value: Data, at column: Int) throws -> Data {
    let (form, reference) = try writer.form(of: value, at: column, in: table)
    rows[rows.count - 1][column] = reference.map { .reference($0) } ?? .inline
    return form
  }

  func willReplace<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    for column in table.columns {
      old[column] =
        try row.isNull(at: column)
        ? nil : row.withBytes(at: column) { try ExternalForm.reference(in: $0) }
    }
  }

  func didPut(_ outcome: PutOutcome) {
    guard first < rows.count else { return }
    if outcome != .unchanged {
      for (column, setting) in rows[first] {
        if case .null = setting, request.nilKeeps { continue }
        if case .reference(let reference) = setting { ledger.add(reference) }
        if outcome == .updated, let reference = old[column] { ledger.add(reference, -1) }
      }
    }
    old = [:]
    first += 1
    // Rows that were reported are released now and then.
    if first == 1024 {
      rows.removeFirst(first)
      first = 0
    }
  }
}

/// Gives rows to an engine whose larger values are stored elsewhere.
struct ExternalSource<Base: RowSource>: RowSource {
  let base: UnsafeMutablePointer<Base>
  let put: ExternalPut

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    put.beginRow()
    let isRow = try withUnsafeMutablePointer(to: &row) { pointer in
      var outer = ExternalRowWriter(base: pointer, put: put)
      return try base.pointee.next(into: &outer)
    }
    if !isRow { put.dropRow() }
    return isRow
  }

  mutating func rewind() {
    base.pointee.rewind()
    put.rewind()
  }
}

/// Takes the columns of a row, and keeps the larger values elsewhere.
struct ExternalRowWriter<Base: RowWriter & ~Copyable>: RowWriter {
  /// The engine's row, which is there for as long as this one.
  let base: UnsafeMutablePointer<Base>
  let put: ExternalPut

  private func isExternal(_ column: Int) -> Bool {
    put.table.thresholds.indices.contains(column) && put.table.thresholds[column] != nil
  }

  mutating func setNull(at column: Int) throws {
    if isExternal(column) { put.setNull(at: column) }
    try base.pointee.setNull(at: column)
  }
  mutating func set(_ value: Data, at column: Int) throws {
    let form = isExternal(column) ? try put.form(of: value, at: column) : value
    try base.pointee.set(form, at: column)
  }
  mutating func set(_ value: Bool, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: Int64, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: UInt64, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: Double, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: String, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: Date, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: UUID, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(_ value: Decimal, at column: Int) throws {
    try base.pointee.set(value, at: column)
  }
  mutating func set(array value: [StoredValue], at column: Int) throws {
    try base.pointee.set(array: value, at: column)
  }
  mutating func set(json value: String, at column: Int) throws {
    try base.pointee.set(json: value, at: column)
  }
}

/// A visitor that forwards an engine's reports of a put, as far as the caller asked for them.
struct ExternalPutVisitor<Base: PutVisitor>: PutVisitor {
  let base: UnsafeMutablePointer<Base>
  let put: ExternalPut

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    put.didPut(outcome)
    if put.request.reports.contains(.outcomes) {
      try base.pointee.didPut(outcome, key: key)
    }
  }

  mutating func didRewind() {
    put.rewind()
    base.pointee.didRewind()
  }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try put.willReplace(old)
    guard put.request.reports.contains(.oldRows) else { return }
    let view = put.view
    try withUnsafePointer(to: old) { row in
      try base.pointee.willReplace(
        ExternalRow(base: row, output: put.table.rows, view: view))
    }
  }
}

extension ExternalPut {
  /// The transaction.
  fileprivate var view: ExternalReader { writer }
}

/// A visitor that notes the references of rows as removed.
struct ExternalReferences: RowVisitor {
  var ledger = ExternalLedger()
  var count = 0

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count += 1
    for column in 0..<row.columnCount where try !row.isNull(at: column) {
      if let reference = try row.withBytes(at: column, { try ExternalForm.reference(in: $0) }) {
        ledger.add(reference, -1)
      }
    }
    return .next
  }
}
