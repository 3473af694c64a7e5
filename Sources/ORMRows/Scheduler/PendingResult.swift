internal import Synchronization

/// The result of a block's body, stored for a caller that waits for it elsewhere.
// Set by the thread that runs the body; got only after the body's outcome was reported, which
// happens after it. `isSet` is released after the value is stored and acquired before it is read.
final class PendingResult<Value: Sendable>: @unchecked Sendable {
  /// A pointer, whose type says nothing of the value's: an optional's would have to be looked up at
  /// each use.
  private let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  /// True if there is a value.
  ///
  /// The outcome that follows orders the two sides already, by a lock or a continuation. But where a
  /// continuation is resumed before its task has suspended, the order is passed on inside the Swift
  /// runtime, where ThreadSanitizer does not see it; so it is stated here as well.
  private let isSet = Atomic<Bool>(false)

  deinit {
    clear()
    storage.deallocate()
  }

  /// Stores a value, and releases that of an earlier run of the body.
  func set(_ value: Value) {
    clear()
    storage.initialize(to: value)
    isSet.store(true, ordering: .releasing)
  }

  /// The value of a body that did not throw.
  func get() throws -> Value {
    guard isSet.load(ordering: .acquiring) else {
      throw StoreError(.engine, "a block ended without a result")
    }
    return storage.pointee
  }

  /// The value, or the error of the body's last run.
  func outcome(_ failure: (any Error)?) -> Result<Value, any Error> {
    Result {
      if let failure { throw failure }
      return try get()
    }
  }

  private func clear() {
    if isSet.load(ordering: .acquiring) { storage.deinitialize(count: 1) }
    isSet.store(false, ordering: .relaxed)
  }
}
