internal import ORMStorage

/// Aggregates of several kinds, each answered by the access path that costs least: the least and
/// the greatest from the ends of an index, a count by itself.
struct SplitTotals: Sendable {
  /// The requests.
  let parts: [PreparedRequest]
  /// The positions of each request's aggregates in the returned row.
  let positions: [[Int]]

  /// Splits a shape; nil where one pass over rows or entries is as good.
  init?(_ shape: FetchShape, _ layout: StoreLayout) throws {
    guard case .aggregates(let aggregates) = shape.output else { return nil }
    var groups: [Operand?: [Int]] = [:]
    for (position, aggregate) in aggregates.enumerated() {
      switch aggregate.kind {
      case .count where aggregate.operand == nil: break
      case .minimum, .maximum: break
      default: return nil
      }
      groups[aggregate.operand, default: []].append(position)
    }
    if groups.count < 2 { return nil }
    positions = groups.values.sorted { $0[0] < $1[0] }
    parts = try positions.map { positions in
      try PreparedRequest(
        FetchShape(
          entity: shape.entity, output: .aggregates(positions.map { aggregates[$0] }),
          condition: shape.condition), layout)
    }
    guard parts.allSatisfy({ $0.plan.isExtreme || ($0.residual == nil && $0.filter == nil) }),
      parts.contains(where: \.plan.isExtreme)
    else { return nil }
  }
}
