internal import ORM

/// The keys for which the records of an import came.
///
/// Memory does not grow with their number: they are in sorted runs, and runs past the first ones
/// are in a temporary file. An integer is stored as it is, in 8 bytes. Of any other key, a
/// fingerprint of 128 bits is stored, by two hashes with random seeds. Two of ten million keys have
/// the same one with a probability below 10⁻²⁴; a prune would then keep a row that it should
/// delete.
struct SeenKeys {
  private let integers: SortedRuns<Int64>
  private let fingerprints: SortedRuns<UInt128>
  private let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
  private(set) var isEmpty = true

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - runSize: the number of keys of a run.
  ///   - runsInMemory: the number of full runs that stay in memory.
  init(runSize: Int = 1 << 18, runsInMemory: Int = 4) {
    integers = SortedRuns(runSize: runSize, runsInMemory: runsInMemory)
    fingerprints = SortedRuns(runSize: runSize, runsInMemory: runsInMemory)
  }

  /// The number of keys in memory.
  var countInMemory: Int { integers.countInMemory + fingerprints.countInMemory }

  /// Adds a key.
  ///
  /// - Throws: `full` where a temporary file cannot be written.
  mutating func insert(_ values: [StoredValue]) throws {
    isEmpty = false
    if values.count == 1, case .int(let value) = values[0] {
      try insert(value)
    } else {
      try fingerprints.insert(fingerprint(values))
    }
  }

  /// Adds a key that is an integer.
  mutating func insert(_ key: Int64) throws {
    isEmpty = false
    try integers.insert(key)
  }

  /// Returns whether a key came.
  ///
  /// Integers that are asked for in ascending order are found fastest.
  func contains(_ values: [StoredValue]) throws -> Bool {
    if values.count == 1, case .int(let value) = values[0] {
      return try integers.contains(value)
    }
    return try fingerprints.contains(fingerprint(values))
  }

  private func fingerprint(_ values: [StoredValue]) -> UInt128 {
    func hash(_ seed: UInt64) -> UInt128 {
      var hasher = Hasher()
      hasher.combine(seed)
      hasher.combine(GroupKey(values))
      return UInt128(truncatingIfNeeded: UInt(bitPattern: hasher.finalize()))
    }
    return hash(seeds.0) << 64 | hash(seeds.1)
  }
}
