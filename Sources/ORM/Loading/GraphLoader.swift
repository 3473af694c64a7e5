internal import ORMCore

/// Reads the relationships of a prefetch tree into a graph: one request for each relationship of a
/// level, for all its objects together.
///
/// Objects that the graph already holds are not requested again. The rows of a relationship that were read
/// with the page (``LinkedPage``) replace those of a request.
final class GraphLoader {
  let graph = GraphBuilder()
  /// True if to-manys that lead back from the objects read are read too, by their keys alone.
  var followsBack = false
  /// The related rows that are read.
  var deleted = DeletedRows.hidden
  /// A graph that was just saved; the links that it has are not read.
  var written: WrittenGraph?
  /// The rows that were read with the page of the first objects.
  var fetch: (any LinkedFetch)?
  /// The links back that are still to be read.
  private var linksBack: [() throws -> Void] = []
  private let store: any Store
  private let reader: any StoreReader

  init(store: any Store, reader: any StoreReader) {
    self.store = store
    self.reader = reader
  }

  /// Reads a tree from objects of the graph on.
  ///
  /// - Parameter linked: the linked requests of the tree's branches.
  func load<Owner: PrimaryKeyed>(
    _ tree: PrefetchTree, of owners: [Int], in model: Owner.Type, linked: [LinkedBranch?] = []
  ) throws {
    if owners.isEmpty { return }
    for (number, branch) in tree.branches.enumerated() {
      try load(
        Owner.relationship(named: branch.relationship), of: owners, then: branch.then,
        linked: answered(linked, number))
    }
  }

  /// Reads a tree from objects that have no key of their own on.
  func load<Owner: Persistable>(
    _ tree: PrefetchTree, ofKeyless owners: [Owner], linked: [LinkedBranch?] = []
  ) throws {
    for (number, branch) in tree.branches.enumerated() {
      try load(
        Owner.relationship(named: branch.relationship), ofKeyless: owners, then: branch.then,
        linked: answered(linked, number))
    }
  }

  /// The linked request of a branch, if its rows were read with the page.
  private func answered(_ linked: [LinkedBranch?], _ number: Int) -> LinkedBranch? {
    guard let fetch, linked.indices.contains(number), let branch = linked[number],
      fetch.answers(branch.position)
    else { return nil }
    return branch
  }

  private func load<End: RelationshipEnd>(
    _ end: End, ofKeyless owners: [End.Model], then tree: PrefetchTree, linked: LinkedBranch?
  ) throws {
    guard let one = end as? ToOneEnd<End.Model, End.Target> else { return }
    let keys = one.work.keys(one.slot, owners, Array(owners.indices))
    try load(
      tree, of: targets(of: one, keys: keys, linked), in: End.Target.self,
      linked: linked?.then ?? [])
  }

  /// Reads one relationship, and a tree from its targets on.
  private func load<End: RelationshipEnd>(
    _ end: End, of owners: [Int], then tree: PrefetchTree, linked: LinkedBranch?
  ) throws where End.Model: PrimaryKeyed {
    let (level, inverse) = try load(end, of: owners, linked: linked)
    if let inverse {
      let inverse = try End.Target.relationship(named: inverse)
      try attachInverse(inverse, of: end, owners: owners)
      if followsBack { noteBack(inverse, of: level) }
    }
    try load(tree, of: level, in: End.Target.self, linked: linked?.then ?? [])
  }

  /// Reads the links back that were noted, but for those that were read with the tree.
  func loadBack() throws {
    let waiting = linksBack
    linksBack = []
    for load in waiting { try load() }
  }

  private func noteBack<Back: RelationshipEnd>(_ end: Back, of owners: [Int])
  where Back.Model: PrimaryKeyed {
    guard end.declaration.isToMany else { return }
    linksBack.append { [unowned self] in _ = try load(end, of: owners, byKey: true) }
  }

  /// Reads one relationship; gives the positions of its targets and the name of its inverse.
  ///
  /// - Parameters:
  ///   - byKey: whether of the targets of a to-many the keys alone are read.
  ///   - linked: the linked request of the relationship, if its rows were read with the page.
  private func load<End: RelationshipEnd>(
    _ end: End, of owners: [Int], byKey: Bool = false, linked: LinkedBranch? = nil
  ) throws -> (level: [Int], inverse: String?) where End.Model: PrimaryKeyed {
    let entity = try store.plan(of: End.Model.self).entity
    guard let relationship = entity.relationship(named: end.declaration.name),
      let storage = relationship.storage
    else {
      throw StoreError(
        .schemaMismatch, "the store was opened with a schema that lacks this relationship",
        entity: entity.modelName, attributes: [end.declaration.name])
    }
    try written?.note(end, of: owners, in: graph)
    let level: [Int]
    switch storage {
    case .own(let attributes, position: _):
      level = try loadOwn(end, of: owners, keys: attributes, entity: entity, linked)
    case .target(let attributes, let position):
      level = try loadOwned(
        end, of: owners, keys: attributes, position: position, byKey: byKey, linked)
    case .join(let name, let own, let target, let position):
      level = try loadJoined(
        end, of: owners, entity: name, own: own, target: target, position: position,
        byKey: byKey, linked)
    }
    return (level, relationship.inverse)
  }

  /// The number of keys a request lists.
  private var limit: Int { max(1, store.runtime.options.conditionLimits.listItems) }

  // MARK: - By the location of the links

