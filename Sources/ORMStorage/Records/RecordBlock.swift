/// Several records that lie in memory at once: a visitor that takes all of them in one call saves a call
/// for each, which is a third of a scan of integers.
///
/// Models compile against it: see `Persistable`. Stores make it; it is valid as long as its records
/// are.
@_spi(Records)
public struct RecordBlock: IteratorProtocol {
  @usableFromInline let views: UnsafePointer<RecordView>
  @usableFromInline let columns: RowColumns.List
  @usableFromInline let end: Int
  /// The number of records that were taken.
  @usableFromInline var taken = 0

  package init(_ views: UnsafePointer<RecordView>, count: Int, _ columns: RowColumns.List) {
    self.views = views
    self.columns = columns
    end = count
  }

  /// The number of records that are left.
  package var count: Int { end - taken }

  /// Takes the next record; nil when all were taken.
  @inlinable @inline(__always)
  public mutating func next() -> RecordReader? {
    guard taken < end else { return nil }
    taken &+= 1
    return RecordReader(views[taken &- 1], columns)
  }

  /// Takes at most `count` records together; at least one must be asked for.
  package mutating func take(atMost count: Int) -> RecordBlock {
    let part = RecordBlock(views + taken, count: min(count, end - taken), columns)
    taken += part.end
    return part
  }

  /// The record taken last; nil before the first.
  package var last: RecordReader? {
    taken > 0 ? RecordReader(views[taken - 1], columns) : nil
  }
}
