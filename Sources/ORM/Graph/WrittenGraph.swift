internal import ORMCore

/// The objects and links of a graph that was saved, for the save's result, so that they need not be read
/// back.
///
/// It has the objects of entities whose rows are exactly as the objects, and the links of owners whose
/// every link is in the graph. The loader reads the rest.
final class WrittenGraph {
  private let objects: ObjectGraph
  private var graph: RowGraph { objects.rows }
  /// The ends of each entity's relationships, in declared order; nil if its rows may differ from the
  /// objects.
  private var ends: [Int: [LinkEnd]?] = [:]
  /// The nodes of each entity's objects, by their positions in the graph of the result.
  private var nodes: [Int: [Int: Int]] = [:]
  /// The links of each join, by the object of the first and of the second end.
  private var joined: [Int: (first: [Int: [Int]], second: [Int: [Int]])] = [:]
  private let interceptors: StoreInterceptors

  /// Takes the graph of a save; nil if rows or links may differ from the given objects, by a merge policy
  /// or by hooks.
  init?(_ saved: SavedGraph, store: any Store) throws {
    interceptors = try store.interceptors()
    guard saved.rows.policy.isReplacing, !interceptors.hasHooks else { return nil }
    objects = saved.objects
  }

  /// Puts the objects into the graph of the result, which has the roots already.
  func take<Root: PrimaryKeyed>(
    into builder: GraphBuilder, root node: Int, of model: Root.Type
  ) throws {
    nodes[try graph.number(of: model), default: [:]][0] = node
    for object in objects.walked { try object.take(into: builder, of: self) }
  }

  /// Puts an object into the graph of the result as its row would give it.
  func take<Model: PrimaryKeyed>(
    _ model: Model, node number: Int, into builder: GraphBuilder
  ) throws {
    let entity = try graph.number(of: Model.self)
    let table = graph.table(entity)
    guard let ends = try ends(of: Model.self, entity), table.nodes[number].isWhole else { return }
    var object = Model.isClass ? try model.duplicate() : model
    object.id = try Model.ID(keyValues: table.nodes[number].key)
    for (end, location) in zip(Model.entity.relationships, ends) {
      try detach(end, location, &object, number, table)
    }
    nodes[entity, default: [:]][builder.table(of: Model.self).objects.insert(object)] = number
  }

  private func detach<End: RelationshipEnd>(
    _ end: End, _ location: LinkEnd, _ object: inout End.Model, _ node: Int, _ table: ObjectTable
  ) throws {
    guard case .referrer(let slot) = location else { return end.forget(in: &object) }
    let key = graph.key(of: node, slot: slot, in: table)
    end.setFetched(try key.map { [try End.Target.ID(keyValues: $0)] } ?? [], in: &object)
  }

  /// Notes the links of owners in the graph of the result, where all of them are known.
  func note<End: RelationshipEnd>(
    _ end: End, of owners: [Int], in builder: GraphBuilder
  ) throws where End.Model: PrimaryKeyed {
    let entity = try graph.number(of: End.Model.self)
    guard let known = nodes[entity],
      try ends(of: End.Target.self, graph.number(of: End.Target.self)) != nil
    else { return }
    let location = try graph.layout.end(end.declaration.name, of: entity)
    let targets = graph.table(try graph.number(of: End.Target.self))
    let links = builder.table(of: End.Model.self).links(of: end)
    for owner in owners where links.targets(at: owner) == nil {
      guard let node = known[owner],
        let members = members(of: node, in: graph.table(entity), at: location),
        members.list.allSatisfy({ targets.nodes[$0].isWhole })
      else { continue }
      var keys = members.list.map { targets.nodes[$0].key }
      // Stores give targets that have no other order in that of their keys.
      if !members.isOrdered { keys.sort { RowChange.order($0, $1) < 0 } }
      let ids = try keys.map { try End.Target.ID(keyValues: $0) }
      let objects = builder.table(of: End.Target.self)
      if ids.allSatisfy({ objects.objects.position(of: $0) != nil }) {
        links.note(LinkTargets(ids), at: owner)
      }
    }
  }

  /// The targets of an owner, where the graph says all of them: those of a link that was set, or of
  /// an owner whose key is new.
  private func members(
    of owner: Int, in table: ObjectTable, at location: LinkEnd
  ) -> (list: [Int], isOrdered: Bool)? {
    let isNew = table.nodes[owner].hasFreshKey
    let set: [Int]?
    let others: [Int]
    let isOrdered: Bool
    switch location {
    case .referrer: return nil
    case .owner(let number):
      let links = graph.slots[number]
      set = links?.sets[owner]
      others = links?.added[owner] ?? []
      isOrdered = graph.layout.slots[number].position != nil
      // One that was taken in may have been given away again.
      guard ((set ?? []) + others).allSatisfy({ links?.claim(on: $0) == .some(owner) }) else {
        return nil
      }
    case .join(let number, let isFirst):
      let join = graph.layout.joins[number]
      if join.isThrough { return nil }
      let sets = graph.joins[number]?.sets
      set = isFirst ? sets?.first[owner] : sets?.second[owner]
      let joined = links(ofJoin: number)
      others = (isFirst ? joined.first[owner] : joined.second[owner]) ?? []
      isOrdered = join.side(isFirst: isFirst).position != nil
    }
    guard set != nil || isNew else { return nil }
    var list = set ?? []
    var seen = Set(list)
    for other in others where seen.insert(other).inserted { list.append(other) }
    // The positions of those that come beside a list are not known here.
    if isOrdered, list.count > max(set?.count ?? 0, 1) { return nil }
    return (list, isOrdered)
  }

  /// The links of a join by their ends.
  private func links(ofJoin number: Int) -> (first: [Int: [Int]], second: [Int: [Int]]) {
    if let known = joined[number] { return known }
    var new: (first: [Int: [Int]], second: [Int: [Int]]) = ([:], [:])
    for pair in graph.joins[number]?.pairs ?? [] {
      new.first[pair.first, default: []].append(pair.second)
      new.second[pair.second, default: []].append(pair.first)
    }
    joined[number] = new
    return new
  }

  /// The ends of a model's relationships, in declared order; nil where its rows may differ from the
  /// objects.
  private func ends<Model: Persistable>(
    of model: Model.Type, _ number: Int
  ) throws -> [LinkEnd]? {
    if let known = ends[number] { return known }
    let entity = graph.layout.entities[number]
    let isExact =
      interceptors[entity.name]?.changesRows != true && !Model.hasLoadHook
      && entity.deletedAt == nil && entity.parent == nil && entity.subentities.isEmpty
      && !entity.columns.contains(where: \.isNormalized)
    let found =
      isExact
      ? try Model.entity.relationships.map {
        try graph.layout.end($0.declaration.name, of: number)
      } : nil
    ends[number] = .some(found)
    return found
  }
}
