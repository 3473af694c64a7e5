internal import FoundationEssentials
internal import ORMStorage

/// The rows of a batch on their way to the server: an array of values for each parameter of a statement,
/// in the server's binary form.
///
/// Owns the memory of the values, which are written where the library reads them.
final class PostgresColumns {
  private let columns: UnsafeMutableBufferPointer<Column>
  /// The parameters of the key, counted from 0.
  private let key: [Int]
  /// The keys of the complete rows, unless they ascend.
  private var keys: Set<[UInt8]> = []
  /// True while the key is one integer, and greater in each row than in the one before.
  private var isAscending = false
  /// The key of the last complete row, if keys ascend.
  private var greatest = Int64.min
  /// The number of rows that are complete.
  private(set) var rowCount = 0
  /// The bytes of all rows.
  private(set) var size = 0

  /// The bytes before the first value: those of an array's dimension, of its type and its bounds.
  private static var headerSize: Int { 20 }
  /// The memory that a column keeps from one batch to the next.
  private static var mostReused: Int { 1 << 20 }

  /// The values of one parameter.
  private struct Column {
    let type: PostgresType
    /// The header, and then each value: four bytes of its length, -1 for null, and its bytes.
    var start: UnsafeMutableRawPointer
    var capacity: Int
    var count = PostgresColumns.headerSize
    /// The beginning of the value of the row that is being bound.
    var rowStart = PostgresColumns.headerSize
    var hasNull = false

    init(_ type: PostgresType) {
      self.type = type
      capacity = 1 << 10
      start = .allocate(byteCount: capacity, alignment: 8)
    }

