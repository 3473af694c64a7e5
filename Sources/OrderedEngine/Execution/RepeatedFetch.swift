@_spi(Records) internal import ORMStorage

/// A request that runs again and again.
///
/// Values that do not change are bound once, and the cursors over the map stay open between two runs.
final class RepeatedFetch: RepeatedRequest {
  private let view: StoreView
  private let prepared: PreparedRequest
  /// The condition tested of each row; nil if it changes, or if nothing is tested.
  private let condition: RecordCondition?
  private let output: RowOutput
  private let method: Method
  private var stream: RowStream?
  var mostCounted = Int.max
  /// The values that make up the one range of keys that is read; nil if there is not just one.
  private let prefix: [KeyPrefixPart]?
  private let filter: EntryFilter?

  /// The method by which the request is answered.
  private enum Method {
    /// Row by row, here.
    case rows
    /// A count of keys, made here.
    case count(Int)
    /// A request of its own.
    case anew
  }

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ bindings: [StoredValue], changing: Int
  ) throws {
    self.view = view
    self.prepared = prepared
    let isFixed = !prepared.plan.residual.names(parameterBelow: changing)
    method =
      switch prepared.output {
      case _ where !isFixed || !prepared.sortOperands.isEmpty || !prepared.sort.isEmpty: .anew
      case _ where !prepared.plan.isOneAccess: .anew
      case .columns where prepared.integerKeySlot != nil && prepared.residual == nil: .anew
      case .columns, .values: .rows
      case .totals(let plans) where prepared.residual == nil && plans.allSatisfy(\.isRowCount):
        .count(plans.count)
      case .totals, .groups, .joined: .anew
      }
    condition = isFixed ? try prepared.condition(bindings, view) : nil
    filter = isFixed ? try prepared.entryFilter(view, bindings) : nil
    output = try RowOutput(prepared, bindings, view)
    prefix = prepared.plan.prefix(prepared.entity)
  }

  func visit<V: RowVisitor>(_ bindings: [StoredValue], _ visitor: inout V) throws {
    if case .anew = method {
      return try view.visit(FetchRequest(prepared.shape, bindings: bindings), &visitor)
    }
    try view.check()
    guard let stream = try self.stream(bindings) else {
      if case .count(let columns) = method { try report(0, columns, &visitor) }
      return
    }
    if case .count(let columns) = method {
      return try report(stream.pass(mostCounted), columns, &visitor)
    }
    var row = RecordReader(prepared.entity.columns)
    let test = condition?.test
    while try stream.next(&row.view) {
      if let test, try !test.matches(row.view) { continue }
      if case .next = try output.pass(row, to: &visitor) { continue }
      return
    }
  }

  private func report<V: RowVisitor>(_ count: Int, _ columns: Int, _ visitor: inout V) throws {
    _ = try visitor.visit(BufferedRow(Array(repeating: .int(Int64(count)), count: columns)))
  }

  /// The rows for some values; nil where there can be none.
  private func stream(_ bindings: [StoredValue]) throws -> RowStream? {
    if let prefix, let stream, stream.restart(prefix, bindings) { return stream }
    let access = try prepared.plan.bound(prepared.entity, to: bindings)
    if access.path.isNothing { return nil }
    if let stream, stream.restart(access) { return stream }
    let new = try RowStream(view, prepared.entity, access, filter: filter)
    stream = new
    return new
  }
}

extension StoreView: RepeatingReader {
  /// The memo of a path on the snapshot.
  func memo(of key: RelatedMemoKey) -> RelatedMemo { relatedMemos.memo(of: key) }

  /// A request that is asked again and again, for one row after another.
  func repeated(
    _ shape: FetchShape, bindings: [StoredValue], changing: Int, isPresence: Bool
  ) throws -> any RepeatedRequest {
    try check()
    return try RepeatedFetch(self, try prepared(shape), bindings, changing: changing)
  }
}

extension Condition {
  /// Returns whether a part that must hold compares an attribute with one of the first parameters.
  fileprivate func names(parameterBelow count: Int) -> Bool {
    switch self {
    case .all(let parts): parts.contains { $0.names(parameterBelow: count) }
    case .compare(_, _, .parameter(let slot, _), _): slot < count
    default: false
    }
  }
}
