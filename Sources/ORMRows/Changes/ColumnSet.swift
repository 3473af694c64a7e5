/// A set of columns of one entity.
package struct ColumnSet: Hashable, Sendable {
  private var words: [UInt64] = []

  package init(_ columns: some Sequence<Int> = EmptyCollection()) {
    for column in columns { insert(column) }
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  package mutating func insert(_ column: Int) {
    let word = column / 64
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(column % 64)
  }

  package mutating func formUnion(_ other: ColumnSet) {
    while words.count < other.words.count { words.append(0) }
    for (index, word) in other.words.enumerated() { words[index] |= word }
  }

  /// Returns whether a column is in both sets.
  package func intersects(_ other: ColumnSet) -> Bool {
    for (a, b) in zip(words, other.words) where a & b != 0 { return true }
    return false
  }
}
