internal import Foundation
internal import ORM

/// A set of numbers of records, one bit each, of which one page is in memory.
///
/// The others are in a temporary file. Numbers that come in ascending order, or nearly so, are added
/// and found without moving pages.
final class RecordNumbers {
  /// The number of records of a page.
  static let pageSize = 1 << 15
  private static let pageBytes = pageSize / 8

  private(set) var count = 0
  /// The smallest number; nil for an empty set.
  private(set) var first: Int?
  private let file = TemporaryFile()
  private var page = [UInt8](repeating: 0, count: pageBytes)
  private var index = 0
  private var isChanged = false
  /// The pages that changed since they were last taken, and perhaps others between them.
  private var changed: ClosedRange<Int>?
  /// The numbers added since the mark; nil without one.
  private var added: [Int]?
  private var marked: (count: Int, first: Int?, changed: ClosedRange<Int>?) = (0, nil, nil)

  var isEmpty: Bool { count == 0 }

  /// The number of numbers that memory has space for, however many there are.
  var capacityInMemory: Int { page.count * 8 }

  /// Adds a number from 0.
  ///
  /// - Throws: `full` where the temporary file cannot be written.
  func insert(_ number: Int) throws {
    try turn(to: number / Self.pageSize)
    let (byte, bit) = Self.bitPosition(of: number)
    guard page[byte] & bit == 0 else { return }
    page[byte] |= bit
    isChanged = true
    count += 1
    added?.append(number)
    first = min(first ?? number, number)
    changed = min(changed?.lowerBound ?? index, index)...max(changed?.upperBound ?? index, index)
  }

  /// Returns whether a number was added.
  ///
  /// - Throws: `full`, `inputOutput` of the temporary file.
  func contains(_ number: Int) throws -> Bool {
    if isEmpty { return false }
    try turn(to: number / Self.pageSize)
    let (byte, bit) = Self.bitPosition(of: number)
    return page[byte] & bit != 0
  }

  private static func bitPosition(of number: Int) -> (byte: Int, bit: UInt8) {
    (number % pageSize / 8, 1 << UInt8(number % 8))
  }

  /// Makes a page the one in memory.
  private func turn(to index: Int) throws {
    if index == self.index { return }
    if isChanged {
      try page.withUnsafeBytes { try file.write($0, at: self.index * Self.pageBytes) }
    }
    let bytes = try file.read(Self.pageBytes, at: index * Self.pageBytes)
    page = [UInt8](bytes) + [UInt8](repeating: 0, count: Self.pageBytes - bytes.count)
    self.index = index
    isChanged = false
  }

  // MARK: - Transactions

  /// Begins a transaction whose numbers may be taken back, which takes 8 bytes for each.
  func mark() {
    added = []
    marked = (count, first, changed)
  }

  /// Takes back the numbers added since the mark; pages handed on since then change again.
  ///
  /// - Throws: `full`, `inputOutput` of the temporary file.
  func takeBack() throws {
    guard let numbers = added else { return }
    for number in numbers {
      try turn(to: number / Self.pageSize)
      let (byte, bit) = Self.bitPosition(of: number)
      page[byte] &= ~bit
      isChanged = true
    }
    added = []
    (count, first, changed) = marked
  }

  // MARK: - Checkpoints

  /// Passes the pages that changed since the last call to a closure.
  func takeChanges(_ body: (_ index: Int, _ page: Data) throws -> Void) throws {
    guard let pages = changed else { return }
    for index in pages {
      try turn(to: index)
      try body(index, Data(page))
    }
    changed = nil
  }

  /// Adds the numbers of a page that was handed on.
  ///
  /// - Throws: `corrupt` for bytes that are no page.
  func add(_ index: Int, _ page: Data) throws {
    guard page.count == Self.pageBytes else {
      throw StoreError(.corrupt, "the checkpoint of an import is damaged")
    }
    for (byte, bits) in page.enumerated() where bits != 0 {
      for bit in 0..<8 where bits & (1 << UInt8(bit)) != 0 {
        try insert(index * Self.pageSize + byte * 8 + bit)
      }
    }
    changed = nil
  }
}
