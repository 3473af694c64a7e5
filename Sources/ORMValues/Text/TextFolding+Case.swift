extension TextFolding {
  /// The text in upper case, by Unicode's full mappings: `"Straße"` is `"STRASSE"`.
  ///
  /// One scalar may become up to three. No mapping is a language's own: i is I in Turkish too.
  public static func uppercase(_ text: String) -> String {
    ByteOrder.withBytes(of: text) { bytes -> String? in
      if bytes.isASCII { return flippingCase(bytes, from: UInt8(ascii: "a")) }
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      appendMapped(bytes, UnicodeTables.shared.uppers, to: &output) { $0.asciiUppercased }
      return String(decoding: output, as: UTF8.self)
    } ?? text
  }

  /// The text in lower case, by Unicode's full mappings, with the context of a final sigma.
  ///
  /// Σ is ς where a cased letter precedes it and none follows it, case-ignorable scalars between them not
  /// counting (SpecialCasing.txt, Final_Sigma); elsewhere it is σ. A scalar that is both cased and
  /// case-ignorable does not count. No mapping is a language's own: İ is i and a dot above, I is i.
  ///
  /// ```swift
  /// TextFolding.lowercase("ΣΊΣΥΦΟΣ")  // "σίσυφος"
  /// ```
  public static func lowercase(_ text: String) -> String {
    ByteOrder.withBytes(of: text) { bytes -> String? in
      if bytes.isASCII { return flippingCase(bytes, from: UInt8(ascii: "A")) }
      let tables = UnicodeTables.shared
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      var position = 0
      var followsCased = false
      while position < bytes.count {
        let scalar = UTF8Scalars.next(bytes, &position)
        if scalar == capitalSigma, followsCased, !hasCasedNext(bytes, position, tables) {
          UTF8Scalars.append(finalSigma, to: &output)
        } else {
          tables.lowers.forEach(scalar) { UTF8Scalars.append($0, to: &output) }
        }
        let properties = tables.properties(of: scalar)
        if !properties.isCaseIgnorable { followsCased = properties.isCased }
      }
      return String(decoding: output, as: UTF8.self)
    } ?? text
  }

  private static let capitalSigma: UInt32 = 0x3A3
  private static let finalSigma: UInt32 = 0x3C2

  /// Returns whether the first scalar from `position` on that is not case-ignorable is cased.
  ///
  /// Linear in total: a stretch of case-ignorable scalars is looked at for the one sigma before it.
  private static func hasCasedNext(
    _ bytes: UnsafeRawBufferPointer, _ position: Int, _ tables: UnicodeTables
  ) -> Bool {
    var position = position
    while position < bytes.count {
      let properties = tables.properties(of: UTF8Scalars.next(bytes, &position))
      if !properties.isCaseIgnorable { return properties.isCased }
    }
    return false
  }
}
