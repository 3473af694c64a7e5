import ORMValues
import Testing

/// Clause 2.4; expected values are worked out from the Unicode Standard, CaseFolding.txt and
/// UAX #15; texts are compared by scalars, since Swift's `==` hides what is tested here.
struct TextFoldingTests {
  static let c: TextOptions = .caseInsensitive
  static let d: TextOptions = .diacriticInsensitive
  static let n: TextOptions = .normalized

  struct Case: CustomTestStringConvertible {
    let text: String
    let options: TextOptions
    let form: String
    init(_ text: String, _ options: TextOptions, _ form: String) {
      (self.text, self.options, self.form) = (text, options, form)
    }
    var testDescription: String { "\(scalars(text)) \(options)" }
  }

  @Test(
    "2.4: [c] is full case folding, scalar by scalar",
    arguments: [
      Case("", c, ""),
      Case("ABC xyz [@`{ 09", c, "abc xyz [@`{ 09"),
      Case("Straße STRASSE", c, "strasse strasse"),
      Case("\u{1E9E}", c, "ss"),
      Case("\u{FB01}\u{FB03}", c, "fiffi"),
      Case("\u{149}", c, "\u{2BC}n"),
      Case("ΣσςΣ", c, "σσσσ"),
      Case("\u{130}", c, "i\u{307}"),  // İ
      Case("\u{131}I", c, "\u{131}i"),  // ı is not i, and I is not ı
      Case("\u{17F}\u{212A}\u{B5}", c, "sk\u{3BC}"),
      Case("\u{390}", c, "\u{3B9}\u{308}\u{301}"),
      Case("\u{1F80}", c, "\u{1F00}\u{3B9}"),
      Case("\u{1FB3}\u{345}", c, "\u{3B1}\u{3B9}\u{3B9}"),
      Case("\u{AB70}\u{13A0}\u{13F8}", c, "\u{13A0}\u{13A0}\u{13F0}"),  // Cherokee folds upwards
      Case("\u{1C90}", c, "\u{10D0}"),
      Case("\u{10400}", c, "\u{10428}"),
      Case("\u{1F600}", c, "\u{1F600}"),
      Case("É", c, "é"),
      Case("E\u{301}", c, "e\u{301}"),  // no normalisation without n or d
      Case("\u{212B}", c, "\u{E5}"),
      Case("A\0B\u{C0}\0", c, "a\0b\u{E0}\0"),
    ])
  func caseFolding(_ example: Case) { check(example) }

  @Test(
    "2.4: [n] is NFC",
    arguments: [
      Case("plain", n, "plain"),
      Case("e\u{301}", n, "\u{E9}"),
      Case("\u{212B}", n, "\u{C5}"),
      Case("A\u{30A}", n, "\u{C5}"),
      Case("\u{2126}\u{37E}", n, "\u{3A9};"),
      Case("\u{1E0A}\u{323}", n, "\u{1E0C}\u{307}"),
      Case("D\u{307}\u{323}", n, "\u{1E0C}\u{307}"),
      Case("e\u{302}\u{323}", n, "\u{1EC7}"),  // out of canonical order
      Case("a\u{300}\u{301}", n, "\u{E0}\u{301}"),
      Case("a\u{301}\u{300}", n, "\u{E1}\u{300}"),  // one class: the order stays
      Case("\u{1E9B}\u{323}", n, "\u{1E9B}\u{323}"),
      Case("\u{344}", n, "\u{308}\u{301}"),
      Case("\u{958}\u{2ADC}", n, "\u{915}\u{93C}\u{2ADD}\u{338}"),  // composition exclusions
      Case("\u{B47}\u{B3E}", n, "\u{B4B}"),
      Case("\u{B47}\u{300}\u{B3E}", n, "\u{B47}\u{300}\u{B3E}"),  // blocked (Corrigendum 5)
      Case("\u{1100}\u{1161}", n, "\u{AC00}"),
      Case("\u{1112}\u{1161}\u{11AB}", n, "\u{D55C}"),
      Case("\u{AC00}\u{11A8}", n, "\u{AC01}"),
      Case("\u{AC01}\u{11A8}", n, "\u{AC01}\u{11A8}"),
      Case("\u{AC00}\u{11A7}", n, "\u{AC00}\u{11A7}"),  // 11A7 is no tail
      Case("\u{1100}\u{300}\u{1161}", n, "\u{1100}\u{300}\u{1161}"),
      Case("\u{F900}", n, "\u{8C48}"),
      Case("\u{1D15E}", n, "\u{1D157}\u{1D165}"),
      Case("\u{11099}\u{110BA}", n, "\u{1109A}"),
      Case("\u{FB01}", n, "\u{FB01}"),  // a compatibility mapping is no canonical one
      Case("\u{301}", n, "\u{301}"),
      Case("x\u{301}\0\u{301}e\u{301}", n, "x\u{301}\0\u{301}\u{E9}"),
      Case("ae\u{301}ie\u{301}", n, "a\u{E9}i\u{E9}"),
    ])
  func normalization(_ example: Case) {
    check(example)
    #expect(scalars(TextFolding.normalizeNFC(example.text)) == scalars(example.form))
  }

