#if STRATA_THREAD_SANITIZER
  internal import ORMPlatform
#else
  public import Synchronization
#endif

#if !STRATA_THREAD_SANITIZER
  /// A value that one thread at a time may use.
  ///
  /// It is `Synchronization.Mutex`, and costs the same. ThreadSanitizer does not see that lock on
  /// Linux, where it is made of a futex, and reports everything it guards as a race. Builds with
  /// `-D STRATA_THREAD_SANITIZER` use a POSIX mutex instead, which the sanitizer knows.
  @usableFromInline
  package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// Guards a value.
    @inlinable
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Calls the closure with the value while no other thread has it, and returns its result.
    ///
    /// The lock is not recursive: a closure that locks it again never returns, or traps.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }
#else
  /// A value that one thread at a time may use, behind a lock that ThreadSanitizer sees.
  // The mutex at `handle` admits one thread at a time to `value`. Both have an address of their own,
  // since a POSIX mutex may not move.
  package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: consuming sending Value) {
      self.value.initialize(to: value)
      precondition(pthread_mutex_init(handle, nil) == 0, "a mutex could not be made")
    }

    deinit {
      pthread_mutex_destroy(handle)
      handle.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(handle)
      defer { pthread_mutex_unlock(handle) }
      return try body(&value.pointee)
    }
  }
#endif
