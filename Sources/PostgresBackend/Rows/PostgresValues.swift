/// The values that are bound to a statement's parameters, in the server's binary form.
struct PostgresValues {
  /// The bytes of all values, one after another.
  private var bytes: [UInt8] = []
  /// The offset of each value in `bytes`; -1 for null.
  private var starts: [Int]
  private var lengths: [Int32]
  /// The rows that are bound instead; nil for single values.
  var columns: PostgresColumns?

  /// Values that are all null.
  init(count: Int) {
    starts = Array(repeating: -1, count: count)
    lengths = Array(repeating: 0, count: count)
  }

  /// Makes all values null, and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 64 << 10)
    for index in starts.indices { starts[index] = -1 }
  }

  /// True if there is a parameter of this number, counted from 1.
  func contains(_ parameter: Int) -> Bool { parameter >= 1 && parameter <= starts.count }

  /// Binds null.
  mutating func setNull(at parameter: Int) { starts[parameter - 1] = -1 }

  /// Binds the bytes that the closure appends.
  @inline(__always)
  mutating func set(at parameter: Int, _ append: (inout [UInt8]) throws -> Void) rethrows {
    let start = bytes.count
    try append(&bytes)
    starts[parameter - 1] = start
    lengths[parameter - 1] = Int32(clamping: bytes.count - start)
  }

  /// Calls the closure with the arrays of addresses, lengths and formats that the library takes.
  func withArrays<R>(
    _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) throws -> R
  ) rethrows -> R {
    if let columns { return try columns.withArrays(body) }
    return try bytes.withUnsafeBytes { buffer in
      // An empty value needs an address that is not null.
      try withUnsafeBytes(of: 0 as UInt64) { nothing in
        let pointers = starts.map { start -> UnsafePointer<CChar>? in
          if start < 0 { return nil }
          let base =
            start < buffer.count ? buffer.baseAddress.map { $0 + start } : nothing.baseAddress
          return base?.assumingMemoryBound(to: CChar.self)
        }
        return try body(
          Int32(starts.count), pointers, lengths, Array(repeating: 1, count: starts.count))
      }
    }
  }
}