  @Test(
    "2.4: [d] drops nonspacing marks and nothing else",
    arguments: [
      Case("Ångström", d, "Angstrom"),
      Case("A\u{30A}ngstro\u{308}m", d, "Angstrom"),
      Case("Việt Nam", d, "Viet Nam"),
      Case("øłđıß", d, "øłđıß"),
      Case("\u{130}", d, "I"),
      Case("\u{1FB4}", d, "\u{3B1}"),
      Case("\u{FB2A}\u{5B8}", d, "\u{5E9}"),
      Case("\u{628}\u{650}", d, "\u{628}"),
      Case("\u{D55C}", d, "\u{D55C}"),
      Case("\u{301}", d, ""),
      Case("a\u{20DD}", d, "a\u{20DD}"),  // an enclosing mark (Me) is no nonspacing one
      Case("\u{BC6}\u{BBE}", d, "\u{BCA}"),  // spacing marks (Mc) stay, and are recomposed
      Case("\0e\u{301}\0", d, "\0e\0"),
      Case("É", [d, n], "E"),
    ])
  func diacritics(_ example: Case) { check(example) }

  @Test(
    "2.4: [c] with [n] and [d] is the canonical caseless match D145",
    arguments: [
      Case("E\u{301}", [c, n], "\u{E9}"),
      Case("\u{1E9B}\u{323}", [c, n], "\u{1E69}"),
      Case("\u{130}", [c, n], "i\u{307}"),
      Case("\u{1FD3}", [c, n], "\u{390}"),
      Case("\u{3B1}\u{345}\u{301}", [c, n], "\u{3AC}\u{3B9}"),
      Case("\u{1FB4}", [c, n], "\u{3AC}\u{3B9}"),
      Case("\u{386}\u{399}", [c, n], "\u{3AC}\u{3B9}"),
      Case("\u{1F0}", [c, n], "\u{1F0}"),
      Case("J\u{30C}", [c, n], "\u{1F0}"),
      Case("CRÈME Brûlée", [c, d], "creme brulee"),
      Case("\u{130}stanbul", [c, d], "istanbul"),
      Case("\u{1FB3}", [c, d], "\u{3B1}\u{3B9}"),
      Case("\u{391}\u{399}", [c, d], "\u{3B1}\u{3B9}"),
      Case("Ἀχιλλεύς", [c, d, n], "αχιλλευσ"),
      Case("ﬁancé\0É", [c, d], "fiance\0e"),
      Case("\u{212A}e\u{301}", [c, d], "ke"),
    ])
  func combined(_ example: Case) { check(example) }

  private func check(_ example: Case) {
    let form = TextFolding.fold(example.text, example.options)
    #expect(scalars(form) == scalars(example.form))
    #expect(scalars(TextFolding.fold(form, example.options)) == scalars(form), "folded twice")
  }

  @Test("2.4: canonically equivalent texts have one form under [n], [d], [cn] and [cd]")
  func canonicalEquivalents() {
    let classes = [
      ["\u{C5}", "A\u{30A}", "\u{212B}"],
      ["\u{1EC7}", "e\u{323}\u{302}", "e\u{302}\u{323}", "\u{EA}\u{323}", "\u{1EB9}\u{302}"],
      ["\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "\u{D558}\u{11AB}"],
      ["\u{1FB4}", "\u{3B1}\u{301}\u{345}", "\u{3B1}\u{345}\u{301}", "\u{3AC}\u{345}"],
    ]
    for texts in classes {
      for options: TextOptions in [Self.n, Self.d, [Self.c, Self.n], [Self.c, Self.d]] {
        #expect(Set(texts.map { scalars(TextFolding.fold($0, options)) }).count == 1)
      }
      #expect(Set(texts.map { scalars(TextFolding.fold($0, [])) }).count == texts.count)
    }
  }

  @Test("7: a hostile run of marks out of order is folded in linear time")
  func manyMarks() {
    let pairs = 200_000
    let text = "a" + String(repeating: "\u{301}\u{323}", count: pairs)
    let below = String(repeating: "\u{323}", count: pairs - 1)
    let above = String(repeating: "\u{301}", count: pairs)
    let form = "\u{1EA1}" + below + above
    #expect(Array(TextFolding.fold(text, .normalized).utf8) == Array(form.utf8))
  }

  @Test("Options print as their letters in brackets")
  func optionNames() throws {
    #expect(TextOptions().description == "")
    #expect(Self.c.description == "[c]")
    #expect(TextOptions([.normalized, .caseInsensitive]).description == "[cn]")
    #expect(TextOptions([.diacriticInsensitive, .caseInsensitive]).description == "[cd]")
    #expect(TextOptions(rawValue: 7).description == "[cdn]")
    #expect(TextFolding.unicodeVersion == "14.0.0")
  }
}

/// A text's scalars in hexadecimal: what two texts are compared by.
func scalars(_ text: String) -> String {
  text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
}
