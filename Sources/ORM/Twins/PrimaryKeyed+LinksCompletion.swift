public import Dispatch
public import ORMCore

/// Changes of this object's to-manys link by link, through the default store (with a
/// completion handler).
extension PrimaryKeyed {
  /// Saves an object and makes it a target of a to-many; the others stay.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Target: PrimaryKeyed>(
    _ target: Target, into path: WritableAttributePath<Self, ToMany<Target>>, at index: Int? = nil,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Target, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.insert(target, into: self, path, at: index, on: queue, $1)
    }
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Target: PrimaryKeyed>(
    _ targets: [Target], into path: WritableAttributePath<Self, ToMany<Target>>,
    at index: Int? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Target>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.insert(targets, into: self, path, at: index, on: queue, $1)
    }
  }

  /// Makes stored objects targets of a to-many; gives how many were none before.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func attach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], to path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.attach(ids, to: self, path, on: queue, $1)
    }
  }

  /// Takes an object out of a to-many; says whether it was a target.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func remove<Target: PrimaryKeyed>(
    _ target: Target, from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.remove(target, from: self, path, on: queue, $1)
    }
  }

  /// Takes objects out of a to-many; gives how many were targets.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func remove<Target: PrimaryKeyed>(
    _ targets: [Target], from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.remove(targets, from: self, path, on: queue, $1)
    }
  }

  /// Takes objects out of a to-many by their keys; gives how many were targets.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func detach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.detach(ids, from: self, path, on: queue, $1)
    }
  }

  /// Gives a target of an ordered to-many the place with this index.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func move<Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.move(target, to: index, in: self, path, on: queue, $1)
    }
  }
}
