internal import ORMPlatform

/// A name for a thread, its own as long as it lives.
///
/// Systems give the name again once a thread has ended. A block never outlives its thread, so no
/// record of the scheduler is ever taken for another thread's.
struct ThreadIdentity: Hashable, Sendable {
  /// The system's handle, never 0.
  let rawValue: UInt

  /// The calling thread.
  static var current: ThreadIdentity {
    #if canImport(Darwin) || canImport(Musl)
      ThreadIdentity(rawValue: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(rawValue: UInt(pthread_self()))
    #endif
  }
}
