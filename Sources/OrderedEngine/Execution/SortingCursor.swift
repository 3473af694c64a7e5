@_spi(Records) internal import ORMStorage

/// A cursor over rows that have to be sorted: it reads all that match, keeps the records of those
/// that the page can need, and hands them on in order.
///
/// Rows are sorted by attributes, whose keys are bytes, or by operands, whose keys are values: of
/// related rows, of JSON, of arithmetic. With a limit the cursor holds at most twice the rows up to
/// the page's end; without one, all that match: each takes its record and its sort key.
final class SortingCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let request: FetchRequest
  private let output: RowOutput
  private var sorted: SortedRecords?
  private var row: RecordReader
  private var position = 0
  private var page: PageWindow
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ request: FetchRequest
  ) throws {
    self.view = view
    self.prepared = prepared
    self.request = request
    output = try RowOutput(prepared, request.bindings, view)
    row = RecordReader(prepared.entity.columns)
    page = PageWindow(request)
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    let sorted = try self.sorted ?? collect()
    self.sorted = sorted
    var row = row
    let output = output
    while page.remaining > 0, position < sorted.count {
      defer { position += 1 }
      guard page.takesRow() else { continue }
      guard row.view.move(to: sorted.record(position)) else { throw Catalog.damaged }
      switch try output.pass(row, to: &visitor) {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop: return false
      }
    }
    return false
  }

  /// Collects the records that the page can need, in order.
  private func collect() throws -> SortedRecords {
    let stream = try prepared.stream(view, request.bindings)
    let condition = try prepared.condition(request.bindings, view)
    defer { withExtendedLifetime(condition) {} }
    let sorted = SortedRecords(limit: page.needed)
    var row = row
    if prepared.sortOperands.isEmpty {
      let test = condition?.test
      let keys = prepared.sort
      while try stream.next(&row.view) {
        if let test, try !test.matches(row.view) { continue }
        try sorted.add(row.view, keys)
      }
      try sorted.finish()
    } else {
      try collect(&row, of: stream, where: condition, into: sorted)
    }
    // Where another process added columns meanwhile, the reader has come to know them.
    self.row = row
    return sorted
  }

  /// Collects records whose keys are values.
  private func collect(
    _ row: inout RecordReader, of stream: RowStream, where condition: RecordCondition?,
    into sorted: SortedRecords
  ) throws {
    let terms = try zip(request.shape.sort, prepared.sortOperands).map { term, operand in
      BoundSortTerm(term, try operand.bound(to: request.bindings, related: view))
    }
    var top = TopRows<[UInt8]>(page.needed, by: terms)
    while try stream.next(&row.view) {
      if let condition, try !condition.matches(row) { continue }
      var keys: [StoredValue] = []
      keys.reserveCapacity(terms.count)
      for term in terms { keys.append(try term.key(of: row)) }
      top.add(keys, Array(row.view.bytes))
    }
    for record in try top.sorted() { record.withUnsafeBytes(sorted.append) }
  }
}
