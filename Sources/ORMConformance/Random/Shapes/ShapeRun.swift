internal import ORM
internal import ORMCore

/// A store with the models of one shape, and the steps done to it through the public API.
struct ShapeRun<S: ShapeTag> {
  let store: any Store
  let shape = ShapeTable.shape(S.number)

  init(_ shape: S.Type, _ round: RandomRound) throws {
    let schema = try Schema(Thing<S, Ant>.self, Thing<S, Bee>.self, Thing<S, Cow>.self)
    store = try round.store(schema, durability: .full)
  }

  static var models: [any Persistable.Type] {
    [Thing<S, Ant>.self, Thing<S, Bee>.self, Thing<S, Cow>.self]
  }

  static func kind(_ number: Int) -> any ThingKind.Type {
    switch number {
    case 0: Ant.self
    case 1: Bee.self
    default: Cow.self
    }
  }

  func run(_ step: ShapeStep) throws {
    switch step {
    case .save(let drafts, let demand): try save(drafts, demand, Self.kind(drafts[0].kind))
    case .resave(let object, let label): try resave(object, label, Self.kind(object.kind))
    case .row(let object, let label, let links):
      try save(row: object, label, links, Self.kind(object.kind))
    case .update(let end, let bound, let id): try update(end, bound, id)
    case .attach(let end, let ids, let owner): try delta(end, owner, .attach(ids))
    case .detach(let end, let ids, let owner): try delta(end, owner, .detach(ids))
    case .insert(let draft, let end, let owner): try delta(end, owner, .insert(draft))
    case .move(let end, let id, let index, let owner): try delta(end, owner, .move(id, index))
    case .delete(let kind, let ids): try delete(ids, Self.kind(kind))
    case .deleteSome(let kind, let bound): try delete(below: bound, Self.kind(kind))
    case .deleteAll(let kind): try deleteAll(Self.kind(kind))
    }
  }

  // MARK: Objects

  func thing<K: ThingKind>(_ draft: ShapeDraft, _ kind: K.Type) -> Thing<S, K> {
    var thing = Thing<S, K>(K.key(draft.id ?? 0), label: draft.label)
    for (reference, elements) in draft.sets {
      guard let end = shape.end(reference) else { continue }
      set(end, of: &thing, to: elements, Self.kind(end.target))
    }
    return thing
  }

  private func set<K: ThingKind, T: ThingKind>(
    _ end: GraphShape.End, of thing: inout Thing<S, K>, to elements: [ShapeDraft.Element],
    _ target: T.Type
  ) {
    let keys = elements.compactMap(\.key).map { T.key($0) }
    let objects = elements.compactMap(\.object).map { self.thing($0, target) }
    if end.isToMany {
      thing[keyPath: T.many(end.slot, of: Thing<S, K>.self)] =
        objects.isEmpty ? .keys(keys) : ToMany(objects)
    } else {
      thing[keyPath: T.one(end.slot, of: Thing<S, K>.self)] =
        objects.first.map { .to($0) } ?? keys.first.map { .key($0) } ?? nil
    }
  }

  private func save<K: ThingKind>(
    _ drafts: [ShapeDraft], _ demand: ShapedGraph.Demand, _ kind: K.Type
  ) throws {
    let things = drafts.map { thing($0, kind) }
    switch (demand, things.count) {
    case (.none, 1): try store.save(things[0])
    case (.new, 1): try store.insert(things[0])
    case (.stored, 1): try store.update(things[0])
    case (.none, _): try store.save(things)
    case (.new, _): try store.insert(things)
    case (.stored, _): try store.update(things)
    }
  }

  private func resave<K: ThingKind>(
    _ object: ShapedGraph.Object, _ label: Int, _ kind: K.Type
  ) throws {
    let found = try store.fetch(query(kind)).first { K.number(of: $0.id) == object.id }
    guard var thing = found else { return }
    thing.label = label
    try store.save(thing)
  }

  /// Every object, with all its links.
  func query<K: ThingKind>(_ kind: K.Type) -> Query<Thing<S, K>> {
    var query = Thing<S, K>.all
    for reference in shape.ends[K.number] {
      guard let end = shape.end(reference) else { continue }
      query = prefetching(end, of: query, Self.kind(end.target))
    }
    return query
  }

  private func prefetching<K: ThingKind, T: ThingKind>(
    _ end: GraphShape.End, of query: Query<Thing<S, K>>, _ target: T.Type
  ) -> Query<Thing<S, K>> {
    end.isToMany
      ? query.prefetch(T.many(end.slot, of: Thing<S, K>.self))
      : query.prefetch(T.one(end.slot, of: Thing<S, K>.self))
  }

  // MARK: Rows by names

  private func values(_ end: GraphShape.Reference, _ id: Int?) throws -> [String: StoredValue] {
    func values<T: ThingKind>(_ target: T.Type, _ name: String) throws -> [String: StoredValue] {
      let key = try id.map { try T.key($0).keyValues() }
      return Dictionary(
        uniqueKeysWithValues: T.keyNames.enumerated().map { index, attribute in
          ("\(name)_\(attribute)", key?[index] ?? .null)
        })
    }
    guard let end = shape.end(end) else { return [:] }
    return try values(Self.kind(end.target), end.name)
  }

