public import ORMCore

extension ReadTransaction {
  /// The targets of a to-many, as they are stored: for one object, when they are needed.
  ///
  /// ```swift
  /// let players = try store.load(team, \.players)
  /// let withPosts = try store.load(team, \.players) { $0.prefetch(\.posts) }
  /// ```
  ///
  /// - Parameters:
  ///   - model: the object.
  ///   - path: its to-many.
  ///   - nested: relationships of the targets to be fetched with them.
  /// - Throws: `unknownAttribute` for a property that is no declared relationship.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> [Target] {
    try load(model, path, tree: nested(Prefetch()).tree)
  }

  /// The target of a to-one; nil where there is none.
  ///
  /// ```swift
  /// let coach = try tx.load(team, \.coach)
  /// ```
  ///
  /// A to-one whose key the object holds itself is followed by the key that it has.
  ///
  /// - Parameters:
  ///   - model: the object.
  ///   - path: its to-one.
  ///   - nested: relationships of the target to be fetched with it.
  /// - Throws: `unknownAttribute` for a property that is no declared relationship.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> Target? {
    try load(model, path, tree: nested(Prefetch()).tree)
  }

  /// The same objects with one relationship loaded, as it is stored: one request for all of them.
  ///
  /// ```swift
  /// let teams = try store.load(teams, \.players)
  /// teams[0].players.loaded                                   // [Player]
  /// ```
  ///
  /// Their other values stay, and so does a to-one that the program set. Objects of a
  /// class model are left as they are, and others given back.
  ///
  /// - Parameters:
  ///   - models: the objects.
  ///   - path: the relationship.
  ///   - nested: relationships of the targets to be fetched with them.
  /// - Throws: `unknownAttribute` for a property that is no declared relationship.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) throws -> [Model] {
    try load(models, path, tree: nested(Prefetch()).tree)
  }

  func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>, tree: PrefetchTree
  ) throws -> [Target] {
    try reading([model], path, then: tree).first?[keyPath: path].loaded ?? []
  }

  func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>, tree: PrefetchTree
  ) throws -> Target? {
    try reading([model], path, then: tree).first?[keyPath: path].loaded
  }

  func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>, tree: PrefetchTree
  ) throws -> [Model] {
    let end = try Model.relationship(of: path)
    let isHeld = !Model.entity.resolved.keyPositions(of: end).isEmpty
    let read = try reading(models, path, then: tree)
    // A to-one that the object holds itself, and that the program set, stays.
    var models = Model.isClass ? try Model.duplicates(of: models) : models
    end.copy(from: read, to: &models, keepsSet: isHeld)
    return models
  }

  /// The objects as if they had just been fetched, with one relationship.
  private func reading<Model: Persistable>(
    _ models: [Model], _ path: any AnyKeyPath & Sendable, then nested: PrefetchTree
  ) throws -> [Model] {
    let end = try Model.relationship(of: path)
    let tree = PrefetchTree([
      .init(relationship: end.declaration.name, then: nested)
    ])
    try tree.check(for: Model.self)
    return try prefetching(tree, of: models.detached(), reader: live())
  }

  /// The model with this key and relationships; nil when there is none.
  ///
  /// ```swift
  /// let team = try tx.find(Team.self, 7, prefetch: \.players, \.coach)
  /// ```
  ///
  /// Deeper ones are asked for by a query:
  /// `one(Team.all.where { $0.id == 7 }.prefetch(\.players) { $0.prefetch(\.posts) })`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Model? {
    try find(model, id, tree: Prefetch().prefetch(path).prefetch(repeat each others).tree)
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  ///
  /// ```swift
  /// let teams = try tx.find(Team.self, [7, 8], prefetch: \.players)
  /// ```
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: some Sequence<Model.ID>,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> [Model] {
    try find(model, ids, tree: Prefetch().prefetch(path).prefetch(repeat each others).tree)
  }

  func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, tree: PrefetchTree
  ) throws -> Model? {
    try tree.check(for: model)
    let plan = try plan(of: model)
    let page = try linkedPage(
      plan.find(try id.keyValues()), of: model, tree, deleted: .hidden, isOneRow: true)
    guard let page else { return try prefetching(tree, of: find(model, id)) }
    defer { page.fetch.end() }
    let found = try FirstModel.taking(.passUnretained(plan)) { try page.fetch.visit(0, &$0) }
    return try prefetching(tree, of: found, page: page)
  }

  func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: some Sequence<Model.ID>, tree: PrefetchTree
  ) throws -> [Model] {
    try tree.check(for: model)
    return try prefetching(tree, of: find(model, ids), reader: live())
  }
}
