public import FoundationEssentials
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
  /// Returns whether the value of a column is null.
  public func isNull(at column: Int) throws -> Bool { try value(at: column).isNull }
  /// Returns a truth value.
  public func bool(at column: Int) throws -> Bool {
    guard case .bool(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a bool")
    }
    return value
  }
  /// Returns an integer.
  public func int64(at column: Int) throws -> Int64 {
    guard case .int(let value) = try value(at: column) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    return value
  }
  /// Returns an unsigned integer.
  public func uint64(at column: Int) throws -> UInt64 {
    switch try value(at: column) {
    case .uint(let value): return value
    case .int(let value) where value >= 0: return UInt64(value)
    default: throw StoredValue.unexpected("an unsigned integer")
    }
  }
  /// Returns a double.
  public func double(at column: Int) throws -> Double {
    guard case .double(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a double")
    }
    return value
  }
  /// Returns a text.
  public func string(at column: Int) throws -> String {
    guard case .string(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a text")
    }
    return value
  }
  /// Returns data.
  public func data(at column: Int) throws -> Data {
    guard case .data(let value) = try value(at: column) else {
      throw StoredValue.unexpected("data")
    }
    return value
  }
  /// Returns a date.
  public func date(at column: Int) throws -> Date {
    guard case .date(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a date")
    }
    return value
  }
  /// Returns a UUID.
  public func uuid(at column: Int) throws -> UUID {
    guard case .uuid(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a UUID")
    }
    return value
  }
  /// Returns a decimal.
  public func decimal(at column: Int) throws -> Decimal {
    guard case .decimal(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a decimal")
    }
    return value
  }
  /// Returns the elements of an array.
  public func array(at column: Int) throws -> [StoredValue] {
    guard case .array(let elements) = try value(at: column) else {
      throw StoredValue.unexpected("an array")
    }
    return elements
  }
  /// Returns a JSON text.
  public func json(at column: Int) throws -> String {
    guard case .json(let text) = try value(at: column) else { throw StoredValue.unexpected("JSON") }
    return text
  }
  /// Calls `body` with the bytes of a text or of data.
  public func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    switch try value(at: column) {
    case .string(var text), .json(var text):
      return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    case .data(let bytes): return try bytes.withUnsafeBytes(body)
    default: throw StoredValue.unexpected("text or data")
    }
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
