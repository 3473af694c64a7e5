package import FoundationEssentials
package import ORMCore

/// A row taken from a source value by value, where it has to be looked at before it is written.
package struct CapturedRow: RowWriter {
  /// The values, by the entity's columns; null where the source set nothing.
  package private(set) var values: [StoredValue]
  private let table: SQLTable
  private let maximumValueSize: Int

  /// An empty row of an entity.
  init(_ table: SQLTable, maximumValueSize: Int) {
    values = Array(repeating: .null, count: table.entity.columns.count)
    self.table = table
    self.maximumValueSize = maximumValueSize
  }

  /// Takes the next row; false when there are no more.
  mutating func take<S: RowSource>(from source: inout S) throws -> Bool {
    for position in values.indices { values[position] = .null }
    return try source.next(into: &self)
  }

  private mutating func put(_ value: StoredValue, _ size: Int, at column: Int) throws {
    guard size <= maximumValueSize else {
      throw StoreError(
        .tooLarge,
        "a value of \(size) bytes is larger than the store's limit of \(maximumValueSize)",
        entity: table.entity.modelName, attributes: [table.entity.columns[column].attribute])
    }
    values[column] = value
  }

  package mutating func setNull(at column: Int) { values[column] = .null }
  package mutating func set(_ value: Bool, at column: Int) { values[column] = .bool(value) }
  package mutating func set(_ value: Int64, at column: Int) { values[column] = .int(value) }
  package mutating func set(_ value: UInt64, at column: Int) { values[column] = .unsigned(value) }
  package mutating func set(_ value: Double, at column: Int) { values[column] = .double(value) }
  package mutating func set(_ value: Date, at column: Int) { values[column] = .date(value) }
  package mutating func set(_ value: UUID, at column: Int) { values[column] = .uuid(value) }
  package mutating func set(_ value: Decimal, at column: Int) { values[column] = .decimal(value) }

  package mutating func set(_ value: String, at column: Int) throws {
    try put(.string(value), value.utf8.count, at: column)
  }
  package mutating func set(_ value: Data, at column: Int) throws {
    try put(.data(value), value.count, at: column)
  }
  package mutating func set(array value: [StoredValue], at column: Int) throws {
    // The text of an array is worked out only where the limit is near.
    let most = value.reduce(2) { $0 + $1.greatestTextSize }
    let size = most <= maximumValueSize ? most : JSONText.encode(array: value).utf8.count
    try put(.array(value), size, at: column)
  }
  package mutating func set(json value: String, at column: Int) throws {
    try put(.json(value), value.utf8.count, at: column)
  }
}

extension StoredValue {
  /// A bound of the bytes that a scalar takes in a JSON text, with its comma.
  fileprivate var greatestTextSize: Int {
    switch self {
    // A control character becomes six bytes.
    case .string(let value): 6 * value.utf8.count + 3
    case .data(let value): 2 * value.count + 8
    default: 64
    }
  }
}

/// Collects rows as values.
struct RowCollector: RowVisitor {
  var rows: [[StoredValue]] = []
  /// How many rows are wanted.
  var most = Int.max

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var values: [StoredValue] = []
    values.reserveCapacity(row.columnCount)
    for column in 0..<row.columnCount { values.append(try row.value(at: column)) }
    rows.append(values)
    return rows.count < most ? .next : .stop
  }
}

/// Hands one row on to the visitor of a put, as the row about to be replaced.
struct OldRowVisitor<O: PutVisitor>: RowVisitor {
  var visitor: O

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try visitor.willReplace(row)
    return .stop
  }
}
