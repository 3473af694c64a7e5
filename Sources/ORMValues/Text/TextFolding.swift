/// The one folding of text: two texts are the same under `[c]`, `[d]` and `[n]` if they fold to the same.
///
/// Every store and every index uses it, from tables of one Unicode version (clause 2.4).
/// Nothing here depends on a language or on the machine's locale.
public enum TextFolding {
  /// The version of Unicode that folding and case mapping go by; stored indexes record it.
  public static var unicodeVersion: String { UnicodeTables.version }

  /// The text's form under the options: two texts are the same when their forms have the same
  /// Unicode scalars.
  ///
  /// - `[c]`: full case folding (CaseFolding.txt, status C and F), scalar by scalar: ß is ss, ﬁ is
  ///   fi, ς is σ, İ is i and a dot above, ı stays.
  /// - `[n]`: Normalization Form C.
  /// - `[d]`: Normalization Form D, without its nonspacing marks (general category Mn), then
  ///   NFC. Marks are all that goes: ø, ł and ı are letters of their own, and stay. The vowel
  ///   points of Arabic, Hebrew and Indic scripts are nonspacing marks too, and go. `d` implies `n`.
  /// - `[cn]`: NFD, case folding, NFD (Unicode's canonical caseless match, D145), then NFC.
  /// - `[cd]`: as `[cn]`, with the marks removed before the last step. Folding comes before marks
  ///   go, so a text and its upper case stay the same; hence ᾳ is αι, as its upper case ΑΙ is.
  ///
  /// Folding twice is folding once. Canonically equivalent texts have one form under any options
  /// with `n` or `d`. The time is linear in the text's length; an ASCII text that is its own form
  /// comes back as it is.
  ///
  /// ```swift
  /// TextFolding.fold("Straße", .caseInsensitive)  // "strasse"
  /// TextFolding.fold("Crème Brûlée", [.caseInsensitive, .diacriticInsensitive])  // "creme brulee"
  /// ```
  public static func fold(_ text: String, _ options: TextOptions) -> String {
    ByteOrder.withBytes(of: text) { bytes -> String? in
      if isOwnForm(bytes, options) { return nil }
      if bytes.isASCII { return flippingCase(bytes, from: UInt8(ascii: "A")) }
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      appendFold(of: bytes, options, to: &output)
      return String(decoding: output, as: UTF8.self)
    } ?? text
  }

  /// The text in Normalization Form C.
  ///
  /// The text as an attribute declared `.normalized` stores it (clause 2.3).
  public static func normalizeNFC(_ text: String) -> String { fold(text, .normalized) }

  /// The number of Unicode scalars, which is the `length` of a condition (clause 2.5).
  ///
  /// Swift's `count` is another number: that of the characters a reader sees.
  public static func length(_ text: String) -> Int {
    ByteOrder.withBytes(of: text) { length(utf8: $0) }
  }

  /// The number of Unicode scalars of a text given as UTF-8.
  package static func length(utf8: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in utf8 where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// An ASCII text with the letters from `first` on, `A` or `a`, in the other case; nil if there
  /// are none.
  static func flippingCase(_ bytes: UnsafeRawBufferPointer, from first: UInt8) -> String? {
    guard bytes.contains(where: { $0 &- first < 26 }) else { return nil }
    return String(unsafeUninitializedCapacity: bytes.count) { output in
      for i in 0..<bytes.count { output[i] = bytes[i].flippingCase(from: first) }
      return bytes.count
    }
  }
}
