internal import FoundationEssentials
internal import ORMStorage

/// The rows of a batch on their way to the server: an array of values for each parameter of a statement,
/// in the server's binary form.
struct PostgresColumns {
  private var columns: [Column]
  /// The parameters of the key, counted from 0.
  private let key: [Int]
  private var keys: Set<[UInt8]> = []
  /// The number of rows that are complete.
  private(set) var rowCount = 0
  /// The bytes of all rows.
  private(set) var size = 0

  /// The values of one parameter.
  private struct Column {
    let type: PostgresType
    /// Each value: four bytes of its length, -1 for null, then its bytes.
    var bytes: [UInt8] = []
    /// The beginning of the value of the row that is being bound.
    var rowStart = 0
    var hasNull = false
  }

  /// No rows yet.
  ///
  /// - Parameters:
  ///   - types: the types of the statement's parameters, which are arrays.
  ///   - key: the parameters of the key, counted from 1.
  init(_ types: [PostgresType], key: [Int]) {
    columns = types.map { Column(type: $0.element ?? $0) }
    self.key = key.map { $0 - 1 }
  }

  /// Binds null in the row.
  mutating func setNull(at parameter: Int) {
    columns[parameter - 1].bytes.removeSubrange(columns[parameter - 1].rowStart...)
    PostgresEncoding.append(Int32(-1), to: &columns[parameter - 1].bytes)
    columns[parameter - 1].hasNull = true
  }

  /// Binds what the closure appends in the row.
  @inline(__always)
  mutating func set(
    at parameter: Int, _ append: (PostgresType, inout [UInt8]) throws -> Void
  ) rethrows {
    let start = columns[parameter - 1].rowStart
    let type = columns[parameter - 1].type
    if columns[parameter - 1].bytes.count > start {
      columns[parameter - 1].bytes.removeSubrange(start...)
    }
    PostgresEncoding.append(Int32(0), to: &columns[parameter - 1].bytes)
    try append(type, &columns[parameter - 1].bytes)
    let count = Int32(clamping: columns[parameter - 1].bytes.count - start - 4)
    PostgresEncoding.replace(count, at: start, in: &columns[parameter - 1].bytes)
  }

  /// Ends the row; false if a complete row has its key.
  mutating func endRow() throws -> Bool {
    for place in columns.indices where columns[place].bytes.count == columns[place].rowStart {
      setNull(at: place + 1)
    }
    if !keys.insert(rowKey).inserted { return false }
    for place in columns.indices {
      size += columns[place].bytes.count - columns[place].rowStart
      columns[place].rowStart = columns[place].bytes.count
    }
    rowCount += 1
    return true
  }

  /// The bytes of the row's key, in which zeros have one sign.
  private var rowKey: [UInt8] {
    var bytes: [UInt8] = []
    for place in key {
      let column = columns[place]
      let value = column.bytes[column.rowStart...]
      let isZero = column.type == .float8 && value.dropFirst(5).allSatisfy { $0 == 0 }
      if isZero, value.count == 12, value[value.startIndex + 4] & 0x7F == 0 {
        bytes += Array(repeating: 0, count: 12)
      } else {
        bytes += value
      }
    }
    return bytes
  }

  /// Binds the complete rows as arrays.
  func bind(to values: inout PostgresValues) {
    for (place, column) in columns.enumerated() {
      values.set(at: place + 1) { bytes in
        PostgresEncoding.append(Int32(rowCount == 0 ? 0 : 1), to: &bytes)
        PostgresEncoding.append(Int32(column.hasNull ? 1 : 0), to: &bytes)
        bytes.append(contentsOf: withUnsafeBytes(of: column.type.rawValue.bigEndian, Array.init))
        if rowCount == 0 { return }
        PostgresEncoding.append(Int32(rowCount), to: &bytes)
        PostgresEncoding.append(Int32(1), to: &bytes)
        bytes += column.bytes[..<column.rowStart]
      }
    }
  }

  /// Removes the complete rows; one that was begun stays.
  mutating func removeRows() {
    if rowCount == 0 { return }
    for place in columns.indices {
      let rest = columns[place].bytes.count - columns[place].rowStart
      if rest == 0, columns[place].bytes.capacity <= 64 << 10 {
        columns[place].bytes.removeAll(keepingCapacity: true)
      } else {
        columns[place].bytes = Array(columns[place].bytes[columns[place].rowStart...])
      }
      columns[place].rowStart = 0
      // A null of the row that stays counts; one too many is allowed.
      columns[place].hasNull = rest == 4
    }
    keys.removeAll(keepingCapacity: true)
    rowCount = 0
    size = 0
  }
}

/// Arrays as the server writes them in texts.
enum PostgresArrayText {
  /// The text of an array.
  static func text(of elements: [StoredValue]) -> String {
    var text = "{"
    for (place, element) in elements.enumerated() {
      if place > 0 { text += "," }
      append(element, to: &text)
    }
    return text + "}"
  }

  private static func append(_ element: StoredValue, to text: inout String) {
    switch element {
    case .null, .array: text += "NULL"
    case .bool(let value): text += value ? "t" : "f"
    case .int(let value): text += String(value)
    case .uint(let value): text += String(value)
    case .double(let value): text += number(value)
    case .date(let value): text += number(value.timeIntervalSinceReferenceDate)
    case .string(let value), .json(let value):
      text += "\""
      for scalar in PostgresText.escaped(value).unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      text += "\""
    case .data(let value): text += "\"\\\\x" + PostgresDialect.hexadecimal(value) + "\""
    case .uuid(let value): text += value.uuidString
    case .decimal(let value): text += DecimalText.text(of: value)
    }
  }

  private static func number(_ value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
  }
}
