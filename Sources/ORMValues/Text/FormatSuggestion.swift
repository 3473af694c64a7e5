/// "Did you mean": the nearest of some names.
package enum FormatSuggestion {
  /// The words to add to an error about an unknown name; empty where no name is near.
  package static func text(for name: String, among names: some Sequence<String>) -> String {
    nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
  }

  /// The nearest name: at most a third of its letters wrong, case apart; the first of several.
  package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    // A name longer than any that a program declares is no slip of the pen.
    guard name.utf8.count <= 64 else { return nil }
    let wanted = Array(name.lowercased().unicodeScalars)
    var best: (name: String, distance: Int)?
    for candidate in names {
      let limit = max(1, min(3, max(wanted.count, candidate.unicodeScalars.count) / 3))
      let distance = distance(wanted, Array(candidate.lowercased().unicodeScalars))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Returns the number of letters that must be added, taken away, replaced or exchanged with their
  /// neighbour (the restricted Damerau–Levenshtein distance).
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      before = last
      last = row
    }
    return last[b.count]
  }
}
