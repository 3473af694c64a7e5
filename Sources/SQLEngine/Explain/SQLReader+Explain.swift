package import ORMCore

extension SQLReader {
  package final func explain(_ request: FetchRequest) throws -> Explanation {
    let fetch = try self.fetch(request)
    let shape = request.shape
    let text = fetch.plan.query.sql
    if case .constant(false) = shape.condition {
      return Explanation(access: .nothing, isOrderFromAccess: true, detail: text)
    }
    let access = try session.connection.access(of: text, to: fetch.table)
    var compiler = ConditionCompiler(fetch.table, session.dialect)
    let (engine, core) = try compiler.split(shape.condition)
    let bounded = Set(access.bounds.map(\.attribute))
    let tested = engine.filter { condition in
      if case .constant(true) = condition { return false }
      var names = AttributeNames()
      names.add(condition)
      // A comparison of what bounds the range is what bounds it.
      return !condition.isBound || names.names.contains { !bounded.contains($0) }
    }
    return Explanation(
      access: access.access, index: access.index,
      ranges: access.bounds.map { "\($0.attribute) \($0.symbol) ?" },
      engineConditions: tested.map { "\($0)" }, coreConditions: core.map { "\($0)" },
      isOrderFromAccess: !access.isSorted,
      detail: ([text] + access.lines).joined(separator: "\n"))
  }
}

extension Condition {
  /// Whether the condition can bound a range.
  fileprivate var isBound: Bool {
    switch self {
    case .compare(_, .notEqual, _, _): false
    case .compare, .isIn: true
    case .text(_, .beginsWith, _, _): true
    case .text, .constant, .not, .all, .any, .some, .exists, .invalid: false
    }
  }
}
