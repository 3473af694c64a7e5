internal import ORMCore

extension WriteTransaction {
  /// Saves objects with all that they reach through links that were set, and gives the counts and keys of
  /// the objects themselves.
  func saveGraph<Model: PrimaryKeyed>(
    _ models: [Model], demand: GraphNode.Demand, merge: MergePolicy<Model> = .replace
  ) throws -> SaveResult<Model> {
    let saved = try writeGraph(models.map { GraphRoot($0, demand: demand) }, merge: merge)
    return SaveResult(
      counts: saved.counts, keys: try saved.keys.map { try Model.ID(keyValues: $0) })
  }

  /// Saves one object with all that it reaches, and gives it back as stored.
  func saveGraph<Model: PrimaryKeyed>(
    _ model: Model, demand: GraphNode.Demand, merge: MergePolicy<Model> = .replace
  ) throws -> Model {
    let saved = try writeGraph(
      [GraphRoot(model, demand: demand)], merge: merge, isReadAgain: true)
    return try result(of: saved, for: model, merge: merge)
  }

  /// Writes a graph from its roots.
  ///
  /// - Parameters:
  ///   - isReadAgain: whether the result will have the links that were set, read back.
  func writeGraph<Model: Persistable>(
    _ roots: [GraphRoot<Model>], merge: MergePolicy<Model>, isReadAgain: Bool = false
  ) throws -> SavedGraph {
    _ = try store.plan(of: Model.self)
    let policy = try GraphPolicy(merge, in: store)
    let graph = ObjectGraph(
      layout: try store.linkLayout(), policy: policy,
      uuids: store.runtime.options.uuids)
    if isReadAgain { graph.paths = LinkPaths() }
    let nodes = try graph.addRoots(roots)
    try graph.collect()
    try GraphWriter(self, graph, policy: policy).write()
    try giveKeys(of: graph)
    let saved = SavedGraph(
      graph: graph, table: graph.table(try graph.number(of: Model.self)), roots: nodes)
    if relatedCounts != nil { noteRelated(saved) }
    return saved
  }

  /// Counts the objects of a graph that were not given, and whose rows were put.
  private func noteRelated(_ saved: SavedGraph) {
    for table in saved.graph.ordered {
      let given = table === saved.table ? Set(saved.roots) : []
      var counts = relatedCounts?[table.entity.modelName] ?? SaveCounts()
      for (number, node) in table.nodes.enumerated() where !given.contains(number) {
        switch node.outcome {
        case .inserted: counts.inserted += 1
        case .updated: counts.updated += 1
        case .unchanged: counts.unchanged += 1
        case nil: break
        }
      }
      if counts != SaveCounts() { relatedCounts?[table.entity.modelName] = counts }
    }
  }
}

extension WriteTransaction {
  /// Gives the objects of class models that had no key yet those of the rows that they became.
  package func giveKeys(of graph: ObjectGraph) throws {
    // A key that links make follows from the keys of their targets.
    let linked = graph.unkeyed.filter { !graph.table($0.entity).keySlots.isEmpty }
    for unkeyed in graph.unkeyed where graph.table(unkeyed.entity).keySlots.isEmpty {
      let key = graph.table(unkeyed.entity).nodes[unkeyed.node].key
      if !key.isEmpty { try give(key, to: unkeyed.object) }
    }
    for unkeyed in linked {
      let key = graph.table(unkeyed.entity).nodes[unkeyed.node].key
      if try !key.isEmpty && !has(unkeyed.object, key) { try give(key, to: unkeyed.object) }
    }
  }
}

extension WriteTransaction {
  /// Returns whether an object has a key.
  private func has<Model: PrimaryKeyed>(_ object: Model, _ key: [StoredValue]) throws -> Bool {
    Model.ID.isStored(object.id, as: try Model.ID(keyValues: key))
  }
}

/// An object that is to be saved with all that it reaches.
package struct GraphRoot<Model: Persistable> {
  let model: Model
  /// The requirement that its row must meet before the save.
  let demand: GraphNode.Demand
  /// The key of the row that it goes into, where that is not its own.
  let key: [StoredValue]?

  package init(_ model: Model, demand: GraphNode.Demand, key: [StoredValue]? = nil) {
    self.model = model
    self.demand = demand
    self.key = key
  }
}

/// The result of writing a graph.
struct SavedGraph {
  let graph: ObjectGraph
  let table: ObjectTable
  /// The nodes of the objects that were given.
  let roots: [Int]

  /// The keys of the objects that were given.
  var keys: [[StoredValue]] { roots.map { table.nodes[$0].key } }

  /// The numbers of the given objects that were inserted, updated and left unchanged.
  ///
  /// Of several objects with one key, the first counts for the row, the others as updates of it.
  var counts: SaveCounts {
    var counts = SaveCounts()
    var seen: Set<Int> = []
    for root in roots {
      guard seen.insert(root).inserted else {
        counts.updated += 1
        continue
      }
      switch table.nodes[root].outcome {
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .unchanged, nil: counts.unchanged += 1
      }
    }
    return counts
  }
}
