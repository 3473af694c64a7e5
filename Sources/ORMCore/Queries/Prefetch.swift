internal import ORMStorage

/// The relationships to fetch with the objects of a model: the argument of nested `prefetch`
/// closures.
///
/// ```swift
/// Team.all.prefetch(\.coach, \.leagues)                       // two relationships
///   .prefetch(\.players) { $0.prefetch(\.posts, \.friends) }  // and those of the players
/// Folder.all.prefetch(\.children, depth: 3)                   // children of children of children
/// ```
public struct Prefetch<Model: Persistable>: Hashable, Sendable {
  /// The relationships to fetch, by names.
  public private(set) var tree = PrefetchTree()

  /// Makes a prefetch of no relationships.
  public init() {}

  /// These relationships too.
  public func prefetch<each Value: RelationshipValue>(
    _ paths: repeat AttributePath<Model, each Value>
  ) -> Prefetch {
    var copy = self
    for path in repeat each paths { copy.add(path, then: PrefetchTree()) }
    return copy
  }

  /// This relationship too, and relationships of its targets.
  public func prefetch<Value: RelationshipValue>(
    _ path: AttributePath<Model, Value>,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target>
  ) -> Prefetch {
    var copy = self
    copy.add(path, then: nested(Prefetch<Value.Target>()).tree)
    return copy
  }

  /// Adds a relationship of the model to itself, `depth` levels deep; 0 fetches nothing.
  public func prefetch<Value: RelationshipValue>(
    _ path: AttributePath<Model, Value>, depth: Int
  ) -> Prefetch where Value.Target == Model {
    var copy = self
    guard (0...PrefetchTree.maximumDepth).contains(depth) else {
      let error =
        depth < 0
        ? StoreError(
          .invalidCondition, "the depth of a prefetch cannot be negative",
          entity: Model.entity.declared.name) : PrefetchTree.tooDeep(in: Model.self)
      copy.tree.add(.init(relationship: "", then: PrefetchTree(), error: error))
      return copy
    }
    var tree = PrefetchTree()
    for _ in 0..<depth {
      var outer = Prefetch()
      outer.add(path, then: tree)
      tree = outer.tree
    }
    for branch in tree.branches { copy.tree.add(branch) }
    return copy
  }

  private mutating func add(_ path: any AnyKeyPath & Sendable, then nested: PrefetchTree) {
    do {
      let end = try Model.relationship(of: path)
      tree.add(.init(relationship: end.declaration.name, then: nested))
    } catch {
      let error = error as? StoreError ?? StoreError(.invalidCondition, "\(error)")
      tree.add(.init(relationship: "", then: PrefetchTree(), error: error))
    }
  }
}

extension Query {
  /// The rows with these relationships: one request for each, for any number of rows; for a many-to-many two,
  /// the links and their targets.
  ///
  /// ```swift
  /// let teams = try store.fetch(Team.all.prefetch(\.players, \.coach))
  /// teams[0].players.loaded                                  // [Player]
  /// ```
  ///
  /// Within one fetch there is one value for each key, and links lead both ways: the team of a
  /// prefetched player is there as well. Counts and aggregates leave it aside.
  public func prefetch<each Value: RelationshipValue>(
    _ paths: repeat AttributePath<Model, each Value>
  ) -> Query {
    prefetching(Prefetch<Model>().prefetch(repeat each paths))
  }

  /// The rows with this relationship, and with relationships of its targets:
  /// `.prefetch(\.players) { $0.prefetch(\.posts) }`.
  ///
  /// ```swift
  /// Team.all.prefetch(\.players) { $0.prefetch(\.posts) }
  /// ```
  public func prefetch<Value: RelationshipValue>(
    _ path: AttributePath<Model, Value>,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target>
  ) -> Query {
    prefetching(Prefetch<Model>().prefetch(path, then: nested))
  }

  /// Returns a copy that prefetches a relationship of the model to itself, `depth` levels deep.
  ///
  /// ```swift
  /// Folder.all.prefetch(\.children, depth: 3)
  /// ```
  public func prefetch<Value: RelationshipValue>(
    _ path: AttributePath<Model, Value>, depth: Int
  ) -> Query where Value.Target == Model {
    prefetching(Prefetch<Model>().prefetch(path, depth: depth))
  }

  private func prefetching(_ more: Prefetch<Model>) -> Query {
    var copy = self
    for branch in more.tree.branches { copy.prefetches.add(branch) }
    return copy
  }
}
