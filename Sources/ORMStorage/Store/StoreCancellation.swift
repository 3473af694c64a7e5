#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The cancellation of a call that a thread works for.
///
/// A store may stop a statement that runs long once the call is cancelled, and throw `CancellationError`.
/// The scheduler of transactions sees to it that the outcome is the same on stores that do not.
package final class StoreCancellation: Sendable {
  private let test: @Sendable () -> Bool

  /// Makes a cancellation.
  ///
  /// - Parameter test: returns whether the call was cancelled, and whatever it does may still be undone.
  package init(_ test: @escaping @Sendable () -> Bool) { self.test = test }

  /// True if the call was cancelled, and whatever it does may still be undone.
  package var isCancelled: Bool { test() }

  /// The key under which each thread keeps the address of its call's cancellation.
  ///
  /// A task-local value would be an allocation for each call.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The cancellation of the call that this thread works for; nil for calls that cannot be cancelled.
  package static var current: StoreCancellation? {
    pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs a body that works for the call.
  package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = pthread_getspecific(Self.key)
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer { pthread_setspecific(Self.key, outer) }
    return try body()
  }
}
