/// Bytes that grow at their end, in which keys and records are built.
///
/// It owns its memory and is never copied; `bytes` is valid until the next change.
@usableFromInline
package struct ByteBuffer: ~Copyable {
  @usableFromInline package private(set) var base: UnsafeMutableRawPointer
  @usableFromInline package var count = 0
  @usableFromInline internal private(set) var capacity: Int

  package init(capacity: Int = 64) {
    self.capacity = max(capacity, 16)
    base = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { base.deallocate() }

  /// The bytes that have been appended.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    @inline(__always) get { UnsafeRawBufferPointer(start: base, count: count) }
  }

  /// A part of the bytes, between bounds that must lie in them.
  @inlinable @inline(__always)
  package func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: end - start)
  }

  /// Reserves capacity for more bytes.
  @inlinable @inline(__always)
  package mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(to: count + more) }
  }

  @inline(never) @usableFromInline
  mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
  }

  /// Forgets everything from `length` on.
  @inlinable @inline(__always)
  package mutating func truncate(to length: Int = 0) { count = min(count, length) }

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inlinable @inline(__always)
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends an integer with its least byte first.
  @inlinable @inline(__always)
  package mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    reserve(MemoryLayout<Integer>.size)
    base.storeBytes(of: value.littleEndian, toByteOffset: count, as: Integer.self)
    count += MemoryLayout<Integer>.size
  }

  /// Appends an integer with its greatest byte first, the form whose bytes order as numbers.
  @inlinable @inline(__always)
  package mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    reserve(MemoryLayout<Integer>.size)
    base.storeBytes(of: value.bigEndian, toByteOffset: count, as: Integer.self)
    count += MemoryLayout<Integer>.size
  }

  /// Overwrites the bytes at an offset.
  @inlinable @inline(__always)
  package mutating func store<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
  }

  /// Returns the integer at an offset, whose least byte comes first.
  @inlinable @inline(__always)
  package func load<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
    Integer(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }

  /// Inserts bytes before an offset.
  package mutating func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + offset + bytes.count).copyMemory(from: base + offset, byteCount: count - offset)
    (base + offset).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Inverts every bit from an offset on, which inverts the order of byte comparison.
  package mutating func complement(from start: Int) {
    for offset in start..<count {
      base.storeBytes(
        of: ~base.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset,
        as: UInt8.self)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The integer at an offset, its least byte first; nil past the end.
  @inlinable @inline(__always)
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer?
  {
    guard offset >= 0, offset <= count - MemoryLayout<Integer>.size else { return nil }
    return Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }

  /// A part; nil unless the bounds lie inside and in order.
  @inlinable @inline(__always)
  package func part(from start: Int, to end: Int) -> UnsafeRawBufferPointer? {
    guard start >= 0, start <= end, end <= count else { return nil }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}
