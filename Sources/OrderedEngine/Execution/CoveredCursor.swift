internal import ORMStorage

/// A cursor over attributes that the entries of an index hold: rows are not looked at.
final class CoveredCursor: StoreCursor {
  private let view: StoreView
  private let entity: EntityStorage
  private let stream: RowStream
  private var reader: EntryReader
  private var page: PageWindow
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ output: EntryColumns, _ request: FetchRequest
  ) throws {
    self.view = view
    entity = prepared.entity
    stream = try prepared.stream(view, request.bindings)
    reader = EntryReader(output)
    page = PageWindow(request)
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    try page.pass(stream.pass)
    while page.remaining > 0, let entry = try stream.nextEntry() {
      guard page.takesRow() else { continue }
      guard reader.move(to: entry) else { throw entity.missing() }
      switch try visitor.visit(reader) {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop: return false
      }
    }
    return false
  }
}
