internal import ORMCore

/// The keys and contents of a list's rows, section by section: all that a difference is computed from.
package struct ListLayout<Key: Hashable & Sendable>: Sendable {
  /// The keys of the rows, each once.
  package let keys: [Key]
  /// A digest of each row's content.
  package let digests: [Int]
  /// The values of the sections, each once.
  package let sections: [GroupKey]
  /// The position of the first row of each section, and the number of rows at the end.
  package let starts: [Int]

  /// Makes a layout.
  package init(keys: [Key], digests: [Int], sections: [GroupKey], starts: [Int]) {
    self.keys = keys
    self.digests = digests
    self.sections = sections
    self.starts = starts
  }

  /// The number of rows.
  package var count: Int { keys.count }

  /// The positions of a section's rows.
  package func rows(of section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

  /// The place of a row.
  package func position(of row: Int) -> ListPosition {
    // The last section that begins at the row or before it, and has rows.
    var range = 0..<sections.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = starts[middle] <= row ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return ListPosition(section: range.lowerBound, row: row - starts[range.lowerBound])
  }

  /// The positions of all rows in some sections.
  func positions(inSections sections: some Sequence<Int>) -> [ListPosition] {
    sections.flatMap { section in
      rows(of: section).indices.map {
        ListPosition(section: section, row: $0 - starts[section])
      }
    }
  }
}
