#if Command
  import Foundation

  /// The widths of a table's columns: those of the longest texts, or fewer on a terminal.
  struct TableLayout {
    private let header: [String]
    private var widths: [Int]
    /// The most columns of the terminal that a line takes; nil for any number.
    private var limit: Int?

    init(header: [String]) {
      self.header = header
      widths = header.map(\.displayWidth)
    }

    /// Takes in the cells of a row.
    mutating func take(_ cells: [String]) {
      for (column, cell) in cells.enumerated() {
        widths[column] = max(widths[column], cell.displayWidth)
      }
    }

    /// Makes the widest columns narrower until a line fits a width.
    mutating func fit(to width: Int) {
      limit = width
      var rest = width - 2 * (widths.count - 1)
      for (position, column) in widths.sorted().enumerated() {
        let share = max(1, rest / (widths.count - position))
        if column > share {
          widths = widths.map { min($0, share) }
          return
        }
        rest -= column
      }
    }

    /// The lines above the rows.
    var head: String { line(header) + line(widths.map { String(repeating: "-", count: $0) }) }

    /// The line of a row, with longer cells cut.
    func line(_ cells: [String]) -> String {
      var line = zip(cells, widths).map { cell, width in
        let shown = cell.cut(to: width)
        return shown + String(repeating: " ", count: width - shown.displayWidth)
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return (limit.map { line.cut(to: $0) } ?? line) + "\n"
    }

    /// The number of columns of the terminal that standard output is; nil for a pipe or a file.
    static var terminalWidth: Int? {
      guard isatty(STDOUT_FILENO) == 1 else { return nil }
      var size = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
      return Int(size.ws_col)
    }
  }

  extension String {
    /// The number of columns that a terminal shows the text in.
    fileprivate var displayWidth: Int {
      if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
      return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text in at most a number of columns, with … at its end if it is cut.
    fileprivate func cut(to width: Int) -> String {
      // No text takes more columns than bytes.
      if utf8.count <= width || displayWidth <= width { return self }
      var shown = ""
      var left = width - 1
      for character in self {
        left -= character.displayWidth
        if left < 0 { break }
        shown.append(character)
      }
      return shown + "…"
    }
  }

  extension Character {
    /// Two for the wide characters of East Asia and emoji, one for others.
    fileprivate var displayWidth: Int {
      guard let scalar = unicodeScalars.first?.value else { return 0 }
      return Self.wide.contains { $0.contains(scalar) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
      0x20000...0x3FFFD,
    ]
  }
#endif
