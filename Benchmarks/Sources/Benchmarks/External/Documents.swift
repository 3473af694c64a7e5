import Foundation
import ORM

/// The operations on documents.
protocol DocumentOperations {
  /// Inserts documents with values of a number of bytes, in transactions of some 16 MiB.
  func insert(_ count: Int, size: Int) throws -> Int
  /// Every title, and no value.
  func titles() throws -> Int
  /// Every row with its value.
  func values() throws -> Int
  /// Another title for every row.
  func retitle() throws -> Int
  /// Another value for every row, in transactions of some 16 MiB.
  func replace(_ count: Int, size: Int) throws -> Int
  /// Deletes every second row.
  func delete(_ count: Int) throws -> Int
  func close() throws
}

struct Documents<Row: LargeRow>: DocumentOperations {
  let store: any Store

  func insert(_ count: Int, size: Int) throws -> Int {
    try batches(count, size: size, round: 0) { try store.insert($0).counts.total }
  }

  func titles() throws -> Int { try Row.titles(in: store).count }

  func values() throws -> Int {
    var sum = 0
    try store.chunks(Row.all, size: 8) { rows in sum += rows.reduce(0) { $0 + $1.content.count } }
    return sum
  }

  func retitle() throws -> Int { try Row.retitle(in: store, "another title") }

  func replace(_ count: Int, size: Int) throws -> Int {
    try batches(count, size: size, round: 1) { try store.save($0).counts.total }
  }

  func delete(_ count: Int) throws -> Int {
    try store.delete(Row.self, ids: stride(from: 1, through: count, by: 2).map { Int64($0) })
  }

  func close() throws { try store.close() }

  private func batches(
    _ count: Int, size: Int, round: UInt64, _ body: ([Row]) throws -> Int
  ) throws -> Int {
    let batch = max(1, min(count, (16 << 20) / size))
    var done = 0
    for first in stride(from: 1, through: count, by: batch) {
      done += try body(
        (first...min(count, first + batch - 1)).map {
          Row(
            id: Int64($0), title: "title \($0)",
            content: Self.content(UInt64($0) &+ round << 32, size: size))
        })
    }
    return done
  }

  /// Bytes that no other document has, and that do not compress.
  private static func content(_ seed: UInt64, size: Int) -> Data {
    var state = seed
    var bytes = Data(count: size)
    bytes.withUnsafeMutableBytes { bytes in
      for place in stride(from: 0, to: size - 7, by: 8) {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        bytes.storeBytes(of: mixed ^ (mixed >> 31), toByteOffset: place, as: UInt64.self)
      }
    }
    return bytes
  }
}
