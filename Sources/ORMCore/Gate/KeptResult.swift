/// What the body of a block gave, for who waits for it elsewhere.
// Set by the thread that runs the body; got only after the body's outcome was told, which happens
// after it and under a lock.
final class KeptResult<Value: Sendable>: @unchecked Sendable {
  /// A pointer, whose type says nothing of the value's: an optional's would have to be looked up at
  /// each use.
  private let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private var isSet = false

  deinit {
    clear()
    place.deallocate()
  }

  /// Keeps a value; one from before, of a body that runs again, is let go.
  func set(_ value: Value) {
    clear()
    place.initialize(to: value)
    isSet = true
  }

  /// The value of a body that did not throw.
  func get() throws -> Value {
    guard isSet else { throw StoreError(.engine, "a block ended without a result") }
    return place.pointee
  }

  /// The value, or what the body threw when it ran last.
  func outcome(_ failure: (any Error)?) -> Result<Value, any Error> {
    Result {
      if let failure { throw failure }
      return try get()
    }
  }

  private func clear() {
    if isSet { place.deinitialize(count: 1) }
    isSet = false
  }
}
