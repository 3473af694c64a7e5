internal import ORMCore

/// The rows of an observed list, in the order of the query; or their keys, of a ``KeyList``.
///
/// ```swift
/// for try await change in store.observeList(Snack.all.sorted(by: .ascending(\.name))) {
///   print(change.list.rows.count, change.list.rows.first?.name ?? "none")
/// }
/// ```
///
/// Lists before and after a commit share the rows that it left alone, so that a new list costs no copy
/// of the old one. Access to a row takes logarithmic time in the number of rows. `Array(rows)` copies
/// them all.
public struct ListRows<Element: Sendable>: RandomAccessCollection, Sendable {
  /// The rows in parts that lists share.
  let chunks: [ListChunk<Element>]
  /// The position of the first row of each chunk, and the number of rows at the end.
  let starts: [Int]

  init(_ chunks: [ListChunk<Element>]) {
    self.chunks = chunks
    var starts: [Int] = []
    starts.reserveCapacity(chunks.count + 1)
    var count = 0
    for chunk in chunks {
      starts.append(count)
      count += chunk.rows.count
    }
    starts.append(count)
    self.starts = starts
  }

  /// The position of the first row, which is 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { starts[chunks.count] }

  /// The row at a position.
  ///
  /// - Precondition: the position is that of a row.
  public subscript(position: Int) -> Element {
    precondition(position >= 0 && position < endIndex, "the list has no row at this position")
    let chunk = starts.lastIndex(notAfter: position)
    return chunks[chunk].rows[position - starts[chunk]]
  }

  /// Makes an iterator over the rows.
  public func makeIterator() -> Iterator { Iterator(chunks) }

  /// An iterator over the rows of a list.
  public struct Iterator: IteratorProtocol {
    private let chunks: [ListChunk<Element>]
    private var chunk = 0
    private var row = 0

    fileprivate init(_ chunks: [ListChunk<Element>]) { self.chunks = chunks }

    /// Returns the next row; nil at the end.
    public mutating func next() -> Element? {
      while chunk < chunks.count {
        let rows = chunks[chunk].rows
        if row < rows.count {
          defer { row += 1 }
          return rows[row]
        }
        chunk += 1
        row = 0
      }
      return nil
    }
  }
}

extension ListRows: Equatable where Element: Equatable {
  /// Returns whether two lists have equal rows in the same order.
  public static func == (a: ListRows, b: ListRows) -> Bool { a.elementsEqual(b) }
}

extension ListRows where Element: PrimaryKeyed {
  /// The keys of all rows.
  var keys: [Element.ID] { chunks.flatMap { Element.keys(of: $0.rows) } }
}

extension ListRows: CustomStringConvertible {
  /// The rows as those of an array.
  public var description: String { Array(self).description }
}

extension ListRows {
  /// Makes the rows of a list from rows that were fetched.
  ///
  /// - Parameters:
  ///   - sections: the section of each row; empty in a list without sections.
  ///   - capacity: the number of rows of a chunk.
  init(_ rows: [Element], digests: [Int], sections: [StoredValue], capacity: Int) {
    self.init(
      stride(from: 0, to: rows.count, by: capacity).map { start in
        let part = start..<Swift.min(start + capacity, rows.count)
        return ListChunk(
          rows: Array(rows[part]), digests: Array(digests[part]),
          sections: sections.isEmpty ? [] : Array(sections[part]))
      })
  }

  /// A digest of each row's visible values.
  var digests: [Int] { chunks.flatMap(\.digests) }

  /// Returns whether the rows and the sections of two lists are equal to the bit.
  static func areIdentical(_ a: Self, _ b: Self) -> Bool {
    if a.count != b.count { return false }
    if a.chunks.elementsEqual(b.chunks, by: ===) { return true }
    let values = (a.chunks.lazy.flatMap(\.sections), b.chunks.lazy.flatMap(\.sections))
    return a.digests == b.digests
      && values.0.elementsEqual(values.1) { $0.isIdentical(to: $1) }
  }
}

extension [Int] {
  /// Returns the last index whose number is not greater, in an ascending array that an end follows.
  ///
  /// The end, which is the last number, is not looked at.
  func lastIndex(notAfter number: Int) -> Int {
    var range = 0..<count - 1
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = self[middle] <= number ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
