/// Memory for the values bound to a statement: it grows, is reused for the next row, and never moves its
/// bytes.
///
/// The owner calls `free` at its end. Binding a copy of one's own costs a short memory copy; having
/// the library copy costs it an allocation and a release a value.
@usableFromInline
struct ByteArena {
  private var base: UnsafeMutableRawPointer?
  private var used = 0
  private var capacity = 0
  /// Chunks that were filled since the last reset; bound values still lie in them.
  private var filled: [UnsafeMutableRawPointer] = []

  init() {}

  /// Capacity for `count` bytes, valid until `reset` gives true or `free`.
  mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if let base, used + count <= capacity {
      defer { used += count }
      return base + used
    }
    return grow(count)
  }

  @inline(never)
  private mutating func grow(_ count: Int) -> UnsafeMutableRawPointer {
    if let base { filled.append(base) }
    // 1 KiB holds the texts of a few ordinary rows; doubling keeps the number of chunks small.
    capacity = max(1024, 2 * capacity, count)
    let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    self.base = base
    used = count
    return base
  }

  /// Frees the capacity for new values.
  ///
  /// True if memory was released, so that values bound to it must be unbound at once.
  mutating func reset() -> Bool {
    used = 0
    if filled.isEmpty { return false }
    for chunk in filled { chunk.deallocate() }
    filled.removeAll(keepingCapacity: true)
    return true
  }

  /// Gives all memory back.
  mutating func free() {
    _ = reset()
    base?.deallocate()
    base = nil
    capacity = 0
  }
}
