internal import ORMStorage

/// Tests the entries of an index before their rows are looked up.
final class EntryFilter {
  private var reader: EntryReader
  private let condition: BoundCondition

  init(_ columns: EntryColumns, _ condition: BoundCondition) {
    reader = EntryReader(columns)
    self.condition = condition
  }

  /// Returns whether an entry can be that of a row asked for.
  func passes(_ entry: UnsafeRawBufferPointer) throws -> Bool {
    // Bytes that are no entry are detected when the row is looked up.
    guard reader.move(to: entry) else { return true }
    return try condition.matches(reader)
  }
}
