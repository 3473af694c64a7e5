/// The columns that a reader or writer of rows has, as fields of the record: for whole rows those
/// of the declared entity, for values the ones asked for.
@usableFromInline
// No lock: nothing changes after init.
package final class RowColumns: @unchecked Sendable {
  /// The record they lie in.
  package let layout: RecordLayout
  /// The field of each column.
  @usableFromInline package let fields: UnsafeBufferPointer<RecordField>
  /// A reader of no record yet: copying it counts no references, which threads that find rows side
  /// by side would fight for.
  package let reader: RecordReader

  /// Makes the columns from their places among the columns of the file.
  package init(_ layout: RecordLayout, _ places: [Int]) {
    self.layout = layout
    let fields = UnsafeMutableBufferPointer<RecordField>.allocate(capacity: places.count)
    for (column, place) in places.enumerated() {
      fields.initializeElement(at: column, to: layout.fields[place])
    }
    self.fields = UnsafeBufferPointer(fields)
    reader = RecordReader(layout, self.fields)
  }

  deinit { fields.deallocate() }
}
