public import ORMCore

/// Changes of this object's to-manys link by link, through the default store (off the
/// cooperative pool).
extension PrimaryKeyed {
  /// Saves an object and makes it a target of a to-many; the others stay.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Target: PrimaryKeyed>(
    _ target: Target, into path: WritableAttributePath<Self, ToMany<Target>>, at index: Int? = nil
  ) async throws -> Target {
    try await Persistence.store.insert(target, into: self, path, at: index)
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Target: PrimaryKeyed>(
    _ targets: [Target], into path: WritableAttributePath<Self, ToMany<Target>>,
    at index: Int? = nil
  ) async throws -> SaveResult<Target> {
    try await Persistence.store.insert(targets, into: self, path, at: index)
  }

  /// Makes stored objects targets of a to-many; gives how many were none before.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func attach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], to path: WritableAttributePath<Self, ToMany<Target>>
  ) async throws -> Int {
    try await Persistence.store.attach(ids, to: self, path)
  }

  /// Takes an object out of a to-many; says whether it was a target.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func remove<Target: PrimaryKeyed>(
    _ target: Target, from path: WritableAttributePath<Self, ToMany<Target>>
  ) async throws -> Bool {
    try await Persistence.store.remove(target, from: self, path)
  }

  /// Takes objects out of a to-many; gives how many were targets.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func remove<Target: PrimaryKeyed>(
    _ targets: [Target], from path: WritableAttributePath<Self, ToMany<Target>>
  ) async throws -> Int {
    try await Persistence.store.remove(targets, from: self, path)
  }

  /// Takes objects out of a to-many by their keys; gives how many were targets.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func detach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], from path: WritableAttributePath<Self, ToMany<Target>>
  ) async throws -> Int {
    try await Persistence.store.detach(ids, from: self, path)
  }

  /// Gives a target of an ordered to-many the place with this index.
  ///
  /// Runs off the calling thread.
  public func move<Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in path: WritableAttributePath<Self, ToMany<Target>>
  ) async throws {
    try await Persistence.store.move(target, to: index, in: self, path)
  }
}
