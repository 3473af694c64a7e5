/// How the records of one entity lie in bytes.
///
/// A record is: a checksum of 8 bytes, if the store keeps them; the number of its columns, 2 bytes;
/// a bitmap with a bit set for each null; the columns of fixed width, each at its place, zero where
/// null; the ends of the tails, 4 bytes each, counted from the end of this table; the tails. All
/// numbers have their least byte first. So one column is read without looking at the others, and
/// equal rows have equal bytes.
///
/// Columns are those of the file, in the order in which they came into it. A record written when
/// there were fewer of them is read as one whose others hold what they were added with.
@usableFromInline
// No lock: nothing changes after init.
package final class RecordLayout: @unchecked Sendable {
  /// The entity, its columns in the file's order.
  package let entity: StoredEntity
  /// Where each column lies.
  @usableFromInline package let fields: UnsafeBufferPointer<RecordField>
  /// What a record that lacks a column holds in it.
  package let fillings: [StoredValue]
  /// How many bytes of checksum a record begins with: 8 or 0.
  @usableFromInline package let checksumSize: Int
  /// Whether the checksum is that of stores of the first format.
  package let hasOldChecksums: Bool
  /// Which columns take null.
  package let isOptional: [Bool]
  /// A record without tails, all columns null: what every record begins as.
  package let blank: UnsafeRawBufferPointer
  /// Memory that lives as long as the layout, for views of nothing.
  @usableFromInline package let anchor: UnsafeRawPointer
  /// For each number of columns, where the parts of such a record begin.
  @usableFromInline let shapes: UnsafeMutableBufferPointer<Shape>

  /// Where the parts of a record begin.
  @usableFromInline
  package struct Shape {
    @usableFromInline package var fixedStart: Int
    @usableFromInline package var tableStart: Int
    @usableFromInline package var tailCount: Int
    @usableFromInline package var tailStart: Int
  }

  package init(
    _ entity: StoredEntity, fillings: [StoredValue], hasChecksums: Bool,
    hasOldChecksums: Bool = false
  ) {
    self.entity = entity
    self.hasOldChecksums = hasOldChecksums
    self.fillings = fillings
    checksumSize = hasChecksums ? 8 : 0
    isOptional = entity.columns.map(\.isOptional)
    let count = entity.columns.count
    let fields = UnsafeMutablePointer<RecordField>.allocate(capacity: max(count, 1))
    anchor = UnsafeRawPointer(fields)
    shapes = .allocate(capacity: count + 1)
    var fixedSize = 0
    var tails = 0
    for column in 0...count {
      let fixedStart = checksumSize + 2 + (column + 7) / 8
      shapes.initializeElement(
        at: column,
        to: Shape(
          fixedStart: fixedStart, tableStart: fixedStart + fixedSize, tailCount: tails,
          tailStart: fixedStart + fixedSize + 4 * tails))
      guard column < count else { break }
      let encoding = RecordField.Encoding(entity.columns[column].type)
      (fields + column).initialize(
        to: RecordField(
          encoding: encoding, column: column, place: encoding.isTail ? tails : fixedSize,
          nullStart: checksumSize + 2))
      if encoding.isTail { tails += 1 } else { fixedSize += encoding.width }
    }
    self.fields = UnsafeBufferPointer(start: fields, count: count)
    blank = Self.blank(columns: count, checksumSize: checksumSize, size: shapes[count].tailStart)
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

  /// How many columns the file has.
  @inlinable @inline(__always)
  package var columnCount: Int { fields.count }

  /// Where the parts of a record of so many columns begin; no more than ``columnCount``.
  @inlinable @inline(__always)
  package func shape(of columns: Int) -> Shape { shapes[columns] }
}
