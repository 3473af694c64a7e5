/// The columns that a reader or writer of rows has, as fields of the record: for whole rows those
/// of the declared entity, for values the ones asked for.
@usableFromInline
// No lock: nothing changes after init.
package final class RowColumns: @unchecked Sendable {
  /// The record they lie in.
  package let layout: RecordLayout
  /// The field of each column; a reader has it without counting references.
  package let list: List
  /// A reader of no record yet: copying it counts no references, which threads that find rows side
  /// by side would fight for.
  package let reader: RecordReader
  /// The same for a record that most likely has all columns; it must not be asked before it is moved
  /// there.
  package let expectant: RecordReader

  /// Makes the columns from their positions among the columns of the file.
  package init(_ layout: RecordLayout, _ positions: [Int]) {
    self.layout = layout
    let start = UnsafeMutablePointer<RecordField>.allocate(capacity: positions.count)
    for (column, position) in positions.enumerated() {
      (start + column).initialize(to: layout.fields[position])
    }
    list = List(start: UnsafePointer(start), count: positions.count)
    reader = RecordReader(RecordView(layout), list)
    expectant = RecordReader(RecordView(expecting: layout), list)
  }

  deinit { list.start.deallocate() }

  /// The field of each column.
  package var fields: UnsafeBufferPointer<RecordField> {
    UnsafeBufferPointer(start: list.start, count: list.count)
  }

  /// The fields of columns, which live as long as these do.
  @usableFromInline
  package struct List {
    @usableFromInline let start: UnsafePointer<RecordField>
    @usableFromInline let count: Int
  }
}
