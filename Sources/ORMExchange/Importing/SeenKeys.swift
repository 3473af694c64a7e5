internal import Foundation
internal import ORM

/// The keys for which the records of an import came, for a prune at its end.
///
/// An integer takes 8 bytes. They are gathered in runs, which are sorted when they are full; runs
/// past the first ones go to a temporary file, so that memory does not grow with the source. Keys
/// of other types are kept whole in memory, each with about 100 bytes and its text.
struct SeenKeys {
  private let integers: IntegerRuns
  private var others: Set<GroupKey> = []

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - runSize: the number of integers of a run.
  ///   - runsInMemory: the number of full runs that stay in memory.
  init(runSize: Int = 1 << 20, runsInMemory: Int = 10) {
    integers = IntegerRuns(runSize: runSize, runsInMemory: runsInMemory)
  }

  /// The number of bytes that integers take in memory.
  var integerBytes: Int { integers.bytesInMemory }

  /// Adds a key.
  ///
  /// - Throws: `full` where a temporary file cannot be written.
  mutating func insert(_ values: [StoredValue]) throws {
    if values.count == 1, case .int(let value) = values[0] {
      try integers.insert(value)
    } else {
      others.insert(GroupKey(values))
    }
  }

  /// Returns whether a key came.
  ///
  /// Keys that are asked for in ascending order are found fastest.
  mutating func contains(_ values: [StoredValue]) throws -> Bool {
    if values.count == 1, case .int(let value) = values[0] {
      return try integers.contains(value)
    }
    return others.contains(GroupKey(values))
  }
}

/// Integers in sorted runs, the later ones in a temporary file.
final class IntegerRuns {
  private let runSize: Int
  private let runsInMemory: Int
  /// The integers that came last, in any order.
  private var open: [Int64] = []
  private var isOpenSorted = true
  private var runs: [Run] = []
  private var file: FileHandle?
  private var path: String?
  private var fileSize = 0
  /// The bytes of the file, once nothing is added any more.
  private var mapped: Data?

  /// A sorted run without duplicates.
  private struct Run {
    /// Its integers; empty where they are in the file.
    var keys: [Int64]
    /// Its first byte in the file.
    var offset = 0
    let count: Int
    let first: Int64
    let last: Int64
    /// The position of the integer that was asked for last.
    var position = 0
  }

  init(runSize: Int, runsInMemory: Int) {
    self.runSize = max(runSize, 1)
    self.runsInMemory = runsInMemory
  }

  deinit {
    try? file?.close()
    if let path { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The number of bytes of integers in memory.
  var bytesInMemory: Int { (open.count + runs.reduce(0) { $0 + $1.keys.count }) * 8 }

  func insert(_ value: Int64) throws {
    // Records of one key often follow each other.
    if open.last == value { return }
    if open.isEmpty { open.reserveCapacity(runSize) }
    if let last = open.last, last > value { isOpenSorted = false }
    open.append(value)
    if open.count >= runSize { try closeRun() }
  }

  private func closeRun() throws {
    guard !open.isEmpty else { return }
    if !isOpenSorted { open.sort() }
    var count = 1
    for index in 1..<max(open.count, 1) where open[index] != open[count - 1] {
      open[count] = open[index]
      count += 1
    }
    open.removeLast(open.count - count)
    var run = Run(keys: open, count: count, first: open[0], last: open[count - 1])
    // A short run is not worth a place in the file.
    if runs.count >= runsInMemory, count >= 16 {
      try write(open)
      (run.keys, run.offset) = ([], fileSize - count * 8)
    }
    runs.append(run)
    mapped = nil
    open = []
    isOpenSorted = true
  }

  private func write(_ keys: [Int64]) throws {
    if file == nil {
      let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("strata-keys-" + UUID().uuidString)
      path = url.path
      _ = FileManager.default.createFile(atPath: url.path, contents: nil)
      file = FileHandle(forWritingAtPath: url.path)
    }
    do {
      guard let file else { throw StoreError(.full, "") }
      try file.write(contentsOf: keys.withUnsafeBytes { Data($0) })
    } catch {
      throw StoreError(.full, "the temporary file with the keys of an import cannot be written")
    }
    fileSize += keys.count * 8
  }

  func contains(_ value: Int64) throws -> Bool {
    try closeRun()
    if mapped == nil, let path, fileSize > 0 {
      do {
        mapped = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
      } catch {
        throw StoreError(
          .inputOutput, "the temporary file with the keys of an import cannot be read")
      }
    }
    for index in runs.indices where value >= runs[index].first && value <= runs[index].last {
      if find(value, in: &runs[index]) { return true }
    }
    return false
  }

  /// Finds an integer by steps that double, from the one that was asked for last.
  private func find(_ value: Int64, in run: inout Run) -> Bool {
    func search(_ keys: UnsafeBufferPointer<Int64>) -> Bool {
      var low = run.position
      var high = run.count
      if keys[low] > value {
        (low, high) = (0, low)
      } else {
        var step = 1
        while low + step < run.count, keys[low + step] <= value {
          low += step
          step *= 2
        }
        high = min(low + step, run.count)
      }
      // The last integer that is not greater.
      while high - low > 1 {
        let middle = low + (high - low) / 2
        if keys[middle] <= value { low = middle } else { high = middle }
      }
      run.position = low
      return keys[low] == value
    }
    if let mapped, run.keys.isEmpty {
      return mapped.withUnsafeBytes { bytes in
        let part = UnsafeRawBufferPointer(
          rebasing: bytes[run.offset..<run.offset + run.count * 8])
        return search(part.bindMemory(to: Int64.self))
      }
    }
    return run.keys.withUnsafeBufferPointer { search($0) }
  }
}
