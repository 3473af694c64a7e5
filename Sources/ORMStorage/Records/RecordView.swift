public import ORMValues

/// The bytes of one record, split into their parts.
///
/// It points into memory of others and is valid as long as that is; its layout must outlive it.
/// Every read is checked against the bounds, so that no bytes at all can make it trap.
///
/// Four words, so that it is passed in registers: a larger one was copied at every call, which was a third of
/// a count by scan.
@usableFromInline
package struct RecordView {
  /// The address at which the columns of fixed width begin.
  @usableFromInline var fixed: UnsafeRawPointer
  /// The columns that the record does not hold, because it lacks them or they are null, each a bit;
  /// those from ``RecordField/far`` on have one together.
  ///
  /// One load serves a whole record; reading the bitmap for each column took half of the time of reading the
  /// column.
  @usableFromInline var missing: UInt64
  /// The number of bytes of tails.
  @usableFromInline var tailSize: Int
  /// The shape of the record.
  @usableFromInline var shape: UnsafePointer<RecordLayout.Shape>

  /// A view of nothing.
  package init(_ layout: RecordLayout) {
    fixed = layout.anchor
    missing = .max
    shape = layout.nothing
    tailSize = 0 &- shape.pointee.tailStart
  }

  /// A view that is to be moved to a record, which most likely has all columns; until then it holds
  /// nothing, and must not be asked.
  package init(expecting layout: RecordLayout) {
    fixed = layout.anchor
    missing = .max
    shape = layout.shape(of: layout.columnCount)
    tailSize = 0 &- shape.pointee.tailStart
  }

  /// The layout.
  @inlinable @inline(__always)
  package var layout: RecordLayout { shape.pointee.layout._withUnsafeGuaranteedRef { $0 } }

  /// The number of columns the record was written with; none of a view of nothing.
  @inlinable @inline(__always)
  package var columnCount: Int { shape.pointee.columnCount }

  /// The address at which the record begins.
  @inlinable @inline(__always)
  var base: UnsafeRawPointer { fixed + (0 &- shape.pointee.fixedStart) }

  /// Moves to other bytes; false when they cannot be a record of the layout.
  @inlinable @inline(__always)
  package mutating func move(to bytes: UnsafeRawBufferPointer) -> Bool {
    // Most records have the shape of the one before.
    guard shape.pointee.tailStart <= bytes.count, let start = bytes.baseAddress,
      start.loadUnaligned(fromByteOffset: shape.pointee.nullStart &- 2, as: UInt16.self)
        .littleEndian == UInt16(truncatingIfNeeded: columnCount)
    else { return move(toOther: bytes) }
    stand(at: start, bytes.count)
    return true
  }

  /// Moves to a record of another shape.
  @inline(never) @usableFromInline
  mutating func move(toOther bytes: UnsafeRawBufferPointer) -> Bool {
    guard let columns = bytes.integer(UInt16.self, at: shape.pointee.nullStart - 2),
      let start = bytes.baseAddress, Int(columns) <= layout.columnCount
    else { return false }
    let other = layout.shape(of: Int(columns))
    guard other.pointee.tailStart <= bytes.count else { return false }
    shape = other
    stand(at: start, bytes.count)
    return true
  }

  /// Makes a view of a record of the shape.
  @inlinable @inline(__always)
  mutating func stand(at start: UnsafeRawPointer, _ count: Int) {
    fixed = start + shape.pointee.fixedStart
    tailSize = count &- shape.pointee.tailStart
    missing =
      shape.pointee.hasNullWord
      ? start.loadUnaligned(fromByteOffset: shape.pointee.nullStart, as: UInt64.self).littleEndian
        & shape.pointee.nullBits | shape.pointee.absentBits
      : missingByBytes()
  }

  /// Returns the missing columns as bits, reading the bitmap byte by byte.
  ///
  /// It serves records whose bitmap does not fit a word, or with less than a word from the bitmap
  /// to the end.
  @inline(never) @usableFromInline
  func missingByBytes() -> UInt64 {
    var missing = shape.pointee.absentBits
    if layout.columnCount > RecordField.far { missing |= 1 << UInt64(RecordField.far) }
    for column in 0..<min(columnCount, RecordField.far) {
      let byte = base.load(
        fromByteOffset: shape.pointee.nullStart + column >> 3, as: UInt8.self)
      missing |= UInt64(byte >> UInt8(column & 7) & 1) << UInt64(column)
    }
    return missing
  }

  /// The number of bytes the record has.
  package var count: Int { tailSize &+ shape.pointee.tailStart }

  /// The whole record.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Returns whether the record itself holds a value for the field: it has the column, and not as
  /// null.
  @inlinable @inline(__always)
  package func holds(_ field: RecordField) -> Bool {
    missing & field.missingBit == 0 || Int(field.column) >= RecordField.far && holdsFar(field)
  }

  /// Returns whether a field without a bit of its own is held.
  @inline(never) @usableFromInline
  func holdsFar(_ field: RecordField) -> Bool {
    guard Int(field.column) < columnCount else { return false }
    let offset = shape.pointee.nullStart + field.nullOffset
    return base.load(fromByteOffset: offset, as: UInt8.self) & field.nullMask == 0
  }

  /// Returns whether the record holds all columns whose bits are set, each the
  /// ``RecordField/missingBit`` of a column.
  ///
  /// False of a column without a bit of its own, whether it is held or not.
  @inline(__always)
  package func holdsAll(_ columns: UInt64) -> Bool { missing & columns == 0 }

  /// Returns whether the field is null.
  @inlinable @inline(__always)
  package func isNull(_ field: RecordField) -> Bool {
    !holds(field) && isNullWhereNotHeld(field)
  }

  @inline(never) @usableFromInline
  func isNullWhereNotHeld(_ field: RecordField) -> Bool {
    Int(field.column) < columnCount || filling(field).isNull
  }

  /// Returns the value of a field that the record does not hold.
  ///
  /// It is null, or the layout's filling if the record lacks the column.
  @inline(never) @usableFromInline
  package func filling(_ field: RecordField) -> StoredValue {
    Int(field.column) < columnCount ? .null : layout.fillings[Int(field.column)]
  }

  /// The bits of a field of fixed width that the record holds.
  @inlinable @inline(__always)
  package func bits<Integer: FixedWidthInteger>(_ field: RecordField, _ type: Integer.Type)
    -> Integer
  {
    Integer(
      littleEndian: fixed.loadUnaligned(fromByteOffset: Int(field.location), as: Integer.self))
  }

  /// The bytes of a field that the record holds, of a fixed width or a tail.
  @inlinable @inline(__always)
  package func bytes(_ field: RecordField) throws -> UnsafeRawBufferPointer {
    let width = field.encoding.width
    if width > 0 { return UnsafeRawBufferPointer(start: fixed + Int(field.location), count: width) }
    guard let tail = tail(field.location) else { throw damaged(field) }
    return tail
  }

  /// The bytes of a tail, by its number; nil when they cannot be.
  @inlinable @inline(__always)
  func tail(_ number: UInt32) -> UnsafeRawBufferPointer? {
    let entry = fixed + (shape.pointee.tableOffset &+ 4 &* Int(number))
    let end = Int(UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self)))
    let start =
      number == 0
      ? 0 : Int(UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: -4, as: UInt32.self)))
    guard start <= end, end <= tailSize else { return nil }
    return UnsafeRawBufferPointer(
      start: fixed + (shape.pointee.tailOffset &+ start), count: end &- start)
  }
}

extension RecordView {
  /// The error for a field whose bytes cannot be.
  @inline(never) @usableFromInline
  package func damaged(_ field: RecordField) -> StoreError {
    error(.corrupt, "the record is damaged", field)
  }

  /// The error for a field that is not of the kind it is read as.
  @inline(never) @usableFromInline
  package func mistaken(_ field: RecordField, for kind: String) -> StoreError {
    let type = layout.entity.columns[Int(field.column)].type
    let holds = isNull(field) ? "holds nil" : "is of type \(type)"
    return error(.decoding, "the attribute was read as \(kind), but it \(holds)", field)
  }

  /// An error about a field, with the row's key as far as it can be read.
  @inline(never) @usableFromInline
  package func error(_ code: StoreError.Code, _ message: String, _ field: RecordField) -> StoreError
  {
    let entity = layout.entity
    var key: [StoredValue] = []
    if !entity.key.contains(Int(field.column)) {
      key = entity.key.compactMap { try? value(layout.fields[$0]) }
    }
    return StoreError(
      code, message, entity: entity.modelName, key: key,
      attributes: [entity.columns[Int(field.column)].attribute])
  }
}
