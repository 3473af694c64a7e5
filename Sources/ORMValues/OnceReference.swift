public import Synchronization

/// A reference that is set once, by the thread that comes first.
///
/// The library's own (`AtomicLazyReference`) looks its generic types up at every load, which was a
/// tenth of a prefetch.
@usableFromInline
package struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of the object, which is retained; 0 before there is one.
  @usableFromInline let address = Atomic<UInt>(0)

  @inlinable
  package init() {}

  deinit { Self.object(at: address.load(ordering: .acquiring))?.release() }

  /// The object; nil before there is one.
  @inlinable
  package var object: Object? {
    Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Sets the object unless there is one, and returns the one that is set.
  @inlinable
  package func keep(_ object: Object) -> Object {
    let new = Unmanaged.passRetained(object)
    let (isFirst, known) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isFirst, let earlier = Self.object(at: known) else { return object }
    new.release()
    return earlier.takeUnretainedValue()
  }

  @inlinable
  static func object(at address: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }
}
