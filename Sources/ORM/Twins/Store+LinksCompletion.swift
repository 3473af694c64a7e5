public import Dispatch
public import ORMCore

/// Changes of a to-many link by link with a completion handler; pending from the call on.
extension Store {
  /// Saves an object and makes it a target of a to-many; the others stay.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Target, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [target]), on: queue, completion) {
      try $0.insert(target, into: owner, path, at: index)
    }
  }

  /// Saves objects and makes them targets of a to-many, in their order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Target>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: targets), on: queue, completion) {
      try $0.insert(targets, into: owner, path, at: index)
    }
  }

  /// Makes stored objects targets of a to-many; gives how many were none before.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.attach(ids, to: owner, path) }
  }

  /// Makes stored objects targets of a to-many, the owner too by its key.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.attach(ids, to: owner, path) }
  }

  /// Takes an object out of a to-many; says whether it was a target.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.remove(target, from: owner, path) }
  }

  /// Takes objects out of a to-many; gives how many were targets.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: targets.count, on: queue, completion) {
      try $0.remove(targets, from: owner, path)
    }
  }

  /// Takes objects out of a to-many by their keys; gives how many were targets.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.detach(ids, from: owner, path) }
  }

  /// Takes objects out of a to-many, the owner too by its key.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.detach(ids, from: owner, path) }
  }

  /// Gives a target of an ordered to-many the place with this index.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func move<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in owner: Owner,
    _ path: WritableAttributePath<Owner, ToMany<Target>>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.move(target, to: index, in: owner, path) }
  }
}