    /// The bytes of the value that is being bound, its length included.
    var value: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start + rowStart, count: count - rowStart)
    }

    @inline(never)
    mutating func resize(to capacity: Int) {
      let other = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      other.copyMemory(from: start, byteCount: min(count, capacity))
      start.deallocate()
      start = other
      self.capacity = capacity
    }
  }

  /// No rows yet.
  ///
  /// - Parameters:
  ///   - types: the types of the statement's parameters, which are arrays.
  ///   - key: the parameters of the key, counted from 1.
  init(_ types: [PostgresType], key: [Int]) {
    columns = .allocate(capacity: types.count)
    for (index, type) in types.enumerated() {
      columns.initializeElement(at: index, to: Column(type.element ?? type))
    }
    self.key = key.map { $0 - 1 }
    isAscending = hasIntegerKey
  }

  deinit {
    for column in columns { column.start.deallocate() }
    columns.deallocate()
  }

  // MARK: Values

  /// Returns the type of a parameter's values; nil if there is no such parameter.
  @inline(__always)
  func type(of parameter: Int) -> PostgresType? {
    parameter >= 1 && parameter <= columns.count ? columns[parameter - 1].type : nil
  }

  /// The address of the row's value of a parameter, with room for a number of bytes behind its length.
  ///
  /// Values that were bound before are replaced.
  @inline(__always)
  private func begin(_ parameter: Int, _ count: Int) -> UnsafeMutableRawPointer {
    let end = columns[parameter - 1].rowStart + 4 + count
    if end > columns[parameter - 1].capacity {
      columns[parameter - 1].resize(to: max(end, 2 * columns[parameter - 1].capacity))
    }
    columns[parameter - 1].count = end
    let address = columns[parameter - 1].start + columns[parameter - 1].rowStart
    address.storeBytes(of: Int32(clamping: count).bigEndian, as: Int32.self)
    return address + 4
  }

  /// Binds null in the row.
  func setNull(at parameter: Int) {
    let address = begin(parameter, 0)
    (address - 4).storeBytes(of: Int32(-1).bigEndian, as: Int32.self)
    columns[parameter - 1].hasNull = true
  }

  /// Binds a value of fixed size, whose bytes are those of an integer in the server's order.
  @inline(__always)
  func set<Bits: FixedWidthInteger>(bits: Bits, at parameter: Int) {
    begin(parameter, MemoryLayout<Bits>.size).storeBytes(of: bits.bigEndian, as: Bits.self)
  }

  /// Binds bytes.
  @inline(__always)
  func set(bytes: UnsafeRawBufferPointer, at parameter: Int) {
    let target = begin(parameter, bytes.count)
    if let address = bytes.baseAddress {
      target.copyMemory(from: address, byteCount: bytes.count)
    }
  }

  /// Binds the bytes that the closure appends.
  func set(at parameter: Int, _ append: (PostgresType, inout [UInt8]) throws -> Void) rethrows {
    var bytes: [UInt8] = []
    try append(columns[parameter - 1].type, &bytes)
    bytes.withUnsafeBytes { set(bytes: $0, at: parameter) }
  }

  // MARK: Rows

  /// Ends the row; false if a complete row has its key.
  func endRow() -> Bool {
    for index in columns.indices where columns[index].count == columns[index].rowStart {
      setNull(at: index + 1)
    }
    if !isNewKey() { return false }
    for index in columns.indices {
      size += columns[index].count - columns[index].rowStart
      columns[index].rowStart = columns[index].count
    }
    rowCount += 1
    return true
  }

  private var hasIntegerKey: Bool {
    key.count == 1 && columns.indices.contains(key[0]) && columns[key[0]].type == .int8
  }

  /// Notes the key of the row; false if it is there.
  private func isNewKey() -> Bool {
    if isAscending {
      let value = columns[key[0]].value
      if value.count == 12 {
        let number = Int64(bigEndian: value.loadUnaligned(fromByteOffset: 4, as: Int64.self))
        if rowCount == 0 || number > greatest {
          greatest = number
          return true
        }
      }
      isAscending = false
      noteKeys()
    }
    return keys.insert(rowKey).inserted
  }

  /// Notes the keys of the complete rows, which are one integer each.
  private func noteKeys() {
    let column = columns[key[0]]
    var offset = Self.headerSize
    while offset + 12 <= column.rowStart {
      keys.insert(Array(UnsafeRawBufferPointer(start: column.start + offset, count: 12)))
      offset += 12
    }
  }

  /// The bytes of the row's key, in which zeros have one sign.
  private var rowKey: [UInt8] {
    var bytes: [UInt8] = []
    for index in key {
      let value = columns[index].value
      let isZero = columns[index].type == .float8 && value.dropFirst(5).allSatisfy { $0 == 0 }
      if isZero, value.count == 12, value[4] & 0x7F == 0 {
        bytes += Array(repeating: 0, count: 12)
      } else {
        bytes += value
      }
    }
    return bytes
  }

  /// Calls the closure with the arrays of addresses, lengths and formats that the library takes.
  func withArrays<R>(
    _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) throws -> R
  ) rethrows -> R {
    for index in columns.indices {
      let column = columns[index]
      let header = [
        rowCount == 0 ? 0 : 1, column.hasNull ? 1 : 0, Int32(bitPattern: column.type.rawValue),
        Int32(clamping: rowCount), 1,
      ]
      for (number, value) in header.enumerated() {
        column.start.storeBytes(of: value.bigEndian, toByteOffset: 4 * number, as: Int32.self)
      }
    }
    return try body(
      Int32(clamping: columns.count),
      columns.map { UnsafePointer($0.start.assumingMemoryBound(to: CChar.self)) },
      columns.map { rowCount == 0 ? 12 : Int32(clamping: $0.rowStart) },
      Array(repeating: 1, count: columns.count))
  }

  /// Removes the complete rows; one that was begun stays.
  func removeRows() {
    if rowCount == 0 { return }
    for index in columns.indices {
      let rest = columns[index].value
      (columns[index].start + Self.headerSize).copyMemory(
        from: columns[index].start + columns[index].rowStart, byteCount: rest.count)
      columns[index].count = Self.headerSize + rest.count
      columns[index].rowStart = Self.headerSize
      // A null of the row that stays counts; one too many is allowed.
      columns[index].hasNull = rest.count == 4
      if columns[index].capacity > Self.mostReused, columns[index].count <= Self.mostReused {
        columns[index].resize(to: Self.mostReused)
      }
    }
    keys.removeAll(keepingCapacity: true)
    isAscending = hasIntegerKey
    rowCount = 0
    size = 0
  }
}

/// Arrays as the server writes them in texts.
enum PostgresArrayText {
  /// The text of an array.
  static func text(of elements: [StoredValue]) -> String {
    var text = "{"
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      append(element, to: &text)
    }
    return text + "}"
  }

  private static func append(_ element: StoredValue, to text: inout String) {
    let plain = PostgresDialect.text(of: element) ?? "NULL"
    switch element {
    case .string, .json, .data:
      text += "\""
      for scalar in plain.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      text += "\""
    default: text += plain
    }
  }
}