  /// A to-one whose key its owners hold.
  private func loadOwn<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], entity: StoredEntity, _ linked: LinkedBranch?
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    guard let one = end as? ToOneEnd<End.Model, End.Target> else { return [] }
    let table = graph.table(of: End.Model.self)
    let unknown = one.work.unknown(one.slot, table.objects.all, owners)
    if !unknown.isEmpty {
      let related = KeyedRequests.targets(entity, deleted: .included, limit: limit)
      let held = KeyedRequests(entity: entity, attributes: keys, limit: limit)
      var collector = KeyCollector(
        end: end, columns: (entity.key, try held.columns()), owners: table)
      let values = try unknown.map { try table.objects.all[$0].id.keyValues() }
      try visit(related.requests(for: values), nil, &collector)
    }
    _ = table.links(of: end)
    return try targets(of: one, keys: one.work.keys(one.slot, table.objects.all, owners), linked)
  }

  /// Links whose targets hold their owner's key.
  private func loadOwned<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], position: String?, byKey: Bool,
    _ linked: LinkedBranch?
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    let entity = try store.plan(of: End.Target.self).entity
    // Lists of the parts of keys may find a row again, in another of several requests.
    let findsOnce = keys.count == 1 || owners.count <= limit
    let reading = try TargetReading(
      end, of: owners, in: graph, isInRuns: !byKey && findsOnce)
    if reading.keys.isEmpty { return reading.finish(isShared: false) }
    var related = KeyedRequests.targets(
      entity, holding: keys, position: position, deleted: deleted, limit: limit)
    if byKey {
      let key = entity.keyAttributes
      related.output = .values((keys + key).map { .attribute($0) })
      var collector = TargetKeyCollector(
        columns: Array(keys.indices), key: Array(keys.count..<keys.count + key.count),
        sink: reading.sink)
      try visit(related.requests(for: reading.keys), linked, &collector)
    } else {
      var collector = TargetCollector(
        reading.sink, entity: entity, columns: try related.columns())
      try visit(related.requests(for: reading.keys), linked, &collector)
    }
    return reading.finish(isShared: false)
  }

  /// Links in rows of their own, each with the target that it leads to; links to nothing are not
  /// seen (clause 2.9).
  private func loadJoined<End: RelationshipEnd>(
    _ end: End, of owners: [Int], entity name: String, own: [String], target: [String],
    position: String?, byKey: Bool, _ linked: LinkedBranch?
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .schemaMismatch,
        "the store lacks the entity that holds this relationship's links", entity: name)
    }
    let reading = try TargetReading(end, of: owners, in: graph)
    if reading.keys.isEmpty { return reading.finish(isShared: true) }
    let other = try store.plan(of: End.Target.self).entity
    let related = KeyedRequests.links(
      entity, own: own, target: target, position: position, to: other, deleted: deleted,
      limit: limit)
    let columns = Array(other.columns.count..<other.columns.count + own.count)
    if byKey {
      var collector = TargetKeyCollector(columns: columns, key: other.key, sink: reading.sink)
      try visit(related.requests(for: reading.keys), linked, &collector)
    } else {
      var collector = SharedTargetCollector(
        columns: columns, key: other.key, sink: reading.sink,
        targets: TargetCollector(reading.sink, entity: other, columns: columns))
      try visit(related.requests(for: reading.keys), linked, &collector)
    }
    return reading.finish(isShared: true)
  }

  // MARK: - Targets

  /// Reads the targets with these keys, unless the graph has them; gives the positions of those
  /// that are there, each once.
  private func targets<Model, Target>(
    of end: ToOneEnd<Model, Target>, keys: [Target.ID?], _ linked: LinkedBranch?
  ) throws -> [Int] {
    let table = graph.table(of: Target.self)
    let wanted = end.work.wanted(keys, table)
    if !wanted.isEmpty {
      let entity = try store.plan(of: Target.self).entity
      let related = KeyedRequests.targets(entity, deleted: deleted, limit: limit)
      let collector = ObjectCollector(entity: entity, take: end.work.sink(table))
      if linked == nil {
        var collector = collector
        try visit(related.requests(for: end.work.values(wanted)), nil, &collector)
      } else {
        var chosen = WantedCollector(wanted, key: entity.key, objects: collector)
        try visit([], linked, &chosen)
      }
    }
    return end.work.positions(keys, table)
  }

  /// Visits the rows of a linked request that were read with the page, or else those of requests.
  private func visit<V: RowVisitor>(
    _ requests: @autoclosure () throws -> [FetchRequest], _ linked: LinkedBranch?,
    _ visitor: inout V
  ) throws {
    if let linked, let fetch { return try fetch.visit(linked.position, &visitor) }
    for request in try requests() { try reader.visit(request, &visitor) }
  }

  // MARK: - Links back

  /// Attaches the links back, as far as they are known whole: a to-one is, since it has one target;
  /// of a to-many only these.
  private func attachInverse<End: RelationshipEnd, Inverse: RelationshipEnd>(
    _ inverse: Inverse, of end: End, owners: [Int]
  ) throws where End.Model: PrimaryKeyed, Inverse.Model == End.Target {
    if inverse.declaration.isToMany { return }
    let links = graph.table(of: End.Target.self).links(of: inverse)
    if end.declaration.isToMany { return }
    let table = graph.table(of: End.Model.self)
    let targets = graph.table(of: End.Target.self)
    let isHeldHere = !Inverse.Model.entity.resolved.keyPositions(of: inverse).isEmpty
    if isHeldHere { return }
    for owner in owners {
      let object = table.objects.all[owner]
      guard let key = end.key(of: object),
        let target = targets.objects.position(of: key),
        let id = object.id as? Inverse.Target.ID
      else { continue }
      links.note(LinkTargets([id]), at: target)
    }
  }
}
