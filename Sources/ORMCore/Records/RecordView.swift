/// The bytes of one record, told apart into their parts.
///
/// It points into memory of others and is valid as long as that is; its layout must outlive it.
/// Every read is checked against the bounds, so that no bytes at all can make it trap.
@usableFromInline
package struct RecordView {
  @usableFromInline package var base: UnsafeRawPointer
  @usableFromInline package var count = 0
  /// How many columns the record was written with; none of a view of nothing.
  @usableFromInline package var columnCount = -1
  @usableFromInline package var fixedStart = 0
  @usableFromInline package var tableStart = 0
  /// Where the tails begin; past every end in a view of nothing.
  @usableFromInline package var tailStart = Int.max
  /// Where the bitmap of nulls begins.
  @usableFromInline let nullStart: Int
  @usableFromInline let unmanagedLayout: Unmanaged<RecordLayout>

  /// A view of nothing.
  package init(_ layout: RecordLayout) {
    unmanagedLayout = .passUnretained(layout)
    base = layout.anchor
    nullStart = layout.checksumSize + 2
  }

  /// The layout.
  @inlinable @inline(__always)
  package var layout: RecordLayout { unmanagedLayout._withUnsafeGuaranteedRef { $0 } }

  /// Moves to other bytes; false when they cannot be a record of the layout.
  @inlinable @inline(__always)
  package mutating func move(to bytes: UnsafeRawBufferPointer) -> Bool {
    // Most records have the shape of the one before.
    guard tailStart <= bytes.count, let start = bytes.baseAddress,
      start.loadUnaligned(fromByteOffset: nullStart &- 2, as: UInt16.self).littleEndian
        == UInt16(truncatingIfNeeded: columnCount)
    else { return move(toOther: bytes) }
    base = start
    count = bytes.count
    return true
  }

  /// Moves to a record of another shape.
  @inline(never) @usableFromInline
  mutating func move(toOther bytes: UnsafeRawBufferPointer) -> Bool {
    guard let columns = bytes.integer(UInt16.self, at: nullStart - 2),
      let start = bytes.baseAddress, Int(columns) <= layout.columnCount
    else { return false }
    let shape = layout.shape(of: Int(columns))
    guard shape.tailStart <= bytes.count else { return false }
    base = start
    count = bytes.count
    columnCount = Int(columns)
    fixedStart = shape.fixedStart
    tableStart = shape.tableStart
    tailStart = shape.tailStart
    return true
  }

  /// Whether bytes claim to be a record with more columns than the layout knows.
  package static func isNewer(_ bytes: UnsafeRawBufferPointer, than layout: RecordLayout) -> Bool {
    guard let columns = bytes.integer(UInt16.self, at: layout.checksumSize) else { return false }
    return Int(columns) > layout.columnCount
  }

  /// The whole record.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Whether the record itself holds a value for the field: it has the column, and not as null.
  @inlinable @inline(__always)
  package func holds(_ field: RecordField) -> Bool {
    guard Int(field.column) < columnCount else { return false }
    return base.load(fromByteOffset: Int(field.nullPlace), as: UInt8.self) & field.nullMask == 0
  }

  /// Whether the record holds all of some columns: those whose bits are set, in as many bytes as a
  /// bitmap of all columns of the layout has.
  package func holdsAll(_ columns: UnsafeRawBufferPointer) -> Bool {
    guard columnCount == layout.columnCount else { return false }
    var missing: UInt8 = 0
    for place in columns.indices {
      missing |= base.load(fromByteOffset: nullStart + place, as: UInt8.self) & columns[place]
    }
    return missing == 0
  }

  /// Whether the field is null.
  @inlinable @inline(__always)
  package func isNull(_ field: RecordField) -> Bool {
    !holds(field) && isNullWhereNotHeld(field)
  }

  @inline(never) @usableFromInline
  func isNullWhereNotHeld(_ field: RecordField) -> Bool {
    Int(field.column) < columnCount || filling(field).isNull
  }

  /// What the field holds where the record lacks the column.
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
      littleEndian: base.loadUnaligned(
        fromByteOffset: fixedStart &+ Int(field.place), as: Integer.self))
  }

  /// The bytes of a field that the record holds, of a fixed width or a tail.
  @inlinable @inline(__always)
  package func bytes(_ field: RecordField) throws -> UnsafeRawBufferPointer {
    let width = field.encoding.width
    if width > 0 {
      return UnsafeRawBufferPointer(start: base + (fixedStart &+ Int(field.place)), count: width)
    }
    let place = tableStart &+ 4 &* Int(field.place)
    let end = Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    let start =
      field.place == 0
      ? 0
      : Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place - 4, as: UInt32.self)))
    guard start <= end, end <= count - tailStart else { throw damaged(field) }
    return UnsafeRawBufferPointer(start: base + tailStart + start, count: end - start)
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
    return error(.decoding, "the attribute is read as \(kind), but \(holds)", field)
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
