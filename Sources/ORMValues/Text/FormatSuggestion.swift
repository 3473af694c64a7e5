/// "Did you mean": the nearest of some names, by one rule for every error that suggests one.
package enum FormatSuggestion {
  /// Returns the words to add to an error about an unknown name; empty where no name is near.
  package static func text(for name: String, among names: some Sequence<String>) -> String {
    nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
  }

  /// Returns the nearest name; nil if none is near.
  ///
  /// The order of nearness:
  /// 1. names that are the same but for case, spaces and signs (`stockCount`, `stock_count`);
  /// 2. names of which one has the words of the other in a row (`altitude_ft`, `altitude`);
  /// 3. names with at most a third of their letters wrong (`latitude`, `altitude`);
  /// 4. names that begin with the letters, or have four or more of them inside (`lat`, `latitude`).
  ///
  /// Of several, the one with the fewest wrong letters counts, then one that begins alike, then the
  /// first.
  package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    // A name longer than any that a program declares is no slip of the pen.
    guard name.utf8.count <= 64 else { return nil }
    let wanted = Spelling(name)
    var best: (name: String, rank: (Int, Int, Int))?
    for candidate in names {
      guard let rank = Spelling(candidate).rank(for: wanted) else { continue }
      if best.map({ rank < $0.rank }) ?? true { best = (candidate, rank) }
    }
    return best?.name
  }

  /// Returns whether two names are the same but for case, spaces and signs; accents in either form
  /// are the same.
  package static func isSpelling(_ name: String, of other: String) -> Bool {
    Spelling(name).plain == Spelling(other).plain
  }
}

/// The letters of a name without their case, and its words.
private struct Spelling {
  let letters: [Unicode.Scalar]
  /// The words: they end at signs and spaces, and before a capital.
  var words: [[Unicode.Scalar]] = []

  init(_ name: String) {
    letters = Array(name.lowercased().unicodeScalars)
    var word: [Unicode.Scalar] = []
    func end() {
      if !word.isEmpty { words.append(word) }
      word = []
    }
    var isAfterSmall = false
    for scalar in name.unicodeScalars {
      let properties = scalar.properties
      let isPart = properties.isAlphabetic || properties.numericType != nil
      guard isPart || properties.isDiacritic else {
        end()
        isAfterSmall = false
        continue
      }
      if properties.isUppercase, isAfterSmall { end() }
      isAfterSmall = !properties.isUppercase
      word += properties.lowercaseMapping.unicodeScalars
    }
    end()
  }

  /// The words without separators.
  var plain: String { String(String.UnicodeScalarView(words.joined())) }

  /// Returns how near the name is to a wanted one, less being nearer; nil if it is not near.
  func rank(for wanted: Spelling) -> (Int, Int, Int)? {
    let distance = wanted.distance(to: self)
    let beginsAlike = letters.starts(with: wanted.letters) ? 0 : 1
    if !words.isEmpty, plain == wanted.plain { return (0, distance, beginsAlike) }
    if wanted.plain.count >= 2,
      has(wanted.words)
        || plain.count >= 3 && wanted.words.starts(with: words)
    {
      return (1, distance, beginsAlike)
    }
    let longest = max(wanted.letters.count, letters.count)
    if distance <= max(1, min(3, longest / 3)) { return (2, distance, beginsAlike) }
    let isBeginning = wanted.letters.count >= 3 && beginsAlike == 0
    guard isBeginning || wanted.letters.count >= 4 && letters.contains(wanted.letters) else {
      return nil
    }
    return (3, distance, beginsAlike)
  }

  /// Returns whether words follow one another among those of the name.
  private func has(_ others: [[Unicode.Scalar]]) -> Bool {
    guard !others.isEmpty, others.count <= words.count else { return false }
    return (0...words.count - others.count).contains { words[$0...].starts(with: others) }
  }

  /// Returns the number of letters that must be added, taken away, replaced or exchanged with their
  /// neighbour (the restricted Damerau–Levenshtein distance).
  private func distance(to other: Spelling) -> Int {
    let (a, b) = (letters, other.letters)
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
