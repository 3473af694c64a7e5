internal import ORMStorage

extension WriteTransaction {
  /// Makes stored objects targets of a to-many, by their keys; gives how many were none before.
  ///
  /// - Throws: `missingTarget`, naming the owner; `notFound` if the owner is not stored;
  ///   `validationFailed`.
  package func attach(_ keys: [[StoredValue]], _ delta: LinkDelta) throws -> Int {
    if keys.isEmpty { return 0 }
    if let added = try PlainLinks(delta)?.insert(to: keys, in: self) { return added }
    let graph = RowGraph(
      layout: delta.layout, policy: .replacing(delta.ownerEntity),
      uuids: store.runtime.options.uuids)
    let targets = graph.table(delta.target)
    let name = LinkName(
      relationship: graph.name(delta.relationship, of: delta.owner),
      referrer: graph.add(key: delta.key, to: graph.table(delta.owner)))
    return try link(keys.map { graph.add(key: $0, to: targets, namedBy: name) }, in: graph, delta)
  }

  /// Writes a graph with links from an owner to some of its objects, each of them once; gives how many
  /// are new.
  package func link(_ targets: [Int], in graph: RowGraph, _ delta: LinkDelta) throws -> Int {
    let nodes = RowGraph.distinct(targets)
    let owners = graph.table(delta.owner)
    let owner = graph.add(key: delta.key, to: owners)
    if !owners.nodes[owner].isWhole { owners.nodes[owner].demand = .stored }
    for node in nodes { try graph.link(node, to: owner, at: delta.end) }
    let writer = GraphWriter(self, graph)
    try writer.write()
    guard case .owner(let number) = delta.end else { return writer.insertedJoins }
    let table = graph.table(delta.target)
    let columns = graph.layout.slots[number].columns
    return nodes.count { node in
      zip(columns, delta.key).contains { !StoredValue.equals(table.stored($0, of: node), $1) }
    }
  }
}
