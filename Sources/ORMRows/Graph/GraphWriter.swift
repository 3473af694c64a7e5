internal import ORMStorage

/// Writes a graph: rows first, links where they were not in them, all of it inside a savepoint.
///
/// Keys that links make are computed first, as far as the keys of the owners are known.
///
/// 1. Rows that lose their owner, or that another row replaces at an owner of one, lose its key, so
///    that unique rules do not see them there.
/// 2. Stored rows are updated, which may free values that new ones need.
/// 3. New rows are inserted, first those whose keys other rows hold.
/// 4. Keys that were not known in time are set, then links that are rows.
/// 5. Targets that were given an index in an ordered to-many are moved there.
package final class GraphWriter {
  let transaction: WriteTransaction
  let graph: RowGraph
  var policy: GraphPolicy { graph.policy }
  var layout: LinkLayout { graph.layout }
  /// The ordering keys of referrers, by slot.
  var orderingKeys: [Int: [Int: Int64]] = [:]
  /// The keys of the rows that lose their owner and are not in the graph, by slot.
  var orphans: [Int: [[StoredValue]]] = [:]
  /// Objects whose rows were written before the key of an owner was known, by table.
  var deferred: [Int: Set<Int>] = [:]
  /// Stored objects whose rows are written when the keys of their owners are known, by table.
  var waiting: [Int: [Int]] = [:]
  /// The number of links that are rows and were inserted.
  package var insertedJoins = 0
  /// The owners that are counted at the end because rows were deleted.
  var counted = CountedOwners()
  /// The links that are rows and were deleted: the keys of both ends, by join.
  var removedJoins: [Int: [[StoredValue]]] = [:]

  package init(_ transaction: WriteTransaction, _ graph: RowGraph) {
    self.transaction = transaction
    self.graph = graph
  }

  /// Writes everything.
  ///
  /// - Throws: `missingTarget`, `notFound`, `missingValue`, `requiredCycle`, `validationFailed`, and as
  ///   a put.
  package func write() throws {
    try graph.resolveKeys()
    try GraphState(transaction: transaction, graph: graph).load()
    if policy.isInsertOnly { leaveStoredAlone() }
    try findPreviousOwners()
    try checkRequired()
    let order = try GraphOrder(graph)
    try transaction.operation { _ in
      try releaseReferrers()
      try moveRequired()
      for table in graph.ordered { try update(table) }
      for level in order.levels {
        for (table, nodes) in level { try insert(nodes, of: graph.table(table)) }
      }
      for table in graph.ordered { try updateWaiting(table) }
      for number in graph.slots.keys.sorted() { try setDeferredKeys(number) }
      for number in graph.joins.keys.sorted() { try writeJoins(number) }
      try positionInserted()
      try checkCounts()
    }
  }

  /// Leaves stored objects unchanged, with the links that their rows hold: the policy is `.insertOnly`.
  private func leaveStoredAlone() {
    for (number, links) in graph.slots {
      let slot = layout.slots[number]
      let referrers = graph.table(slot.referrer)
      let owners = graph.table(slot.owner)
      var remaining = links
      for referrer in links.owners.keys where referrers.nodes[referrer].stored != nil {
        remaining.forget(referrer)
      }
      for owner in links.sets.keys where owners.nodes[owner].stored != nil {
        remaining.keepMembers(of: owner)
      }
      remaining.keepRemoved()
      graph.slots[number] = remaining
    }
    for (number, links) in graph.joins {
      var remaining = links
      for isFirst in [true, false] {
        let owners = graph.table(layout.joins[number].side(isFirst: isFirst).entity)
        let sets = isFirst ? links.sets.first : links.sets.second
        for owner in sets.keys where owners.nodes[owner].stored != nil {
          remaining.keepMembers(of: owner, isFirst: isFirst)
        }
      }
      let first = graph.table(layout.joins[number].first.entity)
      let second = graph.table(layout.joins[number].second.entity)
      remaining.keep {
        first.nodes[$0.first].stored == nil || second.nodes[$0.second].stored == nil
      }
      remaining.keepRemoved()
      graph.joins[number] = remaining
    }
  }

  /// A required to-one leads somewhere in every row that is written.
  private func checkRequired() throws {
    for (number, slot) in layout.slots.enumerated() where slot.isRequired {
      guard let table = graph.tables[slot.referrer] else { continue }
      for (node, object) in table.nodes.enumerated() {
        let claim = graph.slots[number]?.claim(on: node)
        let isMissing: Bool =
          if let claim { claim == nil } else { object.isNew }
        if isMissing { throw missing(slot, key: object.key) }
      }
    }
  }

  /// The error of a required to-one that would lead nowhere.
  func missing(_ slot: KeySlot, key: [StoredValue]) -> StoreError {
    .withoutTarget(slot.name, of: layout.entities[slot.referrer], key: key)
  }
}
