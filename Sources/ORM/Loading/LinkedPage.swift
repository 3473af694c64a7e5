internal import ORMCore

/// A page of objects that a store reads together with the relationships of a prefetch tree.
package struct LinkedPage {
  /// The rows of the page and of its relationships.
  let fetch: any LinkedFetch
  /// The linked requests of the tree's branches.
  let branches: [LinkedBranch?]

  /// The greatest number of rows of a page that is read so, since a store holds all of them in memory.
  static var mostRows: Int { 2_000 }

  /// Begins to read a page; nil if the store sends one request after another.
  ///
  /// - Parameters:
  ///   - request: the request for the page, of at most ``mostRows``.
  ///   - tree: the relationships, which the model has.
  ///   - deleted: which of the related rows are read.
  init?<Root: Persistable>(
    _ request: FetchRequest, of model: Root.Type, _ tree: PrefetchTree, store: any Store,
    reader: any StoreReader, deleted: DeletedRows
  ) throws {
    var branches: [LinkedBranch?] = []
    let fetch = try (reader as? any LinkedReading)?.linkedFetch(of: request) {
      var requests = LinkedRequests(
        store: store, deleted: deleted.includesRelated ? .included : .hidden)
      branches = try requests.add(tree, of: model, from: 0)
      return requests.all
    }
    guard let fetch else { return nil }
    self.fetch = fetch
    self.branches = branches
  }
}

/// The linked request of a branch of a prefetch tree.
struct LinkedBranch {
  /// The position of the request in its ``LinkedFetch``.
  let position: Int
  /// The linked requests of the branches from its targets on; nil for those that are sent by themselves.
  let then: [LinkedBranch?]
}

/// The linked requests of a prefetch tree, each after the one that leads to it.
private struct LinkedRequests {
  let store: any Store
  let deleted: DeletedRows
  private(set) var all: [LinkedRequest] = []

  /// The most linked requests of a page: a database takes longer to plan a text the longer it is.
  private static var most: Int { 16 }

  /// Adds the requests of a tree, from the rows of the request at a position on.
  mutating func add<Owner: Persistable>(
    _ tree: PrefetchTree, of model: Owner.Type, from parent: Int
  ) throws -> [LinkedBranch?] {
    // The hook of an object may give it other keys than its row has.
    if Owner.hasLoadHook { return [] }
    let owner = try store.plan(of: model).entity
    return try tree.branches.map { branch in
      try add(
        Owner.relationship(named: branch.relationship), of: owner, then: branch.then, from: parent)
    }
  }

  private mutating func add<End: RelationshipEnd>(
    _ end: End, of owner: StoredEntity, then tree: PrefetchTree, from parent: Int
  ) throws -> LinkedBranch? {
    guard all.count < Self.most,
      let storage = owner.relationship(named: end.declaration.name)?.storage
    else { return nil }
    let target = try store.plan(of: End.Target.self).entity
    // Values are listed nowhere.
    let limit = 1
    switch storage {
    case .own(let attributes, position: _):
      guard end is ToOneEnd<End.Model, End.Target> else { return nil }
      all.append(
        KeyedRequests.targets(target, deleted: deleted, limit: limit)
          .linked(to: parent, by: attributes))
    case .target(let attributes, let position):
      all.append(
        KeyedRequests.targets(
          target, holding: attributes, position: position, deleted: deleted, limit: limit
        ).linked(to: parent, by: owner.keyAttributes))
    case .join(let name, let own, let attributes, let position):
      guard let links = store.schema.entity(named: name) else { return nil }
      all.append(
        KeyedRequests.links(
          links, own: own, target: attributes, position: position, to: target,
          deleted: deleted, limit: limit
        ).linked(to: parent, by: owner.keyAttributes))
    }
    let position = all.count
    return LinkedBranch(
      position: position, then: try add(tree, of: End.Target.self, from: position))
  }
}
