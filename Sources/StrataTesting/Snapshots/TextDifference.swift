internal import ORMCore

/// The lines in which two texts differ, for a person.
enum TextDifference {
  /// The number of equal lines that are shown around a difference.
  private static let context = 2

  /// Returns the differing lines with those around them: `-` was expected, `+` was found; nil for equal texts.
  ///
  /// Line ends are compared as one: a file may have those of another system.
  static func lines(expected: String, found: String) -> String? {
    let (old, new) = (
      lines(of: expected).map { ExactText($0) }, lines(of: found).map { ExactText($0) }
    )
    if old == new { return nil }
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var all: [(mark: Character, line: ExactText)] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if i < old.count, removed.contains(i) {
        all.append(("-", old[i]))
        i += 1
      } else if j < new.count, inserted.contains(j) {
        all.append(("+", new[j]))
        j += 1
      } else {
        all.append((" ", i < old.count ? old[i] : new[j]))
        i += 1
        j += 1
      }
    }
    let changed = all.indices.filter { all[$0].mark != " " }
    let shown = Set(changed.flatMap { ($0 - context)...($0 + context) })
    var text: [String] = []
    for index in all.indices {
      if shown.contains(index) {
        text.append("\(all[index].mark) \(all[index].line)")
      } else if text.last != "  …" {
        text.append("  …")
      }
    }
    return text.joined(separator: "\n")
  }

  /// The lines of a text, with ends of any kind.
  static func lines(of text: String) -> [String] {
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\r" {
        if scalar == "\n", isAfterReturn {
          isAfterReturn = false
          continue
        }
        lines.append(String(line))
        line = String.UnicodeScalarView()
      } else {
        line.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    if !line.isEmpty { lines.append(String(line)) }
    return lines
  }
}
