internal import FoundationEssentials
internal import ORMStorage

/// A row as far as an index's entry, or a primary key, holds it: reads columns straight out of the
/// key's bytes.
///
/// Valid only while the bytes are. Zeros are positive, as keys have them.
struct EntryReader: RowReader {
  private let columns: EntryColumns
  private var entry = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The offset of each term, and of the end of the last.
  private var starts: [Int]

  init(_ columns: EntryColumns) {
    self.columns = columns
    starts = columns.starts.isEmpty ? Array(repeating: 0, count: columns.count + 1) : columns.starts
  }

  /// Moves to an entry; false when the bytes are none.
  @inline(__always)
  mutating func move(to entry: UnsafeRawBufferPointer) -> Bool {
    self.entry = entry
    if !columns.starts.isEmpty { return starts[columns.count] <= entry.count }
    var decoder = KeyDecoder(entry)
    for index in 0..<columns.count {
      guard decoder.skip(columns.terms[index]) else { return false }
      starts[index + 1] = decoder.position
    }
    return true
  }

  var columnCount: Int { columns.termIndexes.count }

  /// The bytes of the first terms, which must be among those that columns are found in.
  func bytes(ofTerms count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: entry[..<starts[count]])
  }

  private func term(_ column: Int) throws -> (index: Int, term: KeyTerm) {
    guard columns.holds(column) else {
      throw StoreError(
        .decoding, "the entry has no column \(column)", entity: columns.entity.modelName)
    }
    return (columns.termIndexes[column], columns.terms[columns.termIndexes[column]])
  }

  private func turn(_ term: KeyTerm) -> UInt8 { term.isDescending ? 0xFF : 0 }

  /// The bytes of a value, without the tag; nil for null.
  @inline(__always)
  private func held(_ index: Int, _ term: KeyTerm) -> UnsafeRawBufferPointer? {
    let start = starts[index]
    guard term.isTagged else {
      return UnsafeRawBufferPointer(rebasing: entry[start..<starts[index + 1]])
    }
    if entry[start] ^ turn(term) == KeyTerm.nullTag { return nil }
    return UnsafeRawBufferPointer(rebasing: entry[(start + 1)..<starts[index + 1]])
  }

  /// The eight bytes of a number, in the order of numbers.
  @inline(__always)
  private func word(_ column: Int, _ kind: String, _ isKind: (KeyTerm) -> Bool) throws -> UInt64 {
    let (index, term) = try term(column)
    guard isKind(term), let bytes = held(index, term), bytes.count == 8 else {
      throw mistaken(column, for: kind)
    }
    let word = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    return term.isDescending ? ~word : word
  }

  private func mistaken(_ column: Int, for kind: String) -> StoreError {
    StoreError(
      .decoding, "the attribute was read as \(kind), which is not its type",
      entity: columns.entity.modelName)
  }

  func isNull(at column: Int) throws -> Bool {
    let (index, term) = try term(column)
    return held(index, term) == nil
  }

  func int64(at column: Int) throws -> Int64 {
    Int64(bitPattern: try word(column, "an integer") { $0.encoding.isInteger } ^ (1 << 63))
  }

  func uint64(at column: Int) throws -> UInt64 {
    try word(column, "UInt64") { $0.encoding == .uint64 }
  }

  func double(at column: Int) throws -> Double {
    Self.double(try word(column, "Double") { $0.encoding == .double })
  }

  func date(at column: Int) throws -> Date {
    Date(
      timeIntervalSinceReferenceDate:
        Self.double(try word(column, "Date") { $0.encoding == .date }))
  }

  /// The double that a number in the order of doubles encodes.
  @inline(__always)
  static func double(_ order: UInt64) -> Double {
    Double(bitPattern: order >> 63 == 1 ? order ^ (1 << 63) : ~order)
  }

  func value(at column: Int) throws -> StoredValue {
    let (index, term) = try term(column)
    if held(index, term) == nil { return .null }
    if term.encoding.isInteger { return .int(try int64(at: column)) }
    var decoder = KeyDecoder(
      UnsafeRawBufferPointer(rebasing: entry[starts[index]..<starts[index + 1]]))
    guard let value = decoder.value(term) else {
      throw StoreError(
        .corrupt, "an entry of an index is damaged", entity: columns.entity.modelName)
    }
    return value
  }

  func bool(at column: Int) throws -> Bool {
    guard case .bool(let value) = try value(at: column) else {
      throw mistaken(column, for: "Bool")
    }
    return value
  }

  func string(at column: Int) throws -> String {
    guard case .string(let value) = try value(at: column) else {
      throw mistaken(column, for: "String")
    }
    return value
  }

  func data(at column: Int) throws -> Data {
    guard case .data(let value) = try value(at: column) else {
      throw mistaken(column, for: "Data")
    }
    return value
  }

  func uuid(at column: Int) throws -> UUID {
    guard case .uuid(let value) = try value(at: column) else {
      throw mistaken(column, for: "UUID")
    }
    return value
  }

  func decimal(at column: Int) throws -> Decimal {
    guard case .decimal(let value) = try value(at: column) else {
      throw mistaken(column, for: "Decimal")
    }
    return value
  }

  func array(at column: Int) throws -> [StoredValue] { throw mistaken(column, for: "an array") }

  func json(at column: Int) throws -> String {
    guard case .json(let value) = try value(at: column) else {
      throw mistaken(column, for: "JSON")
    }
    return value
  }

  func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    let (index, term) = try term(column)
    switch term.encoding {
    case .string, .data, .json: break
    default: throw mistaken(column, for: "bytes")
    }
    guard let held = held(index, term), held.count >= 2 else {
      throw mistaken(column, for: "bytes")
    }
    let bytes = UnsafeRawBufferPointer(rebasing: held.dropLast(2))
    if !term.isDescending, !bytes.contains(0) { return try body(bytes) }
    let turn = turn(term)
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at] ^ turn
      plain.append(byte)
      at += byte == 0 ? 2 : 1
    }
    return try plain.withUnsafeBytes(body)
  }
}
