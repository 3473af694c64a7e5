internal import ORMCore

extension ReadTransaction {
  /// Objects with the relationships of a tree, read from this snapshot: the one path from rows to a
  /// graph, for every operation that gives objects with their links.
  ///
  /// - Parameters:
  ///   - roots: objects as they are stored.
  ///   - areDetached: whether their links hold no graph and no values that the program set, as those of
  ///     objects fresh from their rows; others are taken as if they had been fetched.
  ///   - followsBack: whether to-manys that lead back from the objects read are read too, by their keys.
  /// - Returns: the roots in their order, every link that was read attached to one graph.
  /// - Throws: `unknownAttribute`, `tooComplex`, `decoding`.
  package func loadGraph<Root: PrimaryKeyed>(
    roots: [Root], tree: PrefetchTree, areDetached: Bool = false, followsBack: Bool = false
  ) throws -> [Root] {
    try loadGraph(
      roots: roots, tree: tree, areDetached: areDetached, followsBack: followsBack, written: nil)
  }

  /// The same.
  ///
  /// - Parameter written: a graph that was just saved, with the node of its only root: its objects and
  ///   links are not read.
  func loadGraph<Root: PrimaryKeyed>(
    roots: [Root], tree: PrefetchTree, areDetached: Bool, followsBack: Bool,
    written: (graph: WrittenGraph, root: Int)?
  ) throws -> [Root] {
    let loader = GraphLoader(store: store, reader: try live())
    loader.followsBack = followsBack
    let table = loader.graph.table(of: Root.self)
    let detached = areDetached ? roots : try roots.detached()
    let positions = loader.take(detached, into: table, for: tree)
    let owners = Array(table.objects.all.indices)
    if let written {
      loader.written = written.graph
      try written.graph.take(into: loader.graph, root: written.root, of: Root.self)
    }
    try loader.load(tree, of: owners, in: Root.self)
    try loader.loadBack()
    return try loader.graph.frozen(givingOut: positions, of: Root.self)
  }

  /// Returns the rows of a fetch with the relationships that its query names.
  ///
  /// - Parameters:
  ///   - areDistinct: whether no key is twice among them.
  ///   - page: the page of the rows, if it was read together with its related rows.
  package func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of rows: [Root], reader: any StoreReader,
    deleted: DeletedRows = .hidden, areDistinct: Bool = false, page: LinkedPage? = nil
  ) throws -> [Root] {
    if tree.isEmpty || rows.isEmpty { return rows }
    return try Self.prefetching(
      tree, of: rows, store: store, reader: reader, deleted: deleted, areDistinct: areDistinct,
      page: page)
  }

  /// The same for one row, or none.
  func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of row: Root?, deleted: DeletedRows = .hidden, page: LinkedPage? = nil
  ) throws -> Root? {
    guard let row, !tree.isEmpty else { return row }
    return try prefetching(
      tree, of: [row], reader: live(), deleted: deleted, areDistinct: true, page: page
    ).first
  }

  /// Begins to read a page together with a tree; nil if there is no tree, if the page may be large, or if
  /// the store sends one request after another.
  ///
  /// - Parameters:
  ///   - request: the request for the page.
  ///   - isOneRow: whether the request gives at most one row, which its limit need not say.
  /// - Returns: the page, whose fetch the caller ends.
  func linkedPage<Root: Persistable>(
    _ request: FetchRequest, of model: Root.Type, _ tree: PrefetchTree, deleted: DeletedRows,
    isOneRow: Bool = false
  ) throws -> LinkedPage? {
    if tree.isEmpty { return nil }
    // A link back to a hidden row of the page would continue from a row that its own request does not
    // read.
    guard deleted == .hidden || deleted.includesRelated else { return nil }
    guard isOneRow || request.limit.map({ $0 <= LinkedPage.mostRows }) ?? false else { return nil }
    return try LinkedPage(
      request, of: model, tree, store: store, reader: live(), deleted: deleted)
  }

  static func prefetching<Root: Persistable>(
    _ tree: PrefetchTree, of rows: [Root], store: any Store, reader: any StoreReader,
    deleted: DeletedRows, areDistinct: Bool = false, page: LinkedPage? = nil
  ) throws -> [Root] {
    if tree.isEmpty || rows.isEmpty { return rows }
    let loader = GraphLoader(store: store, reader: reader)
    loader.fetch = page?.fetch
    let linked = page?.branches ?? []
    if deleted.includesRelated { loader.deleted = .included }
    if let keyed = Root.self as? any PrimaryKeyed.Type {
      return try loader.prefetching(
        tree, of: rows, as: keyed, areDistinct: areDistinct, linked: linked)
    }
    try loader.load(tree, ofKeyless: rows, linked: linked)
    let graph = try loader.graph.frozen()
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
    _ tree: PrefetchTree, of rows: [Row], as root: Root.Type, areDistinct: Bool,
    linked: [LinkedBranch?]
  ) throws -> [Row] {
    // One type under two names. From `Any` the cast compares the types of the arrays, and does not
    // go through the elements.
    guard let roots = rows as Any as? [Root] else { return rows }
    let table = graph.table(of: Root.self)
    let positions: [Int]
    if areDistinct {
      table.objects.begin(with: roots)
      positions = Array(roots.indices)
    } else {
      positions = take(roots, into: table, for: tree)
    }
    try load(tree, of: Array(table.objects.all.indices), in: Root.self, linked: linked)
    return try graph.frozen(givingOut: positions, of: Root.self) as Any as? [Row] ?? rows
  }

  /// Puts objects into a graph, each key once; gives the position of each.
  fileprivate func take<Root: PrimaryKeyed>(
    _ roots: [Root], into table: GraphTable<Root>, for tree: PrefetchTree
  ) -> [Int] {
    func work<End: RelationshipEnd<Root>>(_ end: End) -> (([Root], GraphTable<Root>) -> [Int])? {
      (end as? ToManyEnd<Root, End.Target>)?.work.take
    }
    for branch in tree.branches {
      if let end = try? Root.relationship(named: branch.relationship), let take = work(end) {
        return take(roots, table)
      }
    }
    return roots.map { table.objects.insert($0) }
  }
}

extension Array where Element: Persistable {
  /// Copies of the objects as if they had just been read: their links have no graph and no values that
  /// were set.
  func detached() throws -> [Element] {
    let entity = Element.entity
    var copy = Element.isClass ? try Element.duplicates(of: self) : self
    for (end, columns) in zip(entity.relationships, entity.resolved.keyPositions) {
      end.detach(&copy, holdsKey: !columns.isEmpty)
    }
    return copy
  }
}
