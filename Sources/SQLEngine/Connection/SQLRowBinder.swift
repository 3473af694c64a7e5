public import FoundationEssentials
public import ORMStorage

/// A row being written that binds its values to a statement as they are set.
///
/// The engine implements `RowWriter` for every conforming type; a backend declares a struct with
/// these three properties and passes it to ``SQLStatement/bind(from:by:_:)``. Since the struct is the
/// backend's own, the compiler specialises the setters for its statement.
public protocol SQLRowBinder: RowWriter {
  /// The statement's type.
  associatedtype Statement: SQLStatement
  /// The statement to which values are bound.
  var statement: Statement { get }
  /// The parameters to which the columns are bound; best a constant of the struct.
  var parameters: SQLRowParameters { get }
  /// The progress within the row, a new one for each row.
  var progress: SQLRowProgress { get set }
}

/// The progress of a ``SQLRowBinder`` within one row.
public struct SQLRowProgress {
  /// The column that is due next: columns that the source leaves out become null.
  @usableFromInline var next = 0
  /// The key that is the row number; 0 where the source gave none.
  @usableFromInline var key: Int64 = 0

  /// Begins a row.
  @inlinable
  public init() {}
}

extension SQLRowBinder {
  /// Binds null to the columns that the source has left out at the end.
  @inlinable @inline(__always)
  mutating func finish() throws {
    if progress.next < parameters.end { try skip(to: parameters.end) }
  }

  /// Returns the slot of a column that is being set.
  @inlinable @inline(__always)
  mutating func slot(_ column: Int) throws -> SQLRowParameters.Slot {
    if column != progress.next {
      guard parameters.slots.indices.contains(column) else {
        throw parameters.columnError(column)
      }
      if column > progress.next { try skip(to: column) }
    }
    progress.next = column + 1
    guard column < parameters.slots.count else {
      throw parameters.columnError(column)
    }
    return parameters.slots[column]
  }

  @inline(never) @inlinable
  mutating func skip(to column: Int) throws {
    for position in progress.next..<column {
      let slot = parameters.slots[position]
      if slot.parameter != 0 { try statement.bindNull(at: slot.parameter) }
      if slot.foldedParameter != 0 { try statement.bindNull(at: slot.foldedParameter) }
    }
    progress.next = column
  }

  @inlinable @inline(__always)
  func check(_ count: Int, _ column: Int) throws {
    if count > parameters.maximumValueSize {
      throw parameters.sizeError(count, at: column)
    }
  }

  /// Sets a column to null.
  @inlinable
  public mutating func setNull(at column: Int) throws {
    let slot = try slot(column)
    if slot.parameter != 0 { try statement.bindNull(at: slot.parameter) }
    if slot.foldedParameter != 0 { try statement.bindNull(at: slot.foldedParameter) }
  }

  /// Sets a `bool` column.
  @inlinable
  public mutating func set(_ value: Bool, at column: Int) throws {
    let slot = try slot(column)
    if slot.parameter != 0 { try statement.bind(value ? 1 as Int64 : 0, at: slot.parameter) }
  }

  /// Sets an integer column of any width but unsigned 64 bits.
  @inlinable
  public mutating func set(_ value: Int64, at column: Int) throws {
    let slot = try slot(column)
    if slot.isRowNumber { progress.key = value }
    if slot.parameter != 0 { try statement.bind(value, at: slot.parameter) }
  }

  /// Sets a `uint64` column.
  @inlinable
  public mutating func set(_ value: UInt64, at column: Int) throws {
    let slot = try slot(column)
    if slot.parameter != 0 { try statement.bind(digits: value, at: slot.parameter) }
  }

  /// Sets a `double` or `float` column.
  @inlinable
  public mutating func set(_ value: Double, at column: Int) throws {
    let slot = try slot(column)
    if slot.parameter != 0 { try statement.bind(value, at: slot.parameter) }
  }

  /// Sets a `string` column, and the folded text beside it.
  @inlinable
  public mutating func set(_ value: String, at column: Int) throws {
    let slot = try slot(column)
    try check(value.utf8.count, column)
    if slot.parameter != 0 { try statement.bind(value, at: slot.parameter) }
    if slot.foldedParameter != 0 {
      try statement.bind(StoredForm.folded(value), at: slot.foldedParameter)
    }
  }

  /// Sets a `data` column.
  @inlinable
  public mutating func set(_ value: Data, at column: Int) throws {
    let slot = try slot(column)
    try check(value.count, column)
    if slot.parameter != 0 {
      try value.withUnsafeBytes { try statement.bind(blob: $0, at: slot.parameter) }
    }
  }

  /// Sets a `date` column.
  @inlinable
  public mutating func set(_ value: Date, at column: Int) throws {
    try set(value.timeIntervalSinceReferenceDate, at: column)
  }

  /// Sets a `uuid` column.
  @inlinable
  public mutating func set(_ value: UUID, at column: Int) throws {
    let slot = try slot(column)
    if slot.parameter != 0 {
      try withUnsafeBytes(of: value.uuid) { try statement.bind(blob: $0, at: slot.parameter) }
    }
  }

  /// Sets a `decimal` column.
  @inlinable
  public mutating func set(_ value: Decimal, at column: Int) throws {
    try set(StoredForm.text(of: value), at: column)
  }

  /// Sets an `array` column.
  @inlinable
  public mutating func set(array value: [StoredValue], at column: Int) throws {
    let slot = try slot(column)
    try check(StoredForm.size(of: value, near: parameters.maximumValueSize), column)
    if slot.parameter != 0 { try statement.bind(array: value, at: slot.parameter) }
  }

  /// Sets a `json` column to a JSON text.
  @inlinable
  public mutating func set(json value: String, at column: Int) throws {
    try set(value, at: column)
  }
}
