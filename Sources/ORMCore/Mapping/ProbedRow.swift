internal import ORMStorage

/// A copy of a row that remembers which column was read last: made after a model failed to decode,
/// to find out where.
final class ProbedRow: RowReader {
  /// The values by column, or the error that reading the column threw.
  let values: [Result<StoredValue, any Error>]
  /// The column read last; nil before any.
  private(set) var lastRead: Int?

  /// A copy of a row, damaged columns included.
  init<R: RowReader & ~Copyable>(_ row: borrowing R) {
    var values: [Result<StoredValue, any Error>] = []
    for column in 0..<row.columnCount {
      do {
        values.append(.success(try row.value(at: column)))
      } catch {
        values.append(.failure(error))
      }
    }
    self.values = values
  }

  var columnCount: Int { values.count }

  func value(at column: Int) throws -> StoredValue {
    lastRead = column
    guard values.indices.contains(column) else { throw StoredValue.noColumn(column) }
    return try values[column].get()
  }
}
