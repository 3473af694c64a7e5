internal import ORMCore

extension ReadTransaction {
  /// Objects with the relationships of a tree, read from this snapshot: the one way from rows to a
  /// graph, for every verb that gives objects with their links.
  ///
  /// - Parameters:
  ///   - roots: objects as they are stored.
  ///   - areBare: whether their links hold no graph and nothing that the program set, as those of
  ///     objects fresh from their rows; others are taken as if they had been fetched.
  ///   - followsBack: whether to-manys that lead back from what the tree reads are read too, by
  ///     their keys.
  /// - Returns: the roots in their order, every link that was read attached to one graph.
  /// - Throws: `unknownAttribute`, `tooComplex`, `decoding`.
  package func loadGraph<Root: PrimaryKeyed>(
    roots: [Root], tree: PrefetchTree, areBare: Bool = false, followsBack: Bool = false
  ) throws -> [Root] {
    let loader = GraphLoader(store: store, reader: try live())
    loader.followsBack = followsBack
    let table = loader.graph.table(of: Root.self)
    let positions = Self.take(roots, into: table, areBare: areBare)
    try loader.load(tree, of: positions.distinct, in: Root.self)
    try loader.loadBack()
    let graph = loader.graph.frozen()
    guard let frozen = graph.table(Root.self) else { return roots }
    return positions.all.map { frozen.object(at: $0, in: graph) }
  }

  /// Puts objects into a graph; gives the position of each, and every position once.
  static func take<Root: PrimaryKeyed>(
    _ roots: [Root], into table: GraphTable<Root>, areBare: Bool
  ) -> (all: [Int], distinct: [Int]) {
    table.objects.reserve(roots.count)
    var all: [Int] = []
    all.reserveCapacity(roots.count)
    for root in roots { all.append(table.objects.insert(areBare ? root : root.bare)) }
    return (all, Array(table.objects.all.indices))
  }

  /// What a fetch gives: rows with the relationships that its query names.
  func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of rows: [Root], reader: any StoreReader,
    deleted: DeletedRows = .hidden
  ) throws -> [Root] {
    if tree.isEmpty || rows.isEmpty { return rows }
    return try Self.prefetching(
      tree, of: rows, store: store, reader: reader, deleted: deleted)
  }

  /// The same for one row, or none.
  func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of row: Root?, deleted: DeletedRows = .hidden
  ) throws -> Root? {
    guard let row, !tree.isEmpty else { return row }
    return try prefetching(tree, of: [row], reader: live(), deleted: deleted).first
  }

  static func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of rows: [Root], store: any Store, reader: any StoreReader,
    deleted: DeletedRows
  ) throws -> [Root] {
    if tree.isEmpty || rows.isEmpty { return rows }
    let loader = GraphLoader(store: store, reader: reader)
    if deleted.includesRelated { loader.deleted = .included }
    if let keyed = Root.self as? any PrimaryKeyed.Type {
      return try loader.prefetching(tree, of: rows, as: keyed)
    }
    try loader.load(tree, ofKeyless: rows)
    let graph = loader.graph.frozen()
    let ends = try tree.branches.map { try Root.relationship(named: $0.relationship) }
    return rows.map { row in
      var row = row
      for end in ends { end.attach(graph, to: &row) }
      return row
    }
  }
}

extension GraphLoader {
  /// Prefetches rows whose model turns out to have a key.
  fileprivate func prefetching<Row, Root: PrimaryKeyed>(
    _ tree: PrefetchTree, of rows: [Row], as root: Root.Type
  ) throws -> [Row] {
    guard let roots = rows as? [Root] else { return rows }
    let table = graph.table(of: Root.self)
    let positions = ReadTransaction.take(roots, into: table, areBare: true)
    try load(tree, of: positions.distinct, in: Root.self)
    let graph = graph.frozen()
    guard let frozen = graph.table(Root.self) else { return rows }
    return positions.all.map { frozen.object(at: $0, in: graph) } as? [Row] ?? rows
  }
}

extension Persistable {
  /// The object as if it had just been read: its links without a graph, and nothing set.
  var bare: Self {
    let entity = Self.entity
    var copy = self
    for (end, columns) in zip(entity.relationships, entity.resolved.keyPositions) {
      end.makeBare(&copy, holdsKey: !columns.isEmpty)
    }
    return copy
  }
}

extension RelationshipEnd {
  /// Leaves of a link what a row would give.
  fileprivate func makeBare(_ model: inout Model, holdsKey: Bool) {
    if !holdsKey {
      forget(in: &model)
    } else if let ids = ids(of: model) {
      setFetched(ids, in: &model)
    }
  }
}
