internal import ORMCore

// What a save of one object gives back: the object as stored, its links as if they had been
// fetched, both ways.

extension WriteTransaction {
  /// An object that was saved, as stored; properties that are no attributes stay the object's.
  ///
  /// What the program set is read again, one request for each relationship of a level. A to-one
  /// that was set by its key alone stays as it is, without its object.
  func result<Model: PrimaryKeyed>(
    of saved: SavedGraph, for model: Model, merge: MergePolicy<Model>
  ) throws -> Model {
    guard let root = saved.roots.first, let key = saved.keys.first else { return model }
    let plan = try store.plan(of: Model.self)
    var stored = model
    if case .replace = merge.kind {
      stored.id = try Model.ID(keyValues: key)
      if plan.isNormalizing { stored = try stored.withNormalizedTexts() }
    } else {
      stored = try find(Model.self, Model.ID(keyValues: key)) ?? model
    }
    var tree = PrefetchTree()
    var empty: [any RelationshipEnd<Model>] = []
    for end in Model.entity.relationships {
      let branches = try take(end, of: model, into: &stored, root: root, saved)
      if let branches {
        for branch in branches { tree.add(branch) }
      } else {
        empty.append(end)
      }
    }
    for branch in saved.graph.paths?.tree().branches ?? []
    where tree.branches.contains(where: { $0.relationship == branch.relationship }) {
      tree.add(branch)
    }
    if !tree.isEmpty {
      stored = try loadGraph(roots: [stored], tree: tree, areBare: true).first ?? stored
    }
    if !empty.isEmpty {
      let graph = FetchGraph(tables: [:])
      for end in empty { attachNothing(end, graph, to: &stored) }
    }
    return stored
  }

  private func attachNothing<End: RelationshipEnd>(
    _ end: End, _ graph: FetchGraph, to stored: inout End.Model
  ) {
    end.attach(graph, targets: [], to: &stored)
  }

  /// Makes one link of a saved object bare.
  ///
  /// - Returns: what of it is to be read; nil where it is known to lead nowhere.
  private func take<End: RelationshipEnd>(
    _ end: End, of model: End.Model, into stored: inout End.Model, root: Int, _ saved: SavedGraph
  ) throws -> [PrefetchTree.Branch]? {
    let graph = saved.graph
    let name = end.declaration.name
    let place = try graph.layout.end(name, of: saved.table.number)
    let elements = end.change(of: model)
    switch place {
    case .holder(let number):
      let key = graph.key(of: root, slot: number, in: saved.table)
      try end.setFetched(key.map { [try End.Target.ID(keyValues: $0)] } ?? [], in: &stored)
      guard let element = elements?.first, case .object = element else { return [] }
    case .owner(let number):
      end.forget(in: &stored)
      guard let elements else { return [] }
      let links = graph.slots[number]
      if elements.isEmpty, links?.holders[root] == nil, links?.added[root] == nil { return nil }
    case .join(let number, let isFirst):
      end.forget(in: &stored)
      guard let elements else { return [] }
      let links = graph.joins[number]?.pairs ?? []
      if elements.isEmpty,
        !links.contains(where: { isFirst ? $0.first == root : $0.second == root })
      {
        return nil
      }
    }
    let back = try inverse(of: end, at: place, root: root, saved)
    return [
      PrefetchTree.Branch(
        relationship: name,
        then: PrefetchTree(back.map { [PrefetchTree.Branch(relationship: $0)] } ?? []))
    ]
  }

  /// So many links back are read with what a save gives back; where there are more, they are not
  /// loaded.
  private static var linksBack: Int { 100 }

  /// The to-many back from the targets of a saved object, where it is short.
  private func inverse<End: RelationshipEnd>(
    of end: End, at place: LinkEnd, root: Int, _ saved: SavedGraph
  ) throws -> String? {
    let graph = saved.graph
    var nodes: [Int] = []
    let entity: StoredEntity
    let columns: [Int]
    let name: String?
    let targets: ObjectTable
    switch place {
    case .holder(let number):
      let slot = graph.layout.slots[number]
      if slot.isOne { return nil }
      targets = graph.table(slot.owner)
      if let owner = graph.slots[number]?.claim(on: root) ?? nil { nodes = [owner] }
      (entity, columns, name) = (graph.layout.entities[slot.holder], slot.columns, slot.ownerName)
    case .owner: return nil
    case .join(let number, let isFirst):
      let join = graph.layout.joins[number]
      let side = join.side(isFirst: !isFirst)
      targets = graph.table(side.entity)
      nodes =
        (isFirst ? graph.joins[number]?.sets.first : graph.joins[number]?.sets.second)?[root] ?? []
      (entity, columns, name) = (graph.layout.entities[join.entity], side.columns, side.name)
    }
    guard let name, !nodes.isEmpty, nodes.count <= Self.linksBack else { return nil }
    var count = 0
    for condition in KeyLists(entity, columns).conditions(nodes.map { targets.nodes[$0].key }) {
      var visitor = ValueCollector()
      try live().visit(
        FetchRequest(
          entity: entity.name,
          output: .values([.attribute(entity.columns[columns[0]].attribute)]),
          condition: condition, sort: RequestLowering.total([], entity: entity),
          limit: Self.linksBack + 1), &visitor)
      count += visitor.rows.count
      if count > Self.linksBack { return nil }
    }
    return name
  }
}

extension ObjectGraph {
  /// The owner's key that an object's row holds; nil for none.
  func key(of node: Int, slot number: Int, in table: ObjectTable) -> [StoredValue]? {
    let slot = layout.slots[number]
    if let claim = slots[number]?.claim(on: node) {
      return claim.map { self.table(slot.owner).nodes[$0].key }
    }
    let stored = slot.columns.map { table.stored($0, of: node) }
    return stored.contains(where: \.isNull) ? nil : stored
  }
}

extension Persistable {
  /// The model as it reads back, its normalized texts in their form; the model itself where they
  /// are in it already.
  fileprivate func withNormalizedTexts() throws -> Self {
    let stored = try Mapper.attributeValues(of: self)
    let given = try BufferedRow(encoding: self).values
    return stored == given ? self : try Mapper.model(from: stored)
  }
}
