internal import ORMStorage

/// The small numbers in keyspace 0, each stored with a checksum.
enum StoreCounters {
  /// The counters that change with every commit.
  struct Commit {
    /// The number of commits.
    var stamp: UInt64 = 0
    /// `Catalog.generation` as of the newest.
    var catalog: UInt64 = 0
  }

  private static let commitKey = Array("commit".utf8)

  /// Returns the counters as the newest commit left them.
  static func commit(in snapshot: any OrderedSnapshot) throws -> Commit {
    let words = try read(commitKey, from: snapshot)
    return Commit(stamp: words?.0 ?? 0, catalog: words?.1 ?? 0)
  }

  static func set(_ commit: Commit, in batch: any OrderedBatch) throws {
    try write((commit.stamp, commit.catalog), under: commitKey, to: batch)
  }

  /// The greatest generated key that an entity ever had and that may no longer be among its rows;
  /// 0 when there is none.
  static func greatestKey(of rows: Keyspace, in snapshot: any OrderedSnapshot) throws -> Int64 {
    try read(key(of: rows), from: snapshot).map { Int64(bitPattern: $0.0) } ?? 0
  }

  static func setGreatestKey(_ key: Int64, of rows: Keyspace, in batch: any OrderedBatch) throws {
    try write((UInt64(bitPattern: key), 0), under: self.key(of: rows), to: batch)
  }

  /// Forgets the greatest generated key of rows that go, or makes it that of the rows that they become.
  static func moveGreatestKey(
    of rows: Keyspace, to target: Keyspace? = nil, in batch: any OrderedBatch
  ) throws {
    let greatest = try greatestKey(of: rows, in: batch)
    if let target, greatest > 0 { try setGreatestKey(greatest, of: target, in: batch) }
    _ = try key(of: rows).withUnsafeBytes { try batch.remove($0, in: 0) }
  }

  private static func key(of rows: Keyspace) -> [UInt8] {
    var key = Array("greatest/".utf8)
    withUnsafeBytes(of: rows.bigEndian) { key += $0 }
    return key
  }

  private static func read(
    _ key: [UInt8], from snapshot: any OrderedSnapshot
  ) throws -> (UInt64, UInt64)? {
    try key.withUnsafeBytes { key in
      try snapshot.get(key, in: 0) { value in
        guard let first = value.integer(UInt64.self, at: 0),
          let second = value.integer(UInt64.self, at: 8),
          let sum = value.integer(UInt64.self, at: 16),
          let words = value.part(from: 0, to: 16), Checksum.of(words, under: key, in: 0) == sum
        else { throw Catalog.damaged }
        return (first, second)
      }
    }
  }

  private static func write(
    _ words: (UInt64, UInt64), under key: [UInt8], to batch: any OrderedBatch
  ) throws {
    var buffer = ByteBuffer()
    buffer.append(littleEndian: words.0)
    buffer.append(littleEndian: words.1)
    try key.withUnsafeBytes { key in
      buffer.append(littleEndian: Checksum.of(buffer.bytes, under: key, in: 0))
      try batch.put(key, buffer.bytes, in: 0)
    }
  }
}
