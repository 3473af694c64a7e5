internal import Dispatch
internal import Foundation
internal import ORM

/// The writes that are pending when imports return, for which a process that ends waits.
///
/// A program may come to its end right after an import, without a `close()`: its last write would be lost,
/// and the next import of the same source be taken for the rest of this one.
enum ImportEnding {
  private static let pending = DispatchGroup()
  /// The process in which the first import ended; a child of it has none of the threads that write.
  private static let fork = ForkCheck()
  /// The longest that the end of a process waits, since the caller of `exit` may hold the store.
  private static let limit = DispatchTimeInterval.seconds(2)

  /// True once the end of the process waits.
  private static let waits = {
    _ = fork.isInherited
    return atexit { ImportEnding.wait() } == 0
  }()

  /// Begins a write that the end of the process waits for; errors go to `onError`.
  static func write(
    to store: any Store, _ body: sending @escaping (WriteTransaction) throws -> Void
  ) {
    _ = waits
    pending.enter()
    let onError = store.runtime.options.onError
    store.write(on: .global(), body) { result in
      if case .failure(let error) = result { onError?(error) }
      pending.leave()
    }
  }

  private static func wait() {
    if !fork.isInherited { _ = pending.wait(timeout: .now() + limit) }
  }
}
