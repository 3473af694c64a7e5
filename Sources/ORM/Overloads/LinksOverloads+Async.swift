// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Changes of a to-many link by link off the calling thread, each in a transaction of its own.
extension Store {
  /// Saves an object and makes it a target of a to-many, whose other targets stay.
  ///
  /// ```swift
  /// let saved = try await store.insert(Player(name: "Bo"), into: team, \.players)
  /// ```
  ///
  /// The result is the object as stored. `index` is its position in an ordered to-many.
  ///
  /// - Throws: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) async throws -> Target {
    return try await writeOperation(rows: rows(of: [target])) {
      try $0.insert(target, into: owner, path, at: index)
    }
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// ```swift
  /// let result = try await store.insert(players, into: team, \.players)
  /// ```
  ///
  /// - Throws: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) async throws -> SaveResult<Target> {
    return try await writeOperation(rows: rows(of: targets)) {
      try $0.insert(targets, into: owner, path, at: index)
    }
  }

  /// Makes stored objects targets of a to-many, by their keys and the key of the owner.
  ///
  /// ```swift
  /// let added = try await store.attach([3, 4], to: team.id, \Team.players)
  /// ```
  ///
  /// The result is the number of objects that were not targets before.
  ///
  /// - Throws: `missingTarget`; `notFound` if the owner is not stored; `validationFailed`; the
  ///   errors of `write`.
  @discardableResult
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeOperation(rows: ids.count) { try $0.attach(ids, to: owner, path) }
  }

  /// Removes an object from a to-many; the result is false if it was not a target.
  ///
  /// ```swift
  /// try await store.remove(player, from: team, \.players)
  /// ```
  ///
  /// The object stays stored.
  ///
  /// - Throws: `missingValue` if its to-one is required; `validationFailed`; the errors of `write`.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Bool {
    return try await writeOperation { try $0.remove(target, from: owner, path) }
  }

  /// Removes objects from a to-many, and counts those that were targets.
  ///
  /// ```swift
  /// let removed = try await store.remove(players, from: team, \.players)
  /// ```
  ///
  /// The objects stay stored.
  ///
  /// - Throws: `missingValue` if their to-one is required; `validationFailed`; the errors of
  ///   `write`.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeOperation(rows: targets.count) {
      try $0.remove(targets, from: owner, path)
    }
  }

  /// Removes objects from a to-many, by their keys and the key of the owner.
  ///
  /// ```swift
  /// let removed = try await store.detach([3, 4], from: team.id, \Team.players)
  /// ```
  ///
  /// The result is the number of objects that were targets; they stay stored.
  ///
  /// - Throws: `missingValue` if their to-one is required; `validationFailed`; the errors of
  ///   `write`.
  @discardableResult
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeOperation(rows: ids.count) { try $0.detach(ids, from: owner, path) }
  }

  /// Moves a target of an ordered to-many to this index, counted after the move.
  ///
  /// ```swift
  /// try await store.move(preface, to: 0, in: book, \.chapters)
  /// ```
  ///
  /// - Throws: `notFound` if it is not a target; `invalidValue` if the index is negative or the
  ///   to-many is not ordered; the errors of `write`.
  public func move<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in owner: Owner,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws {
    try await writeOperation { try $0.move(target, to: index, in: owner, path) }
  }
}
