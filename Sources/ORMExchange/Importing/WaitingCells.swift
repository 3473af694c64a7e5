@_spi(Records) internal import ORM

/// The cells of records that wait to be saved, of which all set the same attributes.
///
/// They are the rows that are put: no value of a record is boxed, and its texts are copied once, into one list
/// of bytes.
struct WaitingCells {
  private var cells: [JSONCell] = []
  private var values: [StoredValue] = []
  private var bytes: [UInt8] = []
  /// The number of cells of a record.
  private var width = 1

  var isEmpty: Bool { cells.isEmpty }
  var count: Int { cells.count / width }

  /// Adds the cells of a record; false, with nothing added, if a value does not fit its column.
  mutating func append(_ row: JSONRow, _ columns: [CellColumn]) throws -> Bool {
    let before = cells.count
    width = columns.count
    for column in columns {
      var cell = column.cell.map { row.cells[$0] } ?? JSONCell(kind: .integer)
      switch cell.kind {
      case .text where column.usual == .text:
        let start = bytes.count
        bytes.append(
          contentsOf: UnsafeRawBufferPointer(
            rebasing: row.scanner.bytes[cell.start..<cell.start + Int(cell.count)]))
        cell.start = start
      case .null where column.isOptional: break
      case column.usual where cell.kind != .other: break
      default:
        // Also a value that is worked out, which is then the same whenever the row is asked for.
        let value = try column.cell.map { try row.value(at: $0) } ?? .int(0)
        guard column.type.fault(of: value, isOptional: column.isOptional) == nil else {
          cells.removeLast(cells.count - before)
          return false
        }
        cell.kind = .other
        cell.bits = UInt64(values.count)
        values.append(value)
      }
      cells.append(cell)
    }
    return true
  }

  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Calls a closure with the records as a source of rows, valid for the length of the call.
  mutating func withSource<Result>(
    _ columns: [CellColumn], _ body: (inout CellSource) throws -> Result
  ) throws -> Result {
    try cells.withUnsafeMutableBufferPointer { cells in
      try bytes.withUnsafeBytes { bytes in
        guard let first = cells.baseAddress else {
          throw StoreError(.engine, "an import has no record to save")
        }
        let row = JSONRow(
          scanner: JSONScanner(bytes), cells: first, columnCount: width, values: values)
        var source = CellSource(row, count: cells.count / width, columns)
        return try body(&source)
      }
    }
  }
}

/// A column of an entity, and the cell of a record that is its value.
struct CellColumn {
  let column: Int
  /// The position of the cell; nil for a key that the store gives.
  let cell: Int?
  let type: AttributeType
  let isOptional: Bool
  /// The kind of cells whose values fit as they are.
  let usual: JSONCell.Kind

  init(_ column: Int, of entity: StoredEntity, cell: Int?) {
    self.column = column
    self.cell = cell
    type = entity.columns[column].type
    isOptional = entity.columns[column].isOptional
    usual =
      switch type.kind {
      case .bool: .bool
      case .int: .integer
      case .double: type == .double ? .double : .other
      case .string: .text
      default: .other
      }
  }
}

/// Gives the cells of records to a put.
struct CellSource: RowSource {
  /// The first row; the cells of the others follow.
  private let first: JSONRow
  private let count: Int
  private let columns: [CellColumn]
  private var position = 0

  init(_ first: JSONRow, count: Int, _ columns: [CellColumn]) {
    (self.first, self.count, self.columns) = (first, count, columns)
  }

  /// Returns the rows with the values of some columns; other columns are null.
  ///
  /// - Parameter width: the number of columns of the entity.
  func rows(of wanted: [Int], width: Int) throws -> [[StoredValue]] {
    let cells = columns.indices.filter { wanted.contains(columns[$0].column) }
    return try (0..<count).map { number in
      let row = JSONRow(
        scanner: first.scanner, cells: first.cells + number * first.columnCount,
        columnCount: first.columnCount, values: first.values)
      var values = Array(repeating: StoredValue.null, count: width)
      for cell in cells { values[columns[cell].column] = try row.value(at: cell) }
      return values
    }
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard let cells = nextCells() else { return false }
    for (position, column) in columns.enumerated() {
      let cell = cells[position]
      if cell.kind == .text {
        try row.set(first.text(cell), at: column.column)
      } else {
        try Self.set(cell, column, of: first, into: &row)
      }
    }
    return true
  }

  mutating func next(record: inout RecordWriter) throws -> Bool {
    guard let cells = nextCells() else { return false }
    for (position, column) in columns.enumerated() {
      let cell = cells[position]
      if cell.kind == .text {
        let range = cell.start..<cell.start + Int(cell.count)
        try record.set(
          utf8: UnsafeRawBufferPointer(rebasing: first.scanner.bytes[range]), at: column.column)
      } else {
        try Self.set(cell, column, of: first, into: &record)
      }
    }
    return true
  }

  private mutating func nextCells() -> UnsafeMutablePointer<JSONCell>? {
    guard position < count else { return nil }
    defer { position += 1 }
    return first.cells + position * first.columnCount
  }

  @inline(__always)
  private static func set<W: RowWriter & ~Copyable>(
    _ cell: JSONCell, _ column: CellColumn, of row: JSONRow, into writer: inout W
  ) throws {
    switch cell.kind {
    case .integer: try writer.set(Int64(bitPattern: cell.bits), at: column.column)
    case .double: try writer.set(Double(bitPattern: cell.bits), at: column.column)
    case .bool: try writer.set(cell.bits != 0, at: column.column)
    case .other:
      try writer.set(value: row.values[Int(cell.bits)], at: column.column, type: column.type)
    case .null, .text, .escapedText, .now, .uuid, .missing, .refused:
      try writer.setNull(at: column.column)
    }
  }

  mutating func rewind() { position = 0 }
}
