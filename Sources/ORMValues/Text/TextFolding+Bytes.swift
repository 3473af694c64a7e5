extension TextFolding {
  /// Appends the form of a text given as UTF-8; see ``fold(_:_:)``.
  package static func appendFold(
    of utf8: UnsafeRawBufferPointer, _ options: TextOptions, to output: inout [UInt8]
  ) {
    if options.isCanonical {
      appendCanonicalFold(of: utf8, options, to: &output)
    } else if options.contains(.caseInsensitive) {
      appendMapped(utf8, UnicodeTables.shared.folds, to: &output) { $0.asciiLowercased }
    } else {
      output.append(contentsOf: utf8)
    }
  }

  /// Returns whether the text is its own form, by a cheap test that may say no wrongly.
  static func isOwnForm(_ utf8: UnsafeRawBufferPointer, _ options: TextOptions) -> Bool {
    if options.contains(.caseInsensitive) { return utf8.isEmpty }
    if !options.isCanonical || utf8.isASCII { return true }
    return !options.contains(.diacriticInsensitive)
      && SettledFolds.table(for: options).areAllSettled(utf8)
  }

  /// Calls `body` with the form of a text given as UTF-8; an ASCII text costs no heap allocation
  /// unless it is long.
  @inline(__always)
  static func withFold<Result>(
    of utf8: UnsafeRawBufferPointer, _ options: TextOptions,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if isOwnForm(utf8, options) { return body(utf8) }
    if !utf8.isASCII {
      var output: [UInt8] = []
      output.reserveCapacity(utf8.count)
      appendFold(of: utf8, options, to: &output)
      return output.withUnsafeBytes(body)
    }
    return withUnsafeTemporaryAllocation(byteCount: utf8.count, alignment: 1) { copy in
      for i in 0..<utf8.count { copy[i] = utf8[i].asciiLowercased }
      return body(UnsafeRawBufferPointer(copy))
    }
  }

  /// Appends a text with each scalar mapped, and its ASCII scalars by a mapping of their own.
  @inline(__always)
  static func appendMapped(
    _ utf8: UnsafeRawBufferPointer, _ mapping: UnicodeTables.Mapping, to output: inout [UInt8],
    _ ascii: (UInt8) -> UInt8
  ) {
    var position = 0
    while position < utf8.count {
      let end = utf8.endOfASCII(from: position)
      appendASCII(UnsafeRawBufferPointer(rebasing: utf8[position..<end]), to: &output, ascii)
      position = end
      while position < utf8.count, utf8[position] >= 0x80 {
        mapping.forEach(UTF8Scalars.next(utf8, &position)) { UTF8Scalars.append($0, to: &output) }
      }
    }
  }

  @inline(__always)
  private static func appendASCII(
    _ bytes: UnsafeRawBufferPointer, to output: inout [UInt8], _ map: (UInt8) -> UInt8
  ) {
    let start = output.count
    output.append(contentsOf: bytes)
    output.withUnsafeMutableBufferPointer { output in
      for i in start..<output.count { output[i] = map(output[i]) }
    }
  }

  /// The fold of `[n]` and `[d]`, with or without `c`.
  ///
  /// The text is cut before ASCII scalars: none of them is a mark, or the second part of a
  /// composite, so nothing crosses such a cut. The text between is ASCII, which only case changes,
  /// or a stretch of other scalars together with the ASCII scalar that they may attach to.
  private static func appendCanonicalFold(
    of utf8: UnsafeRawBufferPointer, _ options: TextOptions, to output: inout [UInt8]
  ) {
    let foldsCase = options.contains(.caseInsensitive)
    let changesSettled = foldsCase || options.contains(.diacriticInsensitive)
    let settled = SettledFolds.table(for: options)
    var text = CanonicalText(.shared)
    var position = 0
    while position < utf8.count {
      let end = utf8.endOfASCII(from: position)
      let start = end < utf8.count ? max(position, end - 1) : end
      let ascii = UnsafeRawBufferPointer(rebasing: utf8[position..<start])
      appendASCII(ascii, to: &output) { foldsCase ? $0.asciiLowercased : $0 }
      position = end
      while position < utf8.count, utf8[position] >= 0x80 { position += 1 }
      guard start < position else { break }

      let stretch = UnsafeRawBufferPointer(rebasing: utf8[start..<position])
      if !settled.areAllSettled(stretch) {
        text.load(stretch)
        text.fold(options)
        for scalar in text.scalars { UTF8Scalars.append(scalar, to: &output) }
      } else if changesSettled {
        appendMapped(stretch, settled.mapping, to: &output) {
          foldsCase ? $0.asciiLowercased : $0
        }
      } else {
        output.append(contentsOf: stretch)
      }
    }
  }
}
