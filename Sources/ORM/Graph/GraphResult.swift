internal import ORMCore

// The result of saving one object: the object as stored, its links as if fetched, in both directions.

extension WriteTransaction {
  /// An object that was saved, as stored; properties that are no attributes stay the object's.
  ///
  /// Values that the program set are taken from the written graph (``WrittenGraph``). Rows and links that
  /// may differ from it are read: one request for each relationship of a level, and the to-manys that
  /// lead back by their keys. A to-one that was set by its key alone has the key, without its object.
  func result<Model: PrimaryKeyed>(
    of saved: SavedGraph, for model: Model, merge: MergePolicy<Model>
  ) throws -> Model {
    guard let root = saved.roots.first, let key = saved.keys.first else { return model }
    let plan = try store.plan(of: Model.self)
    var stored = Model.isClass ? try model.duplicate() : model
    if case .replace = merge.resolved(in: store).kind, !plan.isChangedByWrites {
      stored.id = try Model.ID(keyValues: key)
      if plan.isNormalizing { stored = try stored.asStored() }
    } else {
      stored = try self.stored(Model.self, Model.ID(keyValues: key)) ?? stored
    }
    var tree = PrefetchTree()
    var empty: [any RelationshipEnd<Model>] = []
    for end in Model.entity.relationships {
      switch try take(end, of: model, into: &stored, root: root, saved) {
      case .done: break
      case .toRead: tree.add(PrefetchTree.Branch(relationship: end.declaration.name))
      case .empty: empty.append(end)
      }
    }
    for branch in saved.objects.paths?.tree().branches ?? []
    where tree.branches.contains(where: { $0.relationship == branch.relationship }) {
      tree.add(branch)
    }
    if !tree.isEmpty {
      stored =
        try loadGraph(
          roots: [stored], tree: tree, areDetached: true, followsBack: true,
          written: WrittenGraph(saved, store: store).map { ($0, root) }
        ).first ?? stored
    }
    if !empty.isEmpty {
      let graph = FetchGraph(tables: [])
      for end in empty { attachNothing(end, graph, to: &stored) }
    }
    return stored
  }

  private func attachNothing<End: RelationshipEnd>(
    _ end: End, _ graph: FetchGraph, to stored: inout End.Model
  ) {
    end.attach(graph, targets: LinkTargets([]), to: &stored)
  }

  /// The work that remains for a link of a saved object.
  private enum LinkReading {
    case done
    case toRead
    /// None: the link is known to lead nowhere.
    case empty
  }

  /// Detaches one link of a saved object, and returns the work that remains for it.
  private func take<End: RelationshipEnd>(
    _ end: End, of model: End.Model, into stored: inout End.Model, root: Int, _ saved: SavedGraph
  ) throws -> LinkReading {
    let graph = saved.rows
    let name = end.declaration.name
    let location = try graph.layout.end(name, of: saved.table.number)
    let elements = end.change(of: model)
    // The program had read the links that it changed.
    let wasChanged = end.steps(of: model) != nil && end.ids(of: model) != nil
    switch location {
    case .referrer(let number):
      let key = graph.key(of: root, slot: number, in: saved.table)
      try end.setFetched(key.map { [try End.Target.ID(keyValues: $0)] } ?? [], in: &stored)
      guard let element = elements?.first, case .object = element else { return .done }
    case .owner(let number):
      end.forget(in: &stored)
      guard let elements else { return wasChanged ? .toRead : .done }
      let links = graph.slots[number]
      if elements.isEmpty, links?.referrers[root] == nil, links?.added[root] == nil {
        return .empty
      }
    case .join(let number, let isFirst):
      end.forget(in: &stored)
      guard let elements else { return wasChanged ? .toRead : .done }
      let links = graph.joins[number]?.pairs ?? []
      if elements.isEmpty,
        !links.contains(where: { isFirst ? $0.first == root : $0.second == root })
      {
        return .empty
      }
    }
    return .toRead
  }
}
