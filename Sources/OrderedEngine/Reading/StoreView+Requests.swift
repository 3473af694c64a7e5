internal import ORMCore

extension StoreView {
  /// A cursor over what a request asks for.
  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    try check()
    let entity = try layout.entity(request.shape.entity)
    let path: BoundAccess.Path = entity.space == nil ? .nothing : .rows([.everything])
    return try ResidualCursor(
      over: RowCursor(self, entity, BoundAccess(path: path)), request: request,
      entity: entity.declared, schema: layout.declared)
  }

  /// Visits everything that a request asks for.
  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    _ = try cursor(request).visit(&visitor)
  }

  /// How a request would be answered.
  func explain(_ request: FetchRequest) throws -> Explanation {
    Explanation(access: .scan, isOrderFromAccess: false, detail: "scan")
  }
}