  private func save<K: ThingKind>(
    row object: ShapedGraph.Object, _ label: Int, _ links: [(GraphShape.Reference, Int?)],
    _ kind: K.Type
  ) throws {
    var row = DynamicRow(GraphShape.names[object.kind], ["label": .int(Int64(label))])
    for (name, value) in zip(K.keyNames, try K.key(object.id).keyValues()) { row[name] = value }
    for (end, id) in links { row.values.merge(try values(end, id)) { _, new in new } }
    try store.write { _ = try $0.save([row]) }
  }

  private func update(_ end: GraphShape.Reference, _ bound: Int, _ id: Int?) throws {
    guard let kind = shape.end(end)?.kind else { return }
    let query = DynamicQuery(
      GraphShape.names[kind],
      where: .compare(.attribute("label"), .less, .value(.int(Int64(bound))), []))
    let values = try values(end, id).mapValues { Operand.value($0) }
    try store.write { _ = try $0.update(query, values) }
  }

  // MARK: Deltas and deletes

  private enum Delta {
    case attach([Int])
    case detach([Int])
    case insert(ShapeDraft)
    case move(Int, Int)
  }

  private func delta(_ reference: GraphShape.Reference, _ owner: Int, _ delta: Delta) throws {
    func run<K: ThingKind, T: ThingKind>(
      _ end: GraphShape.End, _ kind: K.Type, _ target: T.Type
    ) throws {
      let path = T.many(end.slot, of: Thing<S, K>.self)
      let owner = Thing<S, K>(K.key(owner), label: 0)
      try store.write { tx in
        switch delta {
        case .attach(let ids): try tx.attach(ids.map { T.key($0) }, to: owner.id, path)
        case .detach(let ids): try tx.detach(ids.map { T.key($0) }, from: owner.id, path)
        case .insert(let draft): try tx.insert(thing(draft, target), into: owner, path)
        case .move(let id, let index):
          try tx.move(Thing<S, T>(T.key(id), label: 0), to: index, in: owner, path)
        }
      }
    }
    guard let end = shape.end(reference) else { return }
    try run(end, Self.kind(end.kind), Self.kind(end.target))
  }

  private func delete<K: ThingKind>(_ ids: [Int], _ kind: K.Type) throws {
    if let id = ids.first, ids.count == 1 {
      try store.delete(Thing<S, K>.self, id: K.key(id))
    } else {
      try store.delete(Thing<S, K>.self, ids: ids.map { K.key($0) })
    }
  }

  private func delete<K: ThingKind>(below bound: Int, _ kind: K.Type) throws {
    try store.delete(Thing<S, K>.all.where { $0.label < bound })
  }

  private func deleteAll<K: ThingKind>(_ kind: K.Type) throws {
    try store.deleteAll(Thing<S, K>.self)
  }
}

// MARK: Stored objects

extension ShapeRun {
  /// The objects and links in words, an object a line.
  ///
  /// - Parameter byPages: whether they are read as pages, whose links a store may read with their rows.
  func lines(byPages: Bool) throws -> [String] {
    try store.read { tx in
      try GraphShape.kinds.flatMap { kind in
        try lines(Self.kind(kind), tx, byPages).sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
  }

  private func lines<K: ThingKind>(
    _ kind: K.Type, _ tx: ReadTransaction, _ byPages: Bool
  ) throws -> [(Int, String)] {
    let query = query(kind)
    return try tx.fetch(byPages ? query.limit(1_000) : query).map { thing in
      let number = K.number(of: thing.id)
      let links = shape.ends[K.number].compactMap { shape.end($0) }.map { end in
        " \(end.name) \(ids(end, of: thing, Self.kind(end.target)))"
      }
      return (
        number, "\(GraphShape.names[K.number]) \(number) label \(thing.label)\(links.joined())"
      )
    }
  }

  private func ids<K: ThingKind, T: ThingKind>(
    _ end: GraphShape.End, of thing: Thing<S, K>, _ target: T.Type
  ) -> [Int] {
    guard end.isToMany else {
      let id = thing[keyPath: T.one(end.slot, of: Thing<S, K>.self)].id
      return id.map { [T.number(of: $0)] } ?? []
    }
    let ids = thing[keyPath: T.many(end.slot, of: Thing<S, K>.self)].ids
    guard let numbers = ids?.map({ T.number(of: $0) }) else { return [-1] }
    return end.isOrdered ? numbers : numbers.sorted()
  }
}

extension ShapedGraph {
  /// The objects and links in words, an object a line.
  func lines() -> [String] {
    labels.keys.sorted().map { object in
      let links = shape.ends[object.kind].map { reference in
        guard let end = shape.end(reference) else { return "" }
        // A to-one keeps a key that leads nowhere.
        let mayDangle =
          !end.isToMany && shape.bonds[reference.bond].holdsKey(atSource: reference.isSource)
        let ids = others(reference, of: object.id, dangling: mayDangle)
        return " \(end.name) \(end.isToMany && !end.isOrdered ? ids.sorted() : ids)"
      }
      return "\(GraphShape.names[object.kind]) \(object.id) label \(labels[object] ?? 0)"
        + links.joined()
    }
  }
}
