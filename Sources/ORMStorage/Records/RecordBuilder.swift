internal import ORMValues

/// A record being made, by columns of the file.
///
/// Columns not set are null.
///
/// Values are written straight into the bytes of the record; the cheapest order is that of the
/// columns, any other moves the bytes behind.
@usableFromInline
package struct RecordBuilder: ~Copyable {
  @usableFromInline package let layout: RecordLayout
  /// The shape of a record with all columns, held by its address.
  ///
  /// A copy of the shape at every column was a tenth of an insert.
  @usableFromInline let shape: UnsafePointer<RecordLayout.Shape>
  @usableFromInline var buffer: ByteBuffer
  /// Tails below this number have their ends in the table.
  private var tailsEnded = 0

  package init(_ layout: RecordLayout) {
    self.layout = layout
    shape = layout.shape(of: layout.columnCount)
    buffer = ByteBuffer(capacity: shape.pointee.tailStart + 256)
    clear()
  }

  /// Begins a record, all columns null.
  package mutating func clear() {
    buffer.truncate()
    buffer.append(layout.blank)
    tailsEnded = 0
  }

  /// Begins a record as a copy of another, of which fields of fixed width may then be set and
  /// released; false, with nothing done, when it has fewer columns.
  package mutating func begin(copying view: RecordView) -> Bool {
    guard view.columnCount == layout.columnCount else { return false }
    buffer.truncate()
    buffer.append(view.bytes)
    tailsEnded = shape.pointee.tailCount
    return true
  }

  /// Makes a field of fixed width null again.
  package mutating func release(_ field: RecordField) {
    let offset = shape.pointee.nullStart &+ field.nullOffset
    buffer.store(buffer.load(UInt8.self, at: offset) | field.nullMask, at: offset)
    for byte in 0..<field.encoding.width {
      buffer.store(UInt8(0), at: shape.pointee.fixedStart + Int(field.location) + byte)
    }
  }

  /// The record as made so far, without its checksum.
  ///
  /// Call ``finish()`` before.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    @inline(__always) get { buffer.bytes }
  }

  /// Marks a column as not null.
  @inlinable @inline(__always)
  mutating func hold(_ field: RecordField) {
    let offset = shape.pointee.nullStart &+ field.nullOffset
    buffer.store(buffer.load(UInt8.self, at: offset) & ~field.nullMask, at: offset)
  }

  /// Sets a field of fixed width by its bits.
  @inlinable @inline(__always)
  package mutating func set<Integer: FixedWidthInteger>(bits: Integer, _ field: RecordField) {
    hold(field)
    buffer.store(bits, at: shape.pointee.fixedStart + Int(field.location))
  }

  /// Sets an integer field; false when the value is outside its type.
  @inlinable @inline(__always)
  package mutating func set(_ value: Int64, _ field: RecordField) -> Bool {
    if field.encoding != .int64 { return setNarrow(value, field) }
    set(bits: value, field)
    return true
  }

  @inline(never) @usableFromInline
  mutating func setNarrow(_ value: Int64, _ field: RecordField) -> Bool {
    switch field.encoding {
    case .int32: return narrow(value, Int32.self, field)
    case .int16: return narrow(value, Int16.self, field)
    case .int8: return narrow(value, Int8.self, field)
    case .uint64:
      guard value >= 0 else { return false }
      set(bits: value, field)
    case .uint32: return narrow(value, UInt32.self, field)
    case .uint16: return narrow(value, UInt16.self, field)
    case .uint8: return narrow(value, UInt8.self, field)
    default: return false
    }
    return true
  }

  @inline(__always)
  private mutating func narrow<Integer: FixedWidthInteger>(
    _ value: Int64, _ type: Integer.Type, _ field: RecordField
  ) -> Bool {
    guard let narrow = Integer(exactly: value) else { return false }
    set(bits: narrow, field)
    return true
  }

  /// Sets a field by its bytes as they lie in a record: of its width, or a tail.
  package mutating func set(bytes: UnsafeRawBufferPointer, _ field: RecordField) {
    if field.encoding.isTail { return set(tail: bytes, field) }
    setFixed(bytes: bytes, field)
  }

  /// Sets a tail by its bytes.
  @inline(__always)
  mutating func set(tail bytes: UnsafeRawBufferPointer, _ field: RecordField) {
    let tail = Int(field.location)
    if tail != tailsEnded {
      if tail < tailsEnded { return replace(tail: bytes, field) }
      endTails(before: tail)
    }
    hold(field)
    buffer.append(bytes)
    let end = UInt32(truncatingIfNeeded: buffer.count &- shape.pointee.tailStart)
    buffer.store(end, at: shape.pointee.tableStart &+ 4 &* tail)
    tailsEnded = tail &+ 1
  }

  /// Sets a tail that others follow already.
  @inline(never)
  private mutating func replace(tail bytes: UnsafeRawBufferPointer, _ field: RecordField) {
    hold(field)
    let tail = Int(field.location)
    let start = shape.pointee.tailStart + (tail == 0 ? 0 : Int(end(of: tail - 1)))
    if start == buffer.count { buffer.append(bytes) } else { buffer.insert(bytes, at: start) }
    for later in tail..<tailsEnded {
      buffer.store(
        end(of: later) &+ UInt32(truncatingIfNeeded: bytes.count),
        at: shape.pointee.tableStart + 4 * later)
    }
  }

  @inline(never)
  private mutating func setFixed(bytes: UnsafeRawBufferPointer, _ field: RecordField) {
    hold(field)
    (buffer.base + shape.pointee.fixedStart + Int(field.location)).copyMemory(
      from: bytes.baseAddress ?? layout.anchor,
      byteCount: min(bytes.count, field.encoding.width))
  }

  /// Sets a tail to the bytes that `body` appends to a buffer, and returns the body's result.
  package mutating func set<R>(
    _ field: RecordField, _ body: (inout ByteBuffer) throws -> R
  ) rethrows -> R {
    var scratch = ByteBuffer()
    let result = try body(&scratch)
    set(bytes: scratch.bytes, field)
    return result
  }

  /// Copies a field that another record holds.
  package mutating func copy(_ field: RecordField, from view: RecordView) throws {
    if view.holds(field) {
      set(bytes: try view.bytes(field), field)
    } else if case let value = view.filling(field), !value.isNull {
      try set(value, field)
    }
  }

  /// Ends the tails before a tail where the record ends now: it ends where the last of them does.
  @inline(never)
  private mutating func endTails(before tail: Int) {
    let end = UInt32(truncatingIfNeeded: buffer.count &- shape.pointee.tailStart)
    while tailsEnded < tail {
      buffer.store(end, at: shape.pointee.tableStart &+ 4 &* tailsEnded)
      tailsEnded &+= 1
    }
  }

  @inline(__always)
  private func end(of tail: Int) -> UInt32 {
    buffer.load(UInt32.self, at: shape.pointee.tableStart + 4 * tail)
  }

  /// Ends the record; `tooLarge` beyond the range of its offsets.
  ///
  /// Does nothing when called again.
  package mutating func finish() throws {
    if tailsEnded < shape.pointee.tailCount { endTails(before: shape.pointee.tailCount) }
    guard buffer.count - shape.pointee.tailStart <= Int(UInt32.max) else {
      throw StoreError(
        .tooLarge, "a row is larger than 4 GiB", entity: layout.entity.modelName)
    }
  }

  /// The bytes from which the checksum of a finished record is computed.
  @inlinable package var content: UnsafeRawBufferPointer {
    @inline(__always) get { buffer.bytes(from: layout.checksumSize, to: buffer.count) }
  }

  /// The checksum, where the layout has one.
  @inlinable package var checksum: UInt64 {
    @inline(__always) get { buffer.load(UInt64.self, at: 0) }
    @inline(__always) set { buffer.store(newValue, at: 0) }
  }
}
