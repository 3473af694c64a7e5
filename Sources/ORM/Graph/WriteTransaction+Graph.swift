internal import ORMCore

extension WriteTransaction {
  /// Writes a graph from its roots.
  ///
  /// - Parameters:
  ///   - isReadAgain: whether the result will have the links that were set, read back.
  func writeGraph<Model: Persistable>(
    _ roots: [GraphRoot<Model>], merge: MergePolicy<Model>, isReadAgain: Bool = false
  ) throws -> SavedGraph {
    let saved = try graph(of: roots, merge: merge, isReadAgain: isReadAgain)
    try GraphWriter(self, saved.rows).write()
    try giveKeys(of: saved.objects)
    if relatedCounts != nil { noteRelated(saved) }
    return saved
  }

  /// Collects the graph of a save from its roots.
  func graph<Model: Persistable>(
    of roots: [GraphRoot<Model>], merge: MergePolicy<Model>, isReadAgain: Bool
  ) throws -> SavedGraph {
    _ = try store.plan(of: Model.self)
    let graph = try ObjectGraph(in: store, policy: GraphPolicy(merge, in: store))
    if isReadAgain { graph.paths = LinkPaths() }
    let nodes = try graph.addRoots(roots)
    try graph.collect()
    return SavedGraph(
      objects: graph, table: graph.rows.table(try graph.rows.number(of: Model.self)), roots: nodes)
  }

  /// Counts the objects of a graph that were not given, and whose rows were put.
  private func noteRelated(_ saved: SavedGraph) {
    for table in saved.rows.ordered {
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

  /// Gives the objects of class models that had no key yet those of the rows that they became.
  package func giveKeys(of graph: ObjectGraph) throws {
    // A key that links make follows from the keys of their targets.
    for isLinked in [false, true] {
      for (object, entity, node) in graph.unkeyed {
        let table = graph.rows.table(entity)
        let key = table.nodes[node].key
        if key.isEmpty || table.keySlots.isEmpty == isLinked { continue }
        if try !isLinked || !has(object, key) { try give(key, to: object) }
      }
    }
  }

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
  let objects: ObjectGraph
  var rows: RowGraph { objects.rows }
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
