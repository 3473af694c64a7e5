public import ORMStorage
public import ORMValues

extension RowReader where Self: ~Copyable {
  /// An embedded struct, whose first column is this one: `address = try row.embedded(at: 3)`.
  ///
  /// The next property begins `Address.columnCount` columns further on.
  ///
  /// - Throws: `decoding`.
  @inlinable @inline(__always)
  public func embedded<Value: Persistable>(
    _ type: Value.Type = Value.self, at column: Int
  ) throws -> Value {
    do {
      return try unsafe withUnsafePointer(to: self) {
        try unsafe Value(row: EmbeddedRow($0, offset: column))
      }
    } catch {
      throw StoreError.embedded(error)
    }
  }

  /// An embedded struct that may be nil: its first column, this one, says whether it is there.
  ///
  /// The next property begins `Address?.columnCount` columns further on.
  ///
  /// - Throws: `decoding`.
  @inlinable @inline(__always)
  public func embedded<Value: Persistable>(
    _ type: Value?.Type = Value?.self, at column: Int
  ) throws -> Value? {
    if try isNull(at: column) { return nil }
    guard try bool(at: column) else {
      throw StoredValue.unexpected(
        "the attribute that marks a struct as present")
    }
    return try embedded(Value.self, at: column + 1)
  }
}

// Without these, a struct that cannot be embedded would be reported three times.
extension RowReader where Self: ~Copyable {
  /// Throws `decoding`: the type is not a model.
  @_disfavoredOverload
  public func embedded<Value>(at column: Int) throws -> Value {
    throw StoredValue.unexpected("a model")
  }
}

extension RowWriter where Self: ~Copyable {
  /// Throws `decoding`: the type is not a model.
  @_disfavoredOverload
  public mutating func write<Value>(embedded value: Value, at column: Int) throws {
    throw StoredValue.unexpected("a model")
  }
}

extension RowWriter where Self: ~Copyable {
  /// Writes an embedded struct from this column on: `try row.write(embedded: address, at: 3)`.
  ///
  /// - Throws: `invalidValue` for a value that cannot be stored (NaN).
  @inlinable @inline(__always)
  public mutating func write<Value: Persistable>(embedded value: Value, at column: Int) throws {
    do {
      try unsafe withUnsafeMutablePointer(to: &self) {
        var row = unsafe EmbeddedRowWriter($0, offset: column)
        try value.encode(into: &row)
      }
    } catch {
      throw StoreError.embedded(error)
    }
  }

  /// Writes an embedded struct that may be nil: first whether it is there, then its columns, which
  /// are null where it is not.
  @inlinable @inline(__always)
  public mutating func write<Value: Persistable>(embedded value: Value?, at column: Int) throws {
    if let value {
      try set(true, at: column)
      try write(embedded: value, at: column + 1)
    } else {
      for column in column..<column + Value?.columnCount { try setNull(at: column) }
    }
  }
}

extension StoreError {
  /// The error of an embedded struct on its way to the container.
  ///
  /// The struct names its entity and attributes by names of its own. Which column it was is found out as for
  /// any other, by the last that was read or set.
  @inline(never)
  public static func embedded(_ error: any Error) -> any Error {
    guard var error = error as? StoreError else { return error }
    (error.entity, error.key, error.attributes) = (nil, [], [])
    return error
  }
}
