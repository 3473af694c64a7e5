public import ORMValues

/// A row copied out of a store: values that are a ``RowReader`` again.
public struct BufferedRow: RowReader, Sendable {
  /// The values by column.
  public var values: [StoredValue]

  /// A row of these values.
  public init(_ values: [StoredValue]) { self.values = values }

  /// A copy of a row under a cursor.
  public init<R: RowReader & ~Copyable>(copying row: borrowing R) throws {
    values = []
    values.reserveCapacity(row.columnCount)
    for column in 0..<row.columnCount { values.append(try row.value(at: column)) }
  }

  /// The number of values.
  public var columnCount: Int { values.count }
  /// Returns the value of a column.
  public func value(at column: Int) throws -> StoredValue {
    guard values.indices.contains(column) else { throw StoredValue.noColumn(column) }
    return values[column]
  }
}

extension StoredValue {
  /// The error for a column that a row does not have.
  package static func noColumn(_ column: Int) -> StoreError {
    StoreError(
      .decoding,
      "the model reads column \(column), but its entity has fewer columns: make the model's "
        + "coding match its entity")
  }
}
