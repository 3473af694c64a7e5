internal import ORMPlatform
internal import Synchronization

/// Returns whether this process is a fork of the one that opened a store.
///
/// A store remembers ``current`` when it opens a file, and refuses with `forked` when the number
/// has changed: files, locks and maps that both processes share are of no use to the child, and
/// closing them there would break the parent's. `posix_spawn` does not count: it keeps nothing.
package enum ForkGeneration {
  private static let count = Atomic<UInt64>(0)

  /// True if the system reports forks; made at first use, before anything is opened.
  private static let isRegistered: Bool = {
    _ = count.load(ordering: .relaxed)
    return pthread_atfork(nil, nil, { _ = ForkGeneration.count.wrappingAdd(1, ordering: .relaxed) })
      == 0
  }()

  /// A number that a fork changes in the child.
  ///
  /// Costs a load; a system call where the system does not report forks.
  package static var current: UInt64 {
    isRegistered ? count.load(ordering: .relaxed) : UInt64(UInt32(bitPattern: getpid()))
  }
}
