internal import ORMStorage

/// A loader of the stored state of a graph's objects before they are saved.
struct GraphState {
  let transaction: WriteTransaction
  let graph: RowGraph

  /// Finds out which objects are stored, and reads their links.
  ///
  /// - Throws: `missingTarget`, `notFound`.
  func load() throws {
    for table in graph.ordered { try load(table, from: 0) }
    try claimFetched()
    if let missing = missingTarget() { throw missing }
    for table in graph.ordered { try check(table) }
  }

  private func load(_ table: ObjectTable, from start: Int) throws {
    // The put of an object to be inserted refuses it if it is there.
    var keys: [[StoredValue]] = []
    for node in table.nodes[start...] where !node.key.isEmpty && node.demand != .new {
      keys.append(node.key)
    }
    let read = table.entity.key + table.linkColumns
    let output = read + (table.entity.deletedAt.map { [$0] } ?? [])
    let rows = try transaction.rows(
      of: table.entity, where: table.entity.key, in: keys, output: output)
    var check = StopCheck()
    for row in rows {
      try check.step()
      guard let node = table.node(Array(row.prefix(table.entity.key.count))) else { continue }
      table.nodes[node].stored = Array(row[table.entity.key.count..<read.count])
      table.nodes[node].isHidden = output.count > read.count && row[read.count].isNull == false
    }
  }

  /// A to-one that was fetched counts where its object turns out to be new; else it is left alone.
  private func claimFetched() throws {
    var starts: [Int: Int] = [:]
    for link in graph.fetched {
      let slot = graph.layout.slots[link.slot]
      let referrer = graph.table(slot.referrer).nodes[link.referrer]
      guard referrer.stored == nil, graph.slots[link.slot]?.claim(on: link.referrer) == nil else {
        continue
      }
      let owners = graph.table(slot.owner)
      let count = owners.nodes.count
      let owner = graph.add(
        key: link.key, to: owners,
        namedBy: LinkName(relationship: link.name, referrer: link.referrer))
      if owners.nodes.count > count, starts[slot.owner] == nil { starts[slot.owner] = count }
      if slot.isOne, graph.slots[link.slot]?.referrers[owner] != nil { continue }
      try graph.link(link.referrer, to: owner, slot: link.slot)
    }
    for (number, start) in starts { try load(graph.table(number), from: start) }
  }

  /// The error of a link to an object that does not exist; of several that of the entity, then the
  /// relationship, then the object that comes first.
  ///
  /// A row that already holds the key keeps it (clause 2.9). A hidden row does not exist
  /// for one that does not hold its key, unless the graph has the object.
  private func missingTarget() -> StoreError? {
    var first: (order: [Int], error: StoreError)?
    for table in graph.ordered {
      for (index, node) in table.nodes.enumerated()
      where (node.stored == nil || node.isHidden) && !node.isWhole && node.demand == .none {
        guard let link = node.namedBy, !isWritten(node.key, below: table.entity) else { continue }
        let (number, relationship) = graph.names[link.relationship]
        let referrers = graph.table(number)
        switch try? graph.layout.end(relationship, of: number) {
        case .referrer(let slot):
          let columns = graph.layout.slots[slot].columns
          if holds(referrers, link.referrer, columns, key: node.key) { continue }
        case .owner(let slot):
          let columns = graph.layout.slots[slot].columns
          if holds(table, index, columns, key: referrers.nodes[link.referrer].key) { continue }
        case .join, nil: break
        }
        let order = [
          number,
          referrers.entity.relationships.firstIndex { $0.name == relationship } ?? .max,
          link.referrer,
        ]
        if let first, !order.lexicographicallyPrecedes(first.order) { continue }
        first = (
          order,
          .missingTarget(
            node.key, of: table.entity, relationship: relationship, of: referrers.entity,
            key: referrers.nodes[link.referrer].key)
        )
      }
    }
    return first?.error
  }

  /// Returns whether the graph has an object of a subentity with a key, which is a row of the entity.
  private func isWritten(_ key: [StoredValue], below entity: StoredEntity) -> Bool {
    let root = transaction.store.schema.root(of: entity)
    if root.subentities.isEmpty { return false }
    let below = entity.parent == nil ? root.subentities.map(\.name) : root.kinds(of: entity)
    return graph.ordered.contains { table in
      table.entity.name != entity.name && below.contains(table.entity.name)
        && table.node(key).map { table.nodes[$0].isWhole } == true
    }
  }

  /// Returns whether a stored row holds a key.
  private func holds(
    _ table: ObjectTable, _ node: Int, _ columns: [Int], key: [StoredValue]
  ) -> Bool {
    !key.isEmpty && table.nodes[node].stored != nil
      && zip(columns, key).allSatisfy { column, value in
        StoredValue.equals(table.stored(column, of: node), value)
      }
  }

  private func check(_ table: ObjectTable) throws {
    for node in table.nodes
    where node.demand == .stored && (node.stored == nil || node.isHidden && !node.isWhole) {
      throw StoreError(
        .notFound, "there is no row with this key", entity: table.entity.modelName,
        key: node.key)
    }
  }
}
