internal import ORMStorage

/// A cursor over groups of the rows that match.
///
/// If rows come in the order of the groups it forms some of them at a time, and stops with the page;
/// else it forms all when the first is asked for. It holds the keys and aggregates of each group, and no
/// row.
final class GroupingCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let request: FetchRequest
  private let grouping: GroupingPlan
  private var feed: GroupFeed?
  private var groups: GroupRows?
  /// The groups that are formed now, of which the first row was taken.
  private var next: GroupTable?
  /// The number of groups that are formed at a time.
  private var batch: Int
  private var isAtEnd = false

  /// The usual first and the largest number of groups formed at a time, where rows come group by
  /// group.
  private static let batches = 64...4096

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ grouping: GroupingPlan,
    _ request: FetchRequest
  ) {
    self.view = view
    self.prepared = prepared
    self.grouping = grouping
    self.request = request
    let needed = grouping.isWhole ? PageWindow(request).needed : Self.batches.lowerBound
    batch =
      prepared.plan.isGrouped ? max(1, min(needed, Self.batches.upperBound)) : .max
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    while let groups = try groups ?? formed() {
      self.groups = groups
      if try groups.visit(&visitor) {
        isAtEnd = false
        return true
      }
      if groups.isStopped || next == nil { return false }
      self.groups = try formed(after: groups)
    }
    return false
  }

  /// Forms the next groups.
  private func formed(after earlier: GroupRows? = nil) throws -> GroupRows? {
    let feed = try self.feed ?? GroupFeed(view, prepared, grouping, request)
    self.feed = feed
    var table = next ?? GroupTable(grouping.plan)
    next = nil
    guard try feed.fill(&table, upTo: batch) else {
      return try GroupRows(table, grouping.plan, request, after: earlier)
    }
    // The row is taken before others may move its memory.
    var following = GroupTable(grouping.plan)
    try feed.addHeld(to: &following)
    next = following
    defer { batch = min(batch * 4, Self.batches.upperBound) }
    return try GroupRows(table, grouping.plan, request, first: batch, after: earlier)
  }
}
