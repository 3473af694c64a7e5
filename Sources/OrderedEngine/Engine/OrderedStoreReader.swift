@_spi(Records) internal import ORMStorage

/// A reader of an ordered store.
final class OrderedStoreReader: StoreReader {
  let view: StoreView

  init(_ view: StoreView) { self.view = view }

  deinit { view.end() }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor { try view.cursor(request) }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try view.visit(request, &visitor)
  }

  func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws {
    found = try view.record(shape, binding: binding)
  }

  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws {
    try view.visit(shape, binding: binding, &visitor)
  }

  func explain(_ request: FetchRequest) throws -> Explanation { try view.explain(request) }

  func explainAnalyzing(_ request: FetchRequest) throws -> Explanation {
    try view.explainAnalyzing(request)
  }

  func greatestKey(of entity: String) throws -> Int64? { try view.greatestKey(of: entity) }

  func verify(_ found: (StoreError) throws -> Void) throws { try view.verify(found) }

  func end() { view.end() }
}
