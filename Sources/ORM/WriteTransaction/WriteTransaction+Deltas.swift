public import ORMCore

// Changes of a to-many link by link: they read and write only the named links, at any size of the
// to-many.

extension WriteTransaction {
  /// Saves an object and makes it a target of a to-many: `insert(p, into: team, \.players)`.
  ///
  /// ```swift
  /// let saved = try tx.insert(Player(name: "Bo"), into: team, \.players)
  /// ```
  ///
  /// The other targets stay. One that another owner of a one-to-many holds moves.
  ///
  /// - Parameters:
  ///   - target: the object.
  ///   - owner: the object that has the to-many.
  ///   - path: the to-many.
  ///   - index: its index in an ordered to-many; the end unless said otherwise.
  /// - Returns: the object as stored.
  /// - Throws: as `save`; `notFound` when the owner is not stored, `validationFailed`.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) throws -> Target {
    let delta = try LinkDelta(owner.id, path, store: store)
    let saved = try operation { transaction in
      let saved = try transaction.insert([target], delta)
      if let index { try transaction.move(saved.keys, to: index, delta) }
      return saved
    }
    return try result(of: saved, for: target, merge: .storeDefault)
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// ```swift
  /// let result = try tx.insert(players, into: team, \.players)
  /// ```
  ///
  /// - Throws: as for one object; then nothing was written.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) throws -> SaveResult<Target> {
    let delta = try LinkDelta(owner.id, path, store: store)
    if targets.isEmpty { return SaveResult(counts: SaveCounts(), keys: []) }
    return try operation { transaction in
      let saved = try transaction.insert(targets, delta)
      if let index { try transaction.move(saved.keys, to: index, delta) }
      return SaveResult(
        counts: saved.counts, keys: try saved.keys.map { try Target.ID(keyValues: $0) })
    }
  }

  /// Makes stored objects targets of a to-many, by their keys and the key of the owner.
  ///
  /// ```swift
  /// let added = try tx.attach([3, 4], to: team.id, \Team.players)
  /// ```
  ///
  /// - Returns: The number of objects that were not targets before.
  /// - Throws: `missingTarget`, naming the owner; `notFound` if the owner is not stored; `validationFailed`.
  @inlinable
  @discardableResult
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: some Sequence<Target.ID>, to owner: Owner.ID,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws -> Int {
    // In the program, which knows the types: generic sequences and keys take hundreds of
    // instructions an element.
    try attach(keys: try ids.map { try $0.keyValues() }, to: owner, path)
  }

  /// The same by the values of the keys.
  @usableFromInline
  func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    keys: [[StoredValue]], to owner: Owner.ID,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws -> Int {
    try attach(keys, LinkDelta(owner, path, store: store))
  }

  /// Takes an object out of a to-many; it stays stored.
  ///
  /// ```swift
  /// try tx.remove(player, from: team, \.players)
  /// ```
  ///
  /// - Returns: whether it was a target.
  /// - Throws: `missingValue` when its to-one is required, `validationFailed`.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws -> Bool {
    try detach([target.id], from: owner.id, path) > 0
  }

  /// Takes objects out of a to-many; they stay stored.
  ///
  /// ```swift
  /// let removed = try tx.remove(players, from: team, \.players)
  /// ```
  ///
  /// - Returns: how many were targets.
  /// - Throws: as for one object; then nothing was written.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws -> Int {
    try detach(targets.map(\.id), from: owner.id, path)
  }

  /// Removes objects from a to-many, by their keys and the key of the owner; they stay stored.
  ///
  /// ```swift
  /// let removed = try tx.detach([3, 4], from: team.id, \Team.players)
  /// ```
  ///
  /// - Returns: The number of objects that were targets.
  /// - Throws: `missingValue` if their to-one is required; `validationFailed`.
  @discardableResult
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: some Sequence<Target.ID>, from owner: Owner.ID,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws -> Int {
    let delta = try LinkDelta(owner, path, store: store)
    return try detach(try ids.map { try $0.keyValues() }, delta)
  }

  /// Moves a target of an ordered to-many to an index: `move(p, to: 0, in: team, \.players)`.
  ///
  /// ```swift
  /// try tx.move(preface, to: 0, in: book, \.chapters)
  /// ```
  ///
  /// The index is the one it has afterwards; one past the end is the end.
  ///
  /// - Throws: `notFound` when it is no target, `invalidValue` for a negative index and for a
  ///   to-many that is not ordered.
  public func move<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in owner: Owner,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) throws {
    let delta = try LinkDelta(owner.id, path, store: store)
    try move([target.id.keyValues()], to: index, delta)
  }
}

extension WriteTransaction {
  private func insert<Target: PrimaryKeyed>(
    _ targets: [Target], _ delta: LinkDelta
  ) throws -> SavedGraph {
    let saved = try graph(
      of: targets.map { GraphRoot($0, demand: .none) }, merge: .storeDefault,
      isReadAgain: targets.count == 1)
    _ = try link(saved.roots, in: saved.rows, delta)
    try giveKeys(of: saved.objects)
    return saved
  }
}

extension LinkDelta {
  /// The to-many of an owner that a key path reads.
  ///
  /// - Throws: `unknownAttribute`.
  init<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ id: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>, store: any Store
  ) throws {
    _ = try store.plan(of: Owner.self)
    guard let relationship = Owner.entity.relationship(at: path)?.declaration.name else {
      throw StoreError.notDeclared(path, "a relationship", entity: Owner.entity.declared.name)
    }
    let layout = try store.linkLayout()
    let owner = try layout.number(of: Owner.entity.declared.name)
    self.init(
      layout: layout, end: try layout.end(relationship, of: owner), owner: owner,
      target: try layout.number(of: Target.entity.declared.name), relationship: relationship,
      key: try id.keyValues())
  }
}
