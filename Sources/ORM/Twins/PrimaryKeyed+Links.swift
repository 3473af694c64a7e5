public import ORMCore

/// Changes of this object's to-manys link by link, through the default store (on the calling
/// thread).
extension PrimaryKeyed {
  /// Saves an object and makes it a target of a to-many; the others stay.
  @discardableResult
  public func insert<Target: PrimaryKeyed>(
    _ target: Target, into path: WritableAttributePath<Self, ToMany<Target>>, at index: Int? = nil
  ) throws -> Target {
    try Persistence.store.insert(target, into: self, path, at: index)
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  @discardableResult
  public func insert<Target: PrimaryKeyed>(
    _ targets: [Target], into path: WritableAttributePath<Self, ToMany<Target>>,
    at index: Int? = nil
  ) throws -> SaveResult<Target> {
    try Persistence.store.insert(targets, into: self, path, at: index)
  }

  /// Makes stored objects targets of a to-many; gives how many were none before.
  @discardableResult
  public func attach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], to path: WritableAttributePath<Self, ToMany<Target>>
  ) throws -> Int {
    try Persistence.store.attach(ids, to: self, path)
  }

  /// Takes an object out of a to-many; says whether it was a target.
  @discardableResult
  public func remove<Target: PrimaryKeyed>(
    _ target: Target, from path: WritableAttributePath<Self, ToMany<Target>>
  ) throws -> Bool {
    try Persistence.store.remove(target, from: self, path)
  }

  /// Takes objects out of a to-many; gives how many were targets.
  @discardableResult
  public func remove<Target: PrimaryKeyed>(
    _ targets: [Target], from path: WritableAttributePath<Self, ToMany<Target>>
  ) throws -> Int {
    try Persistence.store.remove(targets, from: self, path)
  }

  /// Takes objects out of a to-many by their keys; gives how many were targets.
  @discardableResult
  public func detach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], from path: WritableAttributePath<Self, ToMany<Target>>
  ) throws -> Int {
    try Persistence.store.detach(ids, from: self, path)
  }

  /// Gives a target of an ordered to-many the place with this index.
  public func move<Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in path: WritableAttributePath<Self, ToMany<Target>>
  ) throws {
    try Persistence.store.move(target, to: index, in: self, path)
  }
}
