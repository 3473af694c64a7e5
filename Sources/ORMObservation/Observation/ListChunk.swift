internal import ORMCore

/// Some neighboring rows of a list, which never change.
final class ListChunk<Element: Sendable>: Sendable {
  let rows: [Element]
  /// A digest of each row's visible values.
  let digests: [Int]
  /// The section of each row; empty in a list without sections.
  let sections: [StoredValue]
  /// The positions of the rows that begin a section, the first row among them.
  let sectionStarts: [Int]

  init(rows: [Element], digests: [Int], sections: [StoredValue]) {
    self.rows = rows
    self.digests = digests
    self.sections = sections
    sectionStarts = sections.indices.filter { row in
      row == 0 || !sections[row - 1].isSameSection(as: sections[row])
    }
  }

  /// The number of rows of a chunk that a store makes.
  ///
  /// A commit copies the chunks that it changes, and the list of all chunks. Where results are
  /// verified, chunks are small, so that lists of a few rows have several.
  static func capacity(in store: any Store) -> Int {
    store.runtime.options.verifiesObservations ? 4 : 256
  }
}

extension StoredValue {
  /// Returns whether two values that are neighbors in an order are one section.
  func isSameSection(as other: StoredValue) -> Bool {
    isIdentical(to: other) || StoredValue.order(self, other) == 0
  }
}
