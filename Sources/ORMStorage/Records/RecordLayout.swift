package import ORMValues

/// The layout of the records of one entity in bytes.
///
/// A record is: a checksum of 8 bytes, if the store keeps them; the number of its columns, 2 bytes;
/// a bitmap with a bit set for each null; the columns of fixed width, each at its offset, zero
/// where null; the ends of the tails, 4 bytes each, counted from the end of this table; the tails.
/// All numbers have their least byte first. So one column is read without looking at the others,
/// and equal rows have equal bytes.
///
/// Columns are those of the file, in the order in which they came into it. A record written when there
/// were fewer of them is read as one whose others hold the values with which they were added.
@usableFromInline
// No lock: nothing changes after init.
package final class RecordLayout: @unchecked Sendable {
  /// The entity, its columns in the file's order.
  package let entity: StoredEntity
  /// The position and the encoding of each column.
  @usableFromInline package let fields: UnsafeBufferPointer<RecordField>
  /// The value of each column in a record that lacks the column.
  package let fillings: [StoredValue]
  /// The number of bytes of checksum a record begins with: 8 or 0.
  @usableFromInline package let checksumSize: Int
  /// True for each column that takes null.
  package let isOptional: [Bool]
  /// A record without tails, all columns null, with which every new record begins.
  package let blank: UnsafeRawBufferPointer
  /// Memory that lives as long as the layout, for views of nothing.
  @usableFromInline package let anchor: UnsafeRawPointer
  /// The starts of a record's parts, for each number of columns; behind them the shape of nothing.
  @usableFromInline let shapes: UnsafeMutablePointer<Shape>

  /// The offsets of the parts of records that have a given number of columns.
  @usableFromInline
  package struct Shape {
    @usableFromInline let layout: Unmanaged<RecordLayout>
    /// The number of columns; -1 of nothing.
    @usableFromInline package var columnCount: Int
    /// The offset of the bitmap of nulls.
    @usableFromInline package var nullStart: Int
    @usableFromInline package var fixedStart: Int
    @usableFromInline package var tableStart: Int
    @usableFromInline package var tailCount: Int
    /// The offset of the tails; past every end in the shape of nothing.
    @usableFromInline package var tailStart: Int
    /// The bits of a word at the bitmap's start that are those of columns.
    @usableFromInline let nullBits: UInt64
    /// The bits of columns that such records lack.
    @usableFromInline let absentBits: UInt64
    /// True if a word can be read at the bitmap's start and holds all of the bitmap.
    @usableFromInline let hasNullWord: Bool
    /// The offset of the table of tails from the start of the columns of fixed width.
    @usableFromInline let tableOffset: Int
    /// The offset of the tails from the start of the columns of fixed width.
    @usableFromInline let tailOffset: Int

    fileprivate init(
      _ layout: RecordLayout, columns: Int, fixedSize: Int, tails: Int
    ) {
      self.layout = .passUnretained(layout)
      columnCount = columns
      nullStart = layout.checksumSize + 2
      fixedStart = nullStart + (columns + 7) / 8
      tableStart = fixedStart + fixedSize
      tailCount = tails
      tailStart = tableStart + 4 * tails
      nullBits = columns < 64 ? 1 << UInt64(columns) - 1 : .max
      absentBits = ~nullBits
      hasNullWord = columns <= RecordField.far && nullStart + 8 <= tailStart
      tableOffset = tableStart - fixedStart
      tailOffset = tailStart - fixedStart
    }

    /// Makes the shape of a record without columns.
    fileprivate init(nothingIn layout: RecordLayout) {
      self.layout = .passUnretained(layout)
      columnCount = -1
      nullStart = layout.checksumSize + 2
      (fixedStart, tableStart, tailCount, tailStart) = (0, 0, 0, .max)
      (nullBits, absentBits, hasNullWord) = (0, .max, false)
      (tableOffset, tailOffset) = (0, 0)
    }
  }

  package init(_ entity: StoredEntity, fillings: [StoredValue], hasChecksums: Bool) {
    self.entity = entity
    self.fillings = fillings
    checksumSize = hasChecksums ? 8 : 0
    isOptional = entity.columns.map(\.isOptional)
    let count = entity.columns.count
    let fields = UnsafeMutablePointer<RecordField>.allocate(capacity: max(count, 1))
    anchor = UnsafeRawPointer(fields)
    shapes = .allocate(capacity: count + 2)
    var fixedSizes = [0]
    var tails = [0]
    for column in 0..<count {
      let encoding = RecordField.Encoding(entity.columns[column].type)
      (fields + column).initialize(
        to: RecordField(
          encoding: encoding, column: column,
          location: encoding.isTail ? tails[column] : fixedSizes[column]))
      fixedSizes.append(fixedSizes[column] + encoding.width)
      tails.append(tails[column] + (encoding.isTail ? 1 : 0))
    }
    self.fields = UnsafeBufferPointer(start: fields, count: count)
    blank = Self.blank(
      columns: count, checksumSize: checksumSize,
      size: checksumSize + 2 + (count + 7) / 8 + fixedSizes[count] + 4 * tails[count])
    for columns in 0...count {
      (shapes + columns).initialize(
        to: Shape(self, columns: columns, fixedSize: fixedSizes[columns], tails: tails[columns]))
    }
    (shapes + (count + 1)).initialize(to: Shape(nothingIn: self))
  }

  private static func blank(columns: Int, checksumSize: Int, size: Int) -> UnsafeRawBufferPointer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.storeBytes(
      of: UInt16(truncatingIfNeeded: columns).littleEndian, toByteOffset: checksumSize,
      as: UInt16.self)
    for column in 0..<columns { bytes[checksumSize + 2 + column >> 3] |= 1 << UInt8(column & 7) }
    return UnsafeRawBufferPointer(bytes)
  }

  deinit {
    fields.deallocate()
    shapes.deallocate()
    blank.deallocate()
  }

  /// The number of columns the file has.
  @inlinable @inline(__always)
  package var columnCount: Int { fields.count }

  /// Returns the shape of a record with a number of columns, which is at most ``columnCount``.
  @inlinable @inline(__always)
  package func shape(of columns: Int) -> UnsafePointer<Shape> { UnsafePointer(shapes + columns) }

  /// The shape of no record.
  var nothing: UnsafePointer<Shape> { UnsafePointer(shapes + (columnCount + 1)) }
}
