public import ORMStorage

/// What the compiler makes of a model for rows that lie in core's own form of bytes.
///
/// Nothing to implement: every ``Persistable`` has it. A model's `init(row:)` and `encode(into:)` are
/// generic in the row, and a call from another module looks every column up in a table of functions.
/// These are the same calls by the one type of row that stores of keys and values have, compiled where
/// the model is, so that they come down to loads and stores: a scan takes half the instructions.
///
/// Of rows of other types the model at least is known. The defaults for them are inlined into the model's
/// own witnesses: generic code that adds to an array of models looks the array's type up for each row.
public protocol RecordCoded {
  /// Adds the model of a row, by `init(row:)`.
  static func append<R: RowReader & ~Copyable>(row: borrowing R, to models: inout [Self]) throws
  /// Puts the model of a row where there is room for it, by `init(row:)`.
  static func initialize<R: RowReader & ~Copyable>(
    _ place: UnsafeMutablePointer<Self>, row: borrowing R) throws
  /// Adds the model of a record, by `init(row:)`.
  static func append(record: RecordReader, to models: inout [Self]) throws
  /// Adds the models of the records of a block; one that throws is the one taken last.
  static func append(block: inout RecordBlock, to models: inout [Self]) throws
  /// Puts the model of a record where there is room for it, by `init(row:)`.
  static func initialize(_ place: UnsafeMutablePointer<Self>, record: RecordReader) throws
  /// Writes one of several models into a record, by `encode(into:)`.
  static func write(_ models: [Self], at position: Int, to record: inout RecordWriter) throws
  /// Writes a model into a record, by `encode(into:)`.
  static func write(_ model: UnsafePointer<Self>, to record: inout RecordWriter) throws
}

extension Persistable {
  /// Adds the model of a row, by `init(row:)`.
  @inlinable @inline(__always)
  public static func append<R: RowReader & ~Copyable>(
    row: borrowing R, to models: inout [Self]
  ) throws {
    if models.isEmpty { models.reserveCapacity(4) }
    models.append(try Self(row: row))
  }

  /// Puts the model of a row where there is room for it, by `init(row:)`.
  @inlinable @inline(__always)
  public static func initialize<R: RowReader & ~Copyable>(
    _ place: UnsafeMutablePointer<Self>, row: borrowing R
  ) throws {
    place.initialize(to: try Self(row: row))
  }

  /// Adds the model of a record, by `init(row:)`.
  @inlinable
  public static func append(record: RecordReader, to models: inout [Self]) throws {
    // Most answers are a few rows: room for one, two and four is made at once.
    if models.isEmpty { models.reserveCapacity(4) }
    models.append(try Self(row: record))
  }

  /// Adds the models of the records of a block; one that throws is the one taken last.
  @inlinable
  public static func append(block: inout RecordBlock, to models: inout [Self]) throws {
    if models.isEmpty { models.reserveCapacity(8) }
    while let record = block.next() { models.append(try Self(row: record)) }
  }

  /// Puts the model of a record where there is room for it, by `init(row:)`.
  @inlinable
  public static func initialize(
    _ place: UnsafeMutablePointer<Self>, record: RecordReader
  ) throws {
    place.initialize(to: try Self(row: record))
  }

  /// Writes one of several models into a record, by `encode(into:)`.
  @inlinable
  public static func write(
    _ models: [Self], at position: Int, to record: inout RecordWriter
  ) throws {
    try models[position].encode(into: &record)
  }

  /// Writes a model into a record, by `encode(into:)`.
  @inlinable
  public static func write(
    _ model: UnsafePointer<Self>, to record: inout RecordWriter
  ) throws {
    try model.pointee.encode(into: &record)
  }
}
