// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Changes of a to-many link by link with a completion handler, each in a transaction of its own.
///
/// A write is pending from the call on: every read issued afterwards, on any thread, sees it.
extension Store {
  /// Saves an object and makes it a target of a to-many, whose other targets stay.
  ///
  /// ```swift
  /// store.insert(Player(name: "Bo"), into: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the object as stored. `index` is its position in an ordered to-many.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`.
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
  /// ```swift
  /// store.insert(players, into: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`.
  public func insert<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], into owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    at index: Int? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Target>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: targets), on: queue, completion) {
      try $0.insert(targets, into: owner, path, at: index)
    }
  }

  /// Makes stored objects targets of a to-many, and counts those that were not.
  ///
  /// ```swift
  /// store.attach([3, 4], to: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget`; `notFound` if the owner is not stored; `validationFailed`; the errors
  /// of `write`.
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.attach(ids, to: owner, path) }
  }

  /// Makes stored objects targets of a to-many of an owner with this key.
  ///
  /// ```swift
  /// store.attach([3, 4], to: 7, \Team.players, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the number of objects that were not targets before.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget`; `notFound` if the owner is not stored; `validationFailed`; the errors
  /// of `write`.
  public func attach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], to owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.attach(ids, to: owner, path) }
  }

  /// Removes an object from a to-many; the result is false if it was not a target.
  ///
  /// ```swift
  /// store.remove(player, from: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The object stays stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if its to-one is required; `validationFailed`; the errors of `write`.
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.remove(target, from: owner, path) }
  }

  /// Removes objects from a to-many, and counts those that were targets.
  ///
  /// ```swift
  /// store.remove(players, from: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The objects stay stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if their to-one is required; `validationFailed`; the errors of `write`.
  public func remove<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ targets: [Target], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: targets.count, on: queue, completion) {
      try $0.remove(targets, from: owner, path)
    }
  }

  /// Removes the objects with these keys from a to-many, and counts those that were targets.
  ///
  /// ```swift
  /// store.detach([3, 4], from: team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The objects stay stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if their to-one is required; `validationFailed`; the errors of `write`.
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.detach(ids, from: owner, path) }
  }

  /// Removes the objects with these keys from a to-many of an owner with this key.
  ///
  /// ```swift
  /// store.detach([3, 4], from: 7, \Team.players, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the number of objects that were targets; they stay stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if their to-one is required; `validationFailed`; the errors of `write`.
  public func detach<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ ids: [Target.ID], from owner: Owner.ID, _ path: WritableAttributePath<Owner, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.detach(ids, from: owner, path) }
  }

  /// Moves a target of an ordered to-many to this index, counted after the move.
  ///
  /// ```swift
  /// store.move(preface, to: 0, in: book, \.chapters, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `notFound` if it is not a target; `invalidValue` if the index is negative or the
  /// to-many is not ordered; the errors of `write`.
  public func move<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in owner: Owner,
    _ path: WritableAttributePath<Owner, ToMany<Target>>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.move(target, to: index, in: owner, path) }
  }
}

/// Changes of a to-many link by link with a completion handler, through the default store.
extension PrimaryKeyed {
  /// Saves an object and makes it a target of a to-many, whose other targets stay.
  ///
  /// ```swift
  /// team.insert(Player(name: "Bo"), into: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the object as stored. `index` is its position in an ordered to-many.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`;
  /// `notConfigured` without a default store.
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
  /// ```swift
  /// team.insert(players, into: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if the owner is not stored; the errors of `write`;
  /// `notConfigured` without a default store.
  public func insert<Target: PrimaryKeyed>(
    _ targets: [Target], into path: WritableAttributePath<Self, ToMany<Target>>,
    at index: Int? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Target>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.insert(targets, into: self, path, at: index, on: queue, $1)
    }
  }

  /// Makes stored objects targets of a to-many, and counts those that were not.
  ///
  /// ```swift
  /// team.attach([3, 4], to: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget`; `notFound` if the owner is not stored; `validationFailed`; the errors
  /// of `write`; `notConfigured` without a default store.
  public func attach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], to path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.attach(ids, to: self, path, on: queue, $1) }
  }

  /// Removes an object from a to-many; the result is false if it was not a target.
  ///
  /// ```swift
  /// team.remove(player, from: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The object stays stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if its to-one is required; `validationFailed`; the errors of `write`;
  /// `notConfigured` without a default store.
  public func remove<Target: PrimaryKeyed>(
    _ target: Target, from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.remove(target, from: self, path, on: queue, $1) }
  }

  /// Removes objects from a to-many, and counts those that were targets.
  ///
  /// ```swift
  /// team.remove(players, from: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The objects stay stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if their to-one is required; `validationFailed`; the errors of `write`;
  /// `notConfigured` without a default store.
  public func remove<Target: PrimaryKeyed>(
    _ targets: [Target], from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.remove(targets, from: self, path, on: queue, $1)
    }
  }

  /// Removes the objects with these keys from a to-many, and counts those that were targets.
  ///
  /// ```swift
  /// team.detach([3, 4], from: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The objects stay stored.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingValue` if their to-one is required; `validationFailed`; the errors of `write`;
  /// `notConfigured` without a default store.
  public func detach<Target: PrimaryKeyed>(
    _ ids: [Target.ID], from path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.detach(ids, from: self, path, on: queue, $1) }
  }

  /// Moves a target of an ordered to-many to this index, counted after the move.
  ///
  /// ```swift
  /// book.move(preface, to: 0, in: \.chapters, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `notFound` if it is not a target; `invalidValue` if the index is negative or the
  /// to-many is not ordered; the errors of `write`; `notConfigured` without a default store.
  public func move<Target: PrimaryKeyed>(
    _ target: Target, to index: Int, in path: WritableAttributePath<Self, ToMany<Target>>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.move(target, to: index, in: self, path, on: queue, $1)
    }
  }
}
