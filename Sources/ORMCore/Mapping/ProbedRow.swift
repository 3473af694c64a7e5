internal import FoundationEssentials
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

  /// A row of the one value, noted as read.
  private func only(_ column: Int) throws -> BufferedRow {
    lastRead = column
    guard values.indices.contains(column) else { throw StoredValue.noColumn(column) }
    return BufferedRow([try values[column].get()])
  }

  var columnCount: Int { values.count }
  func value(at column: Int) throws -> StoredValue { try only(column).value(at: 0) }
  func isNull(at column: Int) throws -> Bool { try only(column).isNull(at: 0) }
  func bool(at column: Int) throws -> Bool { try only(column).bool(at: 0) }
  func int64(at column: Int) throws -> Int64 { try only(column).int64(at: 0) }
  func uint64(at column: Int) throws -> UInt64 { try only(column).uint64(at: 0) }
  func double(at column: Int) throws -> Double { try only(column).double(at: 0) }
  func string(at column: Int) throws -> String { try only(column).string(at: 0) }
  func data(at column: Int) throws -> Data { try only(column).data(at: 0) }
  func date(at column: Int) throws -> Date { try only(column).date(at: 0) }
  func uuid(at column: Int) throws -> UUID { try only(column).uuid(at: 0) }
  func decimal(at column: Int) throws -> Decimal { try only(column).decimal(at: 0) }
  func array(at column: Int) throws -> [StoredValue] { try only(column).array(at: 0) }
  func json(at column: Int) throws -> String { try only(column).json(at: 0) }
  func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    try only(column).withBytes(at: 0, body)
  }
}
