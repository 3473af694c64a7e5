import OrderedEngine

/// The keys of the database: a run's number, eight bytes big-endian, and what follows it.
enum RocksKey {
  static let prefixSize = 8

  /// Calls `body` with the key of an entry of a run.
  @inline(__always)
  static func with<Result>(
    _ run: UInt64, _ key: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(byteCount: prefixSize + key.count, alignment: 8) { buffer in
      buffer.storeBytes(of: run.bigEndian, as: UInt64.self)
      if !key.isEmpty {
        UnsafeMutableRawBufferPointer(rebasing: buffer[prefixSize...]).copyMemory(from: key)
      }
      return try body(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Calls `body` with the key of the record of a keyspace, which is in run 0.
  static func withRecord<Result>(
    of keyspace: Keyspace, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafeBytes(of: keyspace.bigEndian) { try with(0, $0, body) }
  }

  /// Calls `body` with the key of the number of the next run: run 0 with nothing behind it.
  static func withNextRun<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try with(0, UnsafeRawBufferPointer(start: nil, count: 0), body)
  }

  /// The run of a key of the database.
  @inline(__always)
  static func run(of key: UnsafeRawBufferPointer) -> UInt64 {
    key.count < prefixSize ? 0 : UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
  }
}

/// The record of a keyspace: its run, and the number of its entries.
struct KeyspaceRecord {
  /// 0 for a keyspace without a run, which is empty.
  var run: UInt64 = 0
  var count = 0

  init() {}

  /// Reads a record; nil where the bytes cannot be one.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    run = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    guard
      let count = Int(
        exactly: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    else { return nil }
    self.count = count
  }

  /// Calls `body` with the bytes of the record.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(of: (run.bigEndian, UInt64(count).bigEndian), body)
  }
}

extension UnsafeRawBufferPointer {
  /// The address as C takes it, never null.
  var chars: UnsafePointer<CChar> {
    baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nowhere
  }

  /// An address for buffers without bytes, from which nothing is read.
  // One byte that is never written or freed.
  private nonisolated(unsafe) static let nowhere = UnsafePointer(
    UnsafeMutablePointer<CChar>.allocate(capacity: 1))
}
