internal import Foundation

/// A set of values in sorted runs, the later ones in a temporary file.
final class SortedRuns<Value: Comparable & Hashable & BitwiseCopyable> {
  private let runSize: Int
  private let runsInMemory: Int
  /// The values that came last, in any order.
  private var open: [Value] = []
  /// The same, once one was asked for.
  private var openSet: Set<Value>?
  private var isOpenSorted = true
  private var runs: [Run] = []
  private let file = TemporaryFile()
  /// The bytes of the file; nil after more were written.
  private var mapped: Data?

  /// A sorted run without duplicates.
  private struct Run {
    /// The values of the run; empty where they are in the file.
    var values: [Value]
    /// The offset of the run in the file.
    var offset = 0
    let count: Int
    let first: Value
    let last: Value
    /// The position of the value that was asked for last.
    var position = 0
  }

  private static var width: Int { MemoryLayout<Value>.stride }

  init(runSize: Int, runsInMemory: Int) {
    self.runSize = max(runSize, 1)
    self.runsInMemory = runsInMemory
  }

  /// The number of values in memory.
  var countInMemory: Int { open.count + runs.reduce(0) { $0 + $1.values.count } }

  /// Adds a value.
  ///
  /// - Throws: `full` where the temporary file cannot be written.
  func insert(_ value: Value) throws {
    // Records of one key often follow each other.
    if open.last == value { return }
    if open.isEmpty { open.reserveCapacity(runSize) }
    if let last = open.last, last > value { isOpenSorted = false }
    open.append(value)
    openSet?.insert(value)
    if open.count >= runSize { try closeRun() }
  }

  private func closeRun() throws {
    if !isOpenSorted { open.sort() }
    var count = 1
    for index in 1..<open.count where open[index] != open[count - 1] {
      open[count] = open[index]
      count += 1
    }
    open.removeLast(open.count - count)
    var run = Run(values: open, count: count, first: open[0], last: open[count - 1])
    if runs.count >= runsInMemory {
      (run.values, run.offset) = ([], file.size)
      try open.withUnsafeBytes { try file.write($0, at: file.size) }
      mapped = nil
    }
    runs.append(run)
    open.removeAll(keepingCapacity: true)
    openSet = nil
    isOpenSorted = true
  }

  /// Returns whether a value was added.
  ///
  /// Values that are asked for in ascending order are found fastest.
  ///
  /// - Throws: `inputOutput` where the temporary file cannot be read.
  func contains(_ value: Value) throws -> Bool {
    if !open.isEmpty {
      let set = openSet ?? Set(open)
      openSet = set
      if set.contains(value) { return true }
    }
    for index in runs.indices where value >= runs[index].first && value <= runs[index].last {
      if try find(value, in: &runs[index]) { return true }
    }
    return false
  }

  /// Finds a value by steps that double, from the one that was asked for last.
  private func find(_ value: Value, in run: inout Run) throws -> Bool {
    func search(_ values: UnsafeBufferPointer<Value>) -> Bool {
      var low = run.position
      var high = run.count
      if values[low] > value {
        (low, high) = (0, low)
      } else {
        var step = 1
        while low + step < run.count, values[low + step] <= value {
          low += step
          step *= 2
        }
        high = min(low + step, run.count)
      }
      // The last value that is not greater.
      while high - low > 1 {
        let middle = low + (high - low) / 2
        if values[middle] <= value { low = middle } else { high = middle }
      }
      run.position = low
      return values[low] == value
    }
    if !run.values.isEmpty { return run.values.withUnsafeBufferPointer { search($0) } }
    let bytes = try mapped ?? file.mapped()
    mapped = bytes
    return bytes.withUnsafeBytes { bytes in
      let part = UnsafeRawBufferPointer(
        rebasing: bytes[run.offset..<run.offset + run.count * Self.width])
      return search(part.bindMemory(to: Value.self))
    }
  }
}
