/// The arithmetic of Hangul syllables (Unicode Standard, section 3.12), which need no table.
enum Hangul {
  private static let leadBase: UInt32 = 0x1100
  private static let vowelBase: UInt32 = 0x1161
  private static let tailBase: UInt32 = 0x11A7
  private static let syllableBase: UInt32 = 0xAC00
  private static let leads: UInt32 = 19
  private static let vowels: UInt32 = 21
  private static let tails: UInt32 = 28
  private static let syllables = leads * vowels * tails

  /// The vowels and tails that join a syllable before them.
  static let joining = [
    vowelBase..<vowelBase + vowels, tailBase + 1..<tailBase + tails,
  ].joined()

  /// Returns whether the scalar is a syllable.
  @inline(__always)
  static func isSyllable(_ scalar: UInt32) -> Bool { scalar &- syllableBase < syllables }

  /// Calls `body` with the two or three letters of a syllable.
  static func decompose(_ syllable: UInt32, _ body: (UInt32) -> Void) {
    let number = syllable - syllableBase
    body(leadBase + number / (vowels * tails))
    body(vowelBase + number % (vowels * tails) / tails)
    if number % tails != 0 { body(tailBase + number % tails) }
  }

  /// The syllable of a lead and a vowel, or of a syllable without a tail and a tail.
  static func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    let lead = first &- leadBase
    let vowel = second &- vowelBase
    if lead < leads, vowel < vowels { return syllableBase + (lead * vowels + vowel) * tails }
    let number = first &- syllableBase
    let tail = second &- tailBase
    if number < syllables, number % tails == 0, tail != 0, tail < tails { return first + tail }
    return nil
  }
}
