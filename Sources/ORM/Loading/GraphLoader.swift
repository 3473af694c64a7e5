internal import ORMCore

/// Reads the relationships of a prefetch tree into a graph: one request for each relationship of a
/// level, for all its objects together.
///
/// Objects that the graph already holds are not requested again.
final class GraphLoader {
  let graph = GraphBuilder()
  /// True if to-manys that lead back from what is read are read too, by their keys alone.
  var followsBack = false
  /// Which of the related rows are read.
  var deleted = DeletedRows.hidden
  /// A graph that was just saved; what it says of links is not read.
  var written: WrittenGraph?
  /// The links back that are still to be read.
  private var linksBack: [() throws -> Void] = []
  private let store: any Store
  private let reader: any StoreReader

  init(store: any Store, reader: any StoreReader) {
    self.store = store
    self.reader = reader
  }

  /// Reads a tree from objects of the graph on.
  func load<Owner: PrimaryKeyed>(
    _ tree: PrefetchTree, of owners: [Int], in model: Owner.Type
  ) throws {
    if owners.isEmpty { return }
    for branch in tree.branches {
      try load(Owner.relationship(named: branch.relationship), of: owners, then: branch.then)
    }
  }

  /// Reads a tree from objects that have no key of their own on.
  func load<Owner: Persistable>(_ tree: PrefetchTree, ofKeyless owners: [Owner]) throws {
    for branch in tree.branches {
      try load(
        Owner.relationship(named: branch.relationship), ofKeyless: owners, then: branch.then)
    }
  }

  private func load<End: RelationshipEnd>(
    _ end: End, ofKeyless owners: [End.Model], then tree: PrefetchTree
  ) throws {
    guard let one = end as? ToOneEnd<End.Model, End.Target> else { return }
    let keys = one.work.keys(one.slot, owners, Array(owners.indices))
    try load(tree, of: targets(of: one, keys: keys), in: End.Target.self)
  }

  /// Reads one relationship, and a tree from its targets on.
  func load<End: RelationshipEnd>(
    _ end: End, of owners: [Int], then tree: PrefetchTree
  ) throws where End.Model: PrimaryKeyed {
    let (level, inverse) = try load(end, of: owners)
    if let inverse {
      let inverse = try End.Target.relationship(named: inverse)
      try attachInverse(inverse, of: end, owners: owners)
      if followsBack { noteBack(inverse, of: level) }
    }
    try load(tree, of: level, in: End.Target.self)
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
  /// - Parameter byKey: whether of the targets of a to-many the keys alone are read.
  private func load<End: RelationshipEnd>(
    _ end: End, of owners: [Int], byKey: Bool = false
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
      level = try loadOwn(end, of: owners, keys: attributes, entity: entity)
    case .target(let attributes, let position):
      level = try loadOwned(
        end, of: owners, keys: attributes, position: position, byKey: byKey)
    case .join(let name, let own, let target, let position):
      level = try loadJoined(
        end, of: owners, entity: name, own: own, target: target, position: position,
        byKey: byKey)
    }
    return (level, relationship.inverse)
  }

  /// The number of keys a request lists.
  private var limit: Int { max(1, store.runtime.options.conditionLimits.listItems) }

  // MARK: - By the location of the links

