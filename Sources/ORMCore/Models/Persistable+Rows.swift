public import ORMStorage

// The reads of rows as the compiler makes them of each model.
//
// A model's `init(row:)` is generic in the row, and a call from another module looks every column up
// in a table of functions. The requirements of `Persistable` that name `RecordReader` and
// `RecordBlock` are the same calls by the one type of row that stores of keys and values have. The
// functions below meet them: they are generic, so that no model names those types, and compiled where
// the model is, so that they come down to loads. A scan takes half the instructions.
//
// Of rows of other types the model at least is known: generic code that adds to an array of models
// looks the array's type up for each row.

extension Persistable {
  /// Adds the model of a row, by `init(row:)`.
  @inlinable @inline(__always)
  public static func append<R: RowReader & ~Copyable>(
    row: borrowing R, to models: inout [Self]
  ) throws {
    if models.isEmpty { models.reserveCapacity(4) }
    models.append(try Self(row: row))
  }

  /// Initializes memory with the model of a row, by `init(row:)`.
  @inlinable @inline(__always)
  public static func initialize<R: RowReader & ~Copyable>(
    _ pointer: UnsafeMutablePointer<Self>, row: borrowing R
  ) throws {
    pointer.initialize(to: try Self(row: row))
  }

  /// Adds the model of a row that lies in memory, by `init(row:)`.
  @inlinable
  public static func append<R: RowReader & ~Copyable>(
    record: borrowing R, to models: inout [Self]
  ) throws {
    // Most answers are a few rows: capacity for one, two and four is reserved at once.
    if models.isEmpty { models.reserveCapacity(4) }
    models.append(try Self(row: record))
  }

  /// Adds the models of rows that lie in memory; one that throws is the one taken last.
  @inlinable
  public static func append<I: IteratorProtocol>(
    block: inout I, to models: inout [Self]
  ) throws where I.Element: RowReader {
    if models.isEmpty { models.reserveCapacity(8) }
    while let record = block.next() { models.append(try Self(row: record)) }
  }

  /// Initializes memory with the model of a row that lies in memory, by `init(row:)`.
  @inlinable
  public static func initialize<R: RowReader & ~Copyable>(
    _ pointer: UnsafeMutablePointer<Self>, record: borrowing R
  ) throws {
    pointer.initialize(to: try Self(row: record))
  }
}
