/// A word of the language; in any case.
package enum FormatWord: String, CaseIterable {
  case and, or, not
  case between, contains, `in`, like, matches
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case any, some, all, none
  case null, `nil`, `self`, `true`, `false`, yes, no
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"

  /// True if the word is a value, so that an operator can follow it.
  package var isValue: Bool {
    switch self {
    case .null, .nil, .self, .true, .false, .yes, .no, .truePredicate, .falsePredicate: true
    case .and, .or, .not, .between, .contains, .in, .like, .matches, .beginsWith, .endsWith, .any,
      .some, .all, .none:
      false
    }
  }

  /// The words with their letters as numbers.
  private static let words = allCases.map { (letters: Letters($0.rawValue), word: $0) }

  /// The word that a name is; nil for a name of the program.
  package init?(name: String) {
    let letters = Letters(name)
    guard let index = Self.words.firstIndex(where: { $0.letters == letters }) else { return nil }
    self = Self.words[index].word
  }

  /// The first sixteen bytes of a name, letters of ASCII in lower case, and how many it has: as
  /// quick to compare as a number.
  private struct Letters: Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var count = 0

    init(_ name: String) {
      for byte in name.utf8 {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        let letter = UInt64(isUpper ? byte | 0x20 : byte)
        if count < 8 { low = low << 8 | letter } else if count < 16 { high = high << 8 | letter }
        count += 1
      }
    }
  }
}
