internal import ORMCore

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
// No lock: nothing changes after init.
final class RecordLayout: @unchecked Sendable {
  /// The entity, its columns in the file's order.
  let entity: StoredEntity
  /// Where each column lies.
  let fields: UnsafeBufferPointer<RecordField>
  /// What a record that lacks a column holds in it.
  let fillings: [StoredValue]
  /// How many bytes of checksum a record begins with: 8 or 0.
  let checksumSize: Int
  /// Which columns take null.
  let isOptional: [Bool]
  /// Memory that lives as long as the layout, for views of nothing.
  let anchor: UnsafeRawPointer
  /// For each number of columns, where the parts of such a record begin.
  private let shapes: UnsafeMutableBufferPointer<Shape>

  /// Where the parts of a record begin.
  struct Shape {
    var fixedStart: Int
    var tableStart: Int
    var tailCount: Int
    @inline(__always) var tailStart: Int { tableStart + 4 * tailCount }
  }

  init(_ entity: StoredEntity, fillings: [StoredValue], hasChecksums: Bool) {
    self.entity = entity
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
        to: Shape(fixedStart: fixedStart, tableStart: fixedStart + fixedSize, tailCount: tails))
      guard column < count else { break }
      let encoding = RecordField.Encoding(entity.columns[column].type)
      (fields + column).initialize(
        to: RecordField(
          encoding: encoding, column: UInt16(truncatingIfNeeded: column),
          place: UInt32(encoding.isTail ? tails : fixedSize)))
      if encoding.isTail { tails += 1 } else { fixedSize += encoding.width }
    }
    self.fields = UnsafeBufferPointer(start: fields, count: count)
  }

  deinit {
    fields.deallocate()
    shapes.deallocate()
  }

  /// How many columns the file has.
  @inline(__always)
  var columnCount: Int { fields.count }

  /// Where the parts of a record of so many columns begin; no more than ``columnCount``.
  @inline(__always)
  func shape(of columns: Int) -> Shape { shapes[columns] }
}

extension RecordLayout {
  /// Whether bytes found under a key are what was sealed there.
  ///
  /// True without checksums.
  @inline(__always)
  func isWhole(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in space: Space
  ) -> Bool {
    guard checksumSize > 0 else { return true }
    guard let sum = record.integer(UInt64.self, at: 0),
      let content = record.part(from: checksumSize, to: record.count)
    else { return false }
    return Checksum.of(content, under: key, in: space) == sum
  }
}
