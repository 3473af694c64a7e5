internal import ORMStorage

/// A cursor over rows that are sorted by what is worked out of them: by values of related rows, of
/// JSON, of arithmetic.
///
/// With a limit it holds so many rows as the page's end needs; without one, all that match: each
/// takes its record and its sort keys.
final class OperandSortingCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let request: FetchRequest
  private let output: RowOutput
  private var row: RecordReader
  private var sorted: [[UInt8]]?
  private var position = 0
  private var page: Page
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ request: FetchRequest
  ) throws {
    self.view = view
    self.prepared = prepared
    self.request = request
    output = try RowOutput(prepared, request.bindings, view)
    row = RecordReader(prepared.entity.columns)
    page = Page(request)
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    let sorted = try self.sorted ?? collected()
    self.sorted = sorted
    // Of the newest layout that a record was of.
    var row = row
    while page.remaining > 0, position < sorted.count {
      defer { position += 1 }
      guard page.takesRow() else { continue }
      let step = try sorted[position].withUnsafeBytes { record in
        guard row.view.move(to: record) else { throw Catalog.damaged }
        return try output.hand(row, to: &visitor)
      }
      switch step {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop: return false
      }
    }
    return false
  }

  /// The records that the page can need, in order.
  private func collected() throws -> [[UInt8]] {
    let stream = try prepared.stream(view, request.bindings)
    let condition = try prepared.condition(request.bindings, view)
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
    return top.sorted()
  }
}
