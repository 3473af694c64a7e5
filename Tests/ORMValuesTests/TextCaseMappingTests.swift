import ORMValues
import Testing

/// Clause 2.5, `uppercase`, `lowercase` and `length`; expected values are from UnicodeData.txt
/// and SpecialCasing.txt.
struct TextCaseMappingTests {
  @Test(
    "2.5: uppercase is Unicode's full mapping",
    arguments: [
      ("", ""),
      ("abc XYZ 09 `{", "ABC XYZ 09 `{"),
      ("Straße", "STRASSE"),
      ("\u{FB03}", "FFI"),
      ("\u{149}", "\u{2BC}N"),
      ("\u{390}", "\u{399}\u{308}\u{301}"),
      ("\u{1FB3}", "\u{391}\u{399}"),
      ("\u{1F80}", "\u{1F08}\u{399}"),
      ("\u{587}", "\u{535}\u{552}"),
      ("i\u{131}", "II"),
      ("\u{FF}\u{B5}\u{17F}", "\u{178}\u{39C}S"),
      ("\u{1C5}\u{1C6}", "\u{1C4}\u{1C4}"),
      ("σς", "ΣΣ"),
      ("\u{10D0}", "\u{1C90}"),
      ("\u{10428}", "\u{10400}"),
      ("\u{345}", "\u{399}"),
      ("e\u{301}\0é", "E\u{301}\0É"),
    ])
  func uppercase(text: String, upper: String) {
    #expect(scalars(TextFolding.uppercase(text)) == scalars(upper))
  }

  @Test(
    "2.5: lowercase is Unicode's full mapping, with the context of a final sigma",
    arguments: [
      ("", ""),
      ("ABC xyz 09 @[", "abc xyz 09 @["),
      ("STRASSE \u{1E9E}", "strasse ß"),
      ("\u{130}I", "i\u{307}i"),
      ("\u{1C4}\u{1C5}", "\u{1C6}\u{1C6}"),
      ("\u{212A}\u{212B}", "k\u{E5}"),
      ("\u{1C90}\u{10400}", "\u{10D0}\u{10428}"),
      ("Σ", "σ"),
      ("ΑΣ", "ας"),
      ("ΑΣΑ", "ασα"),
      ("ΑΣ Α", "ας α"),
      ("ΣΊΣΥΦΟΣ", "σίσυφος"),
      ("ΑΣ.", "ας."),
      ("Α.Σ", "α.ς"),  // the full stop is case-ignorable
      ("ΑΣ.Α", "ασ.α"),
      ("ΑΣ\u{301}", "ας\u{301}"),
      ("Α\u{301}Σ", "α\u{301}ς"),
      ("Α Σ", "α σ"),
      ("1Σ", "1σ"),
      ("ΑΣΣ", "ασς"),
      ("aΣ\0b", "aς\0b"),
      ("\u{2B0}Σ", "\u{2B0}σ"),  // cased and case-ignorable: does not count
    ])
  func lowercase(text: String, lower: String) {
    #expect(scalars(TextFolding.lowercase(text)) == scalars(lower))
  }

  @Test(
    "2.5: length counts Unicode scalars",
    arguments: [
      ("", 0), ("abc", 3), ("a\0b", 3), ("é", 1), ("e\u{301}", 2), ("\u{1F600}", 1), ("\r\n", 2),
      ("\u{1F468}\u{200D}\u{1F469}", 3), ("\u{D55C}", 1),
    ])
  func length(text: String, count: Int) {
    #expect(TextFolding.length(text) == count)
  }
}
