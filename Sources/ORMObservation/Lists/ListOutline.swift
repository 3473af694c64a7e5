internal import ORMCore

/// The sections of a list, and the positions of their rows.
struct ListOutline: Sendable {
  /// The values of the sections, each once.
  let sections: [GroupKey]
  /// The position of the first row of each section, and the number of rows at the end.
  let starts: [Int]

  /// The outline before the first list.
  static func empty(hasSections: Bool) -> ListOutline {
    hasSections
      ? ListOutline(sections: [], starts: [0])
      : ListOutline(sections: [GroupKey([])], starts: [0, 0])
  }

  /// The positions of a section's rows.
  func rows(of section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

  /// The position of a row.
  func position(of row: Int) -> ListPosition {
    // The last section that begins at the row or before it, and has rows.
    let section = starts.lastIndex(notAfter: row)
    return ListPosition(section: section, row: row - starts[section])
  }
}
