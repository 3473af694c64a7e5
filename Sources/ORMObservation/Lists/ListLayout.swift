internal import ORMCore

/// The keys and contents of a list's rows, section by section: all that a difference is computed from.
package struct ListLayout<Key: Hashable & Sendable>: Sendable {
  /// The keys of the rows, each once.
  package let keys: [Key]
  /// A digest of each row's content.
  package let digests: [Int]
  let outline: ListOutline

  /// The values of the sections, each once.
  var sections: [GroupKey] { outline.sections }
  /// The position of the first row of each section, and the number of rows at the end.
  var starts: [Int] { outline.starts }

  /// Makes a layout.
  package init(keys: [Key], digests: [Int], sections: [GroupKey], starts: [Int]) {
    self.init(
      keys: keys, digests: digests, outline: ListOutline(sections: sections, starts: starts))
  }

  init(keys: [Key], digests: [Int], outline: ListOutline) {
    self.keys = keys
    self.digests = digests
    self.outline = outline
  }

  /// The positions of a section's rows.
  func rows(of section: Int) -> Range<Int> { outline.rows(of: section) }
}
