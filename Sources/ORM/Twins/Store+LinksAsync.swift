public import ORMCore

/// Changes of a to-many link by link, each in a transaction of its own, off the cooperative pool.
extension Store {
  /// Saves an object and makes it a target of a to-many; the others stay.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) async throws -> Target {
    return try await writeVerb(rows: rows(of: [target])) {
      try $0.insert(target, into: owner, path, at: index)
    }
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil
  ) async throws -> SaveResult<Target> {
    return try await writeVerb(rows: rows(of: targets)) {
      try $0.insert(targets, into: owner, path, at: index)
    }
  }

  /// Makes stored objects targets of a to-many; gives how many were none before.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeVerb(rows: ids.count) { try $0.attach(ids, to: owner, path) }
  }

  /// Makes stored objects targets of a to-many, the owner too by its key.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeVerb(rows: ids.count) { try $0.attach(ids, to: owner, path) }
  }

  /// Takes an object out of a to-many; says whether it was a target.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Bool {
    return try await writeVerb { try $0.remove(target, from: owner, path) }
  }

  /// Takes objects out of a to-many; gives how many were targets.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeVerb(rows: targets.count) { try $0.remove(targets, from: owner, path) }
  }

  /// Takes objects out of a to-many by their keys; gives how many were targets.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeVerb(rows: ids.count) { try $0.detach(ids, from: owner, path) }
  }

  /// Takes objects out of a to-many, the owner too by its key.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws -> Int {
    return try await writeVerb(rows: ids.count) { try $0.detach(ids, from: owner, path) }
  }

  /// Gives a target of an ordered to-many the place with this index.
  ///
  /// Runs off the calling thread.
  public func move<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in owner: Owner,
    _ path: WritableAttributePath<Owner, ToMany<Target>>
  ) async throws {
    return try await writeVerb { try $0.move(target, to: index, in: owner, path) }
  }
}
