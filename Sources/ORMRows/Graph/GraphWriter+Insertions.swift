internal import ORMStorage

extension GraphWriter {
  /// Moves the targets that were given an index in an ordered to-many, in the order given.
  func positionInserted() throws {
    for insertion in graph.insertions where !policy.isInsertOnly || isNew(insertion) {
      let owner = insertion.owner
      let delta = LinkDelta(
        layout: layout, end: insertion.end, owner: owner.table, target: insertion.target.table,
        relationship: insertion.relationship, key: graph.table(owner.table).nodes[owner.node].key)
      let key = graph.table(insertion.target.table).nodes[insertion.target.node].key
      try transaction.move([key], to: insertion.index, delta)
    }
  }

  /// True if a link was made, where nothing of stored objects changes.
  private func isNew(_ insertion: LinkInsertion) -> Bool {
    let owner = graph.table(insertion.owner.table).nodes[insertion.owner.node]
    let target = graph.table(insertion.target.table).nodes[insertion.target.node]
    if case .join = insertion.end, owner.stored == nil { return true }
    return target.stored == nil
  }
}
