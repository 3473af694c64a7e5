internal import ORMStorage

/// A cursor over the one row of aggregates that are had by several requests.
final class SplitTotalsCursor: StoreCursor {
  private let view: StoreView
  private let split: SplitTotals
  private let request: FetchRequest
  private var isAtEnd = false

  init(_ view: StoreView, _ split: SplitTotals, _ request: FetchRequest) {
    self.view = view
    self.split = split
    self.request = request
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    var page = PageWindow(request)
    guard page.remaining > 0, page.takesRow() else { return false }
    var totals = Array(
      repeating: StoredValue.null, count: split.positions.reduce(0) { $0 + $1.count })
    for (prepared, positions) in zip(split.parts, split.positions) {
      var taken = ValueCollector(atMost: 1)
      let part = FetchRequest(prepared.shape, bindings: request.bindings)
      _ = try view.cursor(prepared, part).visit(&taken)
      for (position, value) in zip(positions, taken.rows.first ?? []) { totals[position] = value }
    }
    _ = try visitor.visit(BufferedRow(totals))
    return false
  }
}
