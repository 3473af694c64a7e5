internal import ORMCore

/// A cursor over whole rows, as an access reaches them.
final class RowCursor: StoreCursor {
  private let view: StoreView
  private let entity: EntityStorage
  private let stream: RowStream
  private var isAtEnd = false

  init(_ view: StoreView, _ entity: EntityStorage, _ access: BoundAccess) {
    self.view = view
    self.entity = entity
    stream = RowStream(view, entity, access)
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    var reader = RecordReader(entity.columns)
    while try stream.next(&reader.view) {
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
