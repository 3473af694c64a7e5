import ORMCore

/// A view of the content as it was when the view began: a copy of the whole.
class ArrayReader: StoreReader {
  var content: ArrayContent

  init(_ content: ArrayContent) { self.content = content }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    let table = try content.table(request.shape.entity)
    var entity = table.entity
    entity.columns = Array(entity.columns.prefix(table.declaredCount))
    return try ResidualCursor(
      over: ArrayCursor(table.declaredRows), request: request, entity: entity,
      schema: content.seen, related: self)
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    var explanation = Explanation(
      access: .scan, coreConditions: [request.shape.condition.description],
      isOrderFromAccess: false, detail: "every row of \(request.shape.entity) is tested by core")
    if case .groups = request.shape.output {
      explanation.groups = Explanation.Groups(.core, areInOrder: false)
    }
    return explanation
  }

  func greatestKey(of entity: String) throws -> Int64? { try content.table(entity).lastKey }

  func end() {}
}

/// Rows handed over one after another.
final class ArrayCursor: StoreCursor {
  private let rows: [[StoredValue]]
  private var position = 0
  private var check = StopCheck()

  init(_ rows: [[StoredValue]]) { self.rows = rows }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    while position < rows.count {
      try check.step()
      position += 1
      switch try visitor.visit(BufferedRow(rows[position - 1])) {
      case .next: continue
      case .pause: return true
      case .stop: position = rows.count
      }
    }
    return false
  }
}
