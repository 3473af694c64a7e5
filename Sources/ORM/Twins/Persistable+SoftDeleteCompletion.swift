public import Dispatch
public import FoundationEssentials
public import ORMCore

/// What becomes of hidden rows, through the default store.
extension Persistable {
  /// Brings the hidden rows that the query asks for back, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func restore(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(query, on: queue, $1) }
  }

  /// Deletes the hidden rows that the query asks for, for good, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func purge(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(query, on: queue, $1) }
  }

  /// Deletes the rows hidden before a moment for good, without one all hidden rows; counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func purgeAll(
    before moment: Date? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.purgeAll(Self.self, before: moment, on: queue, $1)
    }
  }
}

extension PrimaryKeyed {
  /// Brings the hidden row with this key back; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func restore(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(Self.self, id: id, on: queue, $1) }
  }

  /// Brings the hidden row with the model's key back; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func restore(
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(self, on: queue, $1) }
  }

  /// Deletes the hidden row with this key for good; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func purge(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(Self.self, id: id, on: queue, $1) }
  }

  /// Deletes the hidden row with the model's key for good; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func purge(
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(self, on: queue, $1) }
  }
}
