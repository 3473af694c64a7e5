// Names that come from outside are quoted in errors, however long they are; logs and people need
// their beginning and end.

extension String {
  /// The most bytes of a name that an error quotes in full.
  private static var nameLimit: Int { 100 }
  /// The most bytes of a path of a file, which systems bound at 4,096.
  private static var pathLimit: Int { 4200 }
  /// The most bytes of a sentence.
  private static var sentenceLimit: Int { 16 << 10 }

  /// The name, without its middle if it is long.
  var shortened: String { shortened(to: Self.nameLimit) }

  private func shortened(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    // By scalars: a character may be of any length.
    let head = unicodeScalars.prefix(limit / 2 - 10)
    let tail = unicodeScalars.suffix(limit / 4)
    return "\(String(head))…\(String(tail))"
  }

  /// The sentence with every long word shortened; paths of files stay.
  var withShortWords: String {
    guard utf8.count > Self.nameLimit else { return self }
    let words = split(separator: " ", omittingEmptySubsequences: false)
    guard words.contains(where: { $0.utf8.count > Self.nameLimit }) else {
      return shortened(to: Self.sentenceLimit)
    }
    return words.map { word in
      let isPath = word.utf8.contains(UInt8(ascii: "/"))
      return String(word).shortened(to: isPath ? Self.pathLimit : Self.nameLimit)
    }.joined(separator: " ").shortened(to: Self.sentenceLimit)
  }
}

extension [String] {
  /// The names with commas between them, each without its middle if it is long.
  var shortened: String { map(\.shortened).joined(separator: ", ").withShortWords }
}
