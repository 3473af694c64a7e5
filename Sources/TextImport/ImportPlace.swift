/// A place in a text file, both numbers from 1.
package struct ImportPlace: Equatable, Sendable {
  package var line: Int
  /// Counted in Unicode scalars, as editors show it.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
