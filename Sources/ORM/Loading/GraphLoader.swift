internal import ORMCore

/// Reads the relationships of a prefetch tree into a graph: one request for each relationship of a
/// level, for all its objects together.
///
/// What the graph already holds is not asked for again.
final class GraphLoader {
  let graph = GraphBuilder()
  /// Whether to-manys that lead back from what is read are read too, by their keys alone.
  var followsBack = false
  /// Which of the related rows are read.
  var deleted = DeletedRows.hidden
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
    let level = try targets(of: End.self, keys: owners.map { end.key(of: $0) })
    try load(tree, of: level, in: End.Target.self)
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
        .schemaMismatch, "the store was opened without this relationship",
        entity: entity.modelName, attributes: [end.declaration.name])
    }
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

  /// How many keys a request lists.
  private var limit: Int { max(1, store.runtime.options.conditionLimits.listItems) }

  // MARK: - By the place of the links

  /// A to-one whose key its owners hold.
  private func loadOwn<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], entity: StoredEntity
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    let table = graph.table(of: End.Model.self)
    let unknown = owners.filter { end.isUnknown(of: table.objects.all[$0]) }
    if !unknown.isEmpty {
      let related = RelatedRequests(
        entity: entity, attributes: entity.key.map { entity.columns[$0].attribute }, limit: limit)
      let held = RelatedRequests(entity: entity, attributes: keys, limit: limit)
      var collector = KeyCollector(
        end: end, columns: (entity.key, try held.columns()), owners: table)
      try visit(related.requests(for: keyValues(unknown, in: table)), &collector)
    }
    _ = table.links(of: end)
    return try targets(of: End.self, keys: owners.map { end.key(of: table.objects.all[$0]) })
  }

  /// Links whose targets hold their owner's key.
  private func loadOwned<End: RelationshipEnd>(
    _ end: End, of owners: [Int], keys: [String], position: String?, byKey: Bool
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    let entity = try store.plan(of: End.Target.self).entity
    let table = graph.table(of: End.Model.self)
    let targets = graph.table(of: End.Target.self)
    let links = table.links(of: end)
    let (new, isAsked) = unread(owners, links, count: table.objects.all.count)
    var related = RelatedRequests(entity: entity, attributes: keys, limit: limit)
    related.order = keys + (position.map { [$0] } ?? [])
    related.deleted = deleted
    var columns = try related.columns()
    var reading = TargetReading.new
    if byKey {
      let key = entity.key.map { entity.columns[$0].attribute }
      related.output = .values((keys + key).map { .attribute($0) })
      columns = Array(keys.indices)
      reading = .keys(Array(keys.count..<keys.count + key.count))
    }
    var collector = OwnedCollector(
      links, entity: entity, columns: columns, owners: table, isAsked: isAsked,
      targets: targets, reading: reading)
    try visit(related.requests(for: keyValues(new, in: table)), &collector)
    collector.finish()
    if new.count == owners.count { return collector.level }
    return level(of: owners, links, targets)
  }

  /// Links in rows of their own, each with the target that it leads to; links to nothing are not
  /// seen (semantics 2.9).
  private func loadJoined<End: RelationshipEnd>(
    _ end: End, of owners: [Int], entity name: String, own: [String], target: [String],
    position: String?, byKey: Bool
  ) throws -> [Int] where End.Model: PrimaryKeyed {
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .schemaMismatch, "the store has no place for a relationship's links", entity: name)
    }
    let table = graph.table(of: End.Model.self)
    let targets = graph.table(of: End.Target.self)
    let links = table.links(of: end)
    let (new, isAsked) = unread(owners, links, count: table.objects.all.count)
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
    let columns = other.columns.count..<other.columns.count + own.count
    var collector = OwnedCollector(
      links, entity: other, columns: Array(columns), owners: table, isAsked: isAsked,
      targets: targets, reading: byKey ? .keys(other.key) : .shared)
    try visit(related.requests(for: keyValues(new, in: table)), &collector)
    collector.finish()
    return level(of: owners, links, targets)
  }

  /// The owners whose links were not read before, noted as having none for now, and which they are.
  private func unread<End: RelationshipEnd>(
    _ owners: [Int], _ links: GraphLinks<End>, count: Int
  ) -> (new: [Int], isAsked: [Bool]) {
    let new = owners.filter { links.value.targets(at: $0) == nil }
    var isAsked = Array(repeating: false, count: count)
    for owner in new {
      isAsked[owner] = true
      links.value.note([], at: owner)
    }
    return (new, isAsked)
  }

  private func keyValues<Owner: PrimaryKeyed>(
    _ owners: [Int], in table: GraphTable<Owner>
  ) throws -> [[StoredValue]] {
    try owners.map { try table.objects.all[$0].id.keyValues() }
  }

  // MARK: - Targets

  /// Reads the targets with these keys, unless the graph has them; gives the positions of those
  /// that are there, each once.
  private func targets<End: RelationshipEnd>(
    of end: End.Type, keys: [End.Target.ID?]
  ) throws -> [Int] {
    let table = graph.table(of: End.Target.self)
    var wanted: [End.Target.ID] = []
    var seen = KeyPositions(of: End.Target.self)
    for key in keys {
      guard let key, !table.objects.positions.knows(key) else { continue }
      if seen.insert(key, at: wanted.count) == wanted.count { wanted.append(key) }
    }
    if !wanted.isEmpty {
      let entity = try store.plan(of: End.Target.self).entity
      var related = RelatedRequests(
        entity: entity, attributes: entity.key.map { entity.columns[$0].attribute }, limit: limit)
      related.deleted = deleted
      var collector = TargetCollector<End.Target>(entity: entity, targets: table)
      try visit(related.requests(for: wanted.map { try $0.keyValues() }), &collector)
      for key in wanted { table.objects.noteMissing(key) }
    }
    return positions(of: keys, table)
  }

  private func level<End: RelationshipEnd>(
    of owners: [Int], _ links: GraphLinks<End>, _ targets: GraphTable<End.Target>
  ) -> [Int] {
    positions(of: owners.flatMap { links.value.targets(at: $0) ?? [] }, targets)
  }

  /// The positions of those keys that are there, each once.
  private func positions<Target: PrimaryKeyed>(
    of keys: [Target.ID?], _ table: GraphTable<Target>
  ) -> [Int] {
    var isSeen = Array(repeating: false, count: table.objects.all.count)
    var positions: [Int] = []
    for key in keys {
      guard let key, let position = table.objects.positions.position(of: key), !isSeen[position]
      else { continue }
      isSeen[position] = true
      positions.append(position)
    }
    return positions
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
        let target = targets.objects.positions.position(of: key),
        let id = object.id as? Inverse.Target.ID
      else { continue }
      links.value.note([id], at: target)
    }
  }
}