  /// A to-one whose key its owners hold.
  private func loadOwn<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], entity: StoredEntity
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    guard let one = end as? ToOneEnd<End.Model, End.Target> else { return [] }
    let table = graph.table(of: End.Model.self)
    let unknown = one.work.unknown(one.slot, table.objects.all, owners)
    if !unknown.isEmpty {
      let related = RelatedRequests(
        entity: entity, attributes: entity.key.map { entity.columns[$0].attribute }, limit: limit)
      let held = RelatedRequests(entity: entity, attributes: keys, limit: limit)
      var collector = KeyCollector(
        end: end, columns: (entity.key, try held.columns()), owners: table)
      let values = try unknown.map { try table.objects.all[$0].id.keyValues() }
      try visit(related.requests(for: values), &collector)
    }
    _ = table.links(of: end)
    return try targets(of: one, keys: one.work.keys(one.slot, table.objects.all, owners))
  }

  /// Links whose targets hold their owner's key.
  private func loadOwned<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], position: String?, byKey: Bool
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    let entity = try store.plan(of: End.Target.self).entity
    // Lists of the parts of keys may find a row again, in another of several requests.
    let findsOnce = keys.count == 1 || owners.count <= limit
    let reading = try TargetReading(
      end, of: owners, in: graph, isInRuns: !byKey && findsOnce)
    var related = RelatedRequests(entity: entity, attributes: keys, limit: limit)
    related.order = keys + (position.map { [$0] } ?? [])
    related.deleted = deleted
    if byKey {
      let key = entity.key.map { entity.columns[$0].attribute }
      related.output = .values((keys + key).map { .attribute($0) })
      var collector = TargetKeyCollector(
        columns: Array(keys.indices), key: Array(keys.count..<keys.count + key.count),
        sink: reading.sink)
      try visit(related.requests(for: reading.keys), &collector)
    } else {
      var collector = TargetCollector(
        reading.sink, entity: entity, columns: try related.columns())
      try visit(related.requests(for: reading.keys), &collector)
    }
    return reading.finish(isShared: false)
  }

  /// Links in rows of their own, each with the target that it leads to; links to nothing are not
  /// seen (clause 2.9).
  private func loadJoined<End: RelationshipEnd>(
    _ end: End, of owners: [Int], entity name: String, own: [String], target: [String],
    position: String?, byKey: Bool
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .schemaMismatch,
        "the store lacks the entity that holds this relationship's links", entity: name)
    }
    let reading = try TargetReading(end, of: owners, in: graph)
    let other = try store.plan(of: End.Target.self).entity
    var related = RelatedRequests(entity: entity, attributes: own, limit: limit)
    related.order = own + (position.map { [$0] } ?? []) + target
    related.deleted = deleted
    let keys = zip(other.key, target).map { column, attribute in
      RelatedRows.Link(other.columns[column].attribute, equals: Operand.Path([attribute]))
    }
    related.output = .joined(
      RelatedRows.Step(
        entity: other.name, scope: 1, links: keys,
        nullAttribute: deleted == .hidden ? other.deletedAtAttribute : nil), own)
    let columns = Array(other.columns.count..<other.columns.count + own.count)
    if byKey {
      var collector = TargetKeyCollector(columns: columns, key: other.key, sink: reading.sink)
      try visit(related.requests(for: reading.keys), &collector)
    } else {
      var collector = SharedTargetCollector(
        columns: columns, key: other.key, sink: reading.sink,
        targets: TargetCollector(reading.sink, entity: other, columns: columns))
      try visit(related.requests(for: reading.keys), &collector)
    }
    return reading.finish(isShared: true)
  }

  // MARK: - Targets

  /// Reads the targets with these keys, unless the graph has them; gives the positions of those
  /// that are there, each once.
  private func targets<Model, Target>(
    of end: ToOneEnd<Model, Target>, keys: [Target.ID?]
  ) throws -> [Int] {
    let table = graph.table(of: Target.self)
    let wanted = end.work.wanted(keys, table)
    if !wanted.isEmpty {
      let entity = try store.plan(of: Target.self).entity
      var related = RelatedRequests(
        entity: entity, attributes: entity.key.map { entity.columns[$0].attribute }, limit: limit)
      related.deleted = deleted
      var collector = ObjectCollector(entity: entity, take: end.work.sink(table))
      try visit(related.requests(for: end.work.values(wanted)), &collector)
    }
    return end.work.positions(keys, table)
  }

  private func visit<V: RowVisitor>(_ requests: [FetchRequest], _ visitor: inout V) throws {
    for request in requests { try reader.visit(request, &visitor) }
  }

  // MARK: - The way back

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
