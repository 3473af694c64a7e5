internal import Foundation
internal import ORM

/// Keys in the order in which they were added; past a batch of them, they are in a temporary file.
final class KeySpool {
  /// The number of keys of a block, which are in memory together.
  static let batch = 1_000

  private(set) var count = 0
  private let file = TemporaryFile()
  /// The keys that are not in the file.
  private var waiting: [[StoredValue]] = []

  /// The number of keys in memory.
  var countInMemory: Int { waiting.count }

  /// Adds a key.
  ///
  /// - Throws: `full` where the temporary file cannot be written.
  func append(_ key: [StoredValue]) throws {
    waiting.append(key)
    count += 1
    if waiting.count >= Self.batch { try spool() }
  }

  /// Writes the keys that wait as a block, with its size on both sides.
  private func spool() throws {
    var block = HistoryBytes()
    for key in waiting { block.append(values: key) }
    let count = UInt64(block.bytes.count)
    for bytes in [count.bytes, block.bytes, count.bytes] {
      try bytes.withUnsafeBytes { try file.write($0, at: file.size) }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Passes the keys to a closure in batches, in their order or in the opposite one.
  ///
  /// - Throws: `inputOutput` where the temporary file cannot be read.
  func forEachBatch(reversed: Bool = false, _ body: ([[StoredValue]]) throws -> Void) throws {
    if reversed, !waiting.isEmpty { try body(waiting.reversed()) }
    var offset = reversed ? file.size : 0
    while reversed ? offset > 0 : offset < file.size {
      let count = Int(UInt64(bytes: try bytes(8, at: reversed ? offset - 8 : offset)))
      let start = reversed ? offset - 8 - count : offset + 8
      var reader = HistoryByteReader([UInt8](try bytes(count, at: start)))
      let keys = try (0..<Self.batch).map { _ in try reader.values() }
      offset = reversed ? start - 8 : start + count + 8
      try body(reversed ? keys.reversed() : keys)
    }
    if !reversed, !waiting.isEmpty { try body(waiting) }
  }

  private func bytes(_ count: Int, at offset: Int) throws -> Data {
    let bytes = try file.read(count, at: max(offset, 0))
    guard offset >= 0, bytes.count == count else {
      throw StoreError(.inputOutput, "the temporary file of an import is damaged")
    }
    return bytes
  }
}

extension UInt64 {
  fileprivate var bytes: [UInt8] { Swift.withUnsafeBytes(of: littleEndian) { Array($0) } }

  fileprivate init(bytes: Data) {
    self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
