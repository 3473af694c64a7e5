public import Dispatch
public import ORMCore

extension Store {
  /// Works out every derived attribute from its targets anew, and gives how many objects were wrong.
  ///
  /// See ``WriteTransaction/rebuildDerived(_:)``.
  @discardableResult
  public func rebuildDerived(_ models: [any Persistable.Type] = []) throws -> Int {
    try verb { try $0.rebuildDerived(models) }
  }

  /// Works out every derived attribute from its targets anew, off the calling thread.
  @discardableResult
  public func rebuildDerived(_ models: [any Persistable.Type] = []) async throws -> Int {
    try await write { try $0.rebuildDerived(models) }
  }

  /// Works out every derived attribute from its targets anew.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func rebuildDerived(
    _ models: [any Persistable.Type] = [], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.rebuildDerived(models) }
  }
}
