/// The form in which a store keeps texts: U+0000, which the server refuses, and U+0001 to U+0003,
/// which stand for it, become three scalars each.
///
/// 0 is written 1 2 2, 1 is 1 2 3, 2 is 1 3 2 and 3 is 1 3 3; all else is itself. Order, equality and
/// the tests of beginnings, ends and parts are those of the texts.
enum PostgresText {
  /// Returns whether a text is stored as it is.
  @inline(__always)
  static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    for byte in text where byte < 4 { return false }
    return true
  }

  /// Appends the stored form of a text to bytes.
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if isPlain(text) {
      bytes.append(contentsOf: text)
      return
    }
    for byte in text {
      if byte < 4 {
        bytes += [1, 2 + byte / 2, 2 + byte % 2]
      } else {
        bytes.append(byte)
      }
    }
  }

  /// The stored form of a text.
  static func escaped(_ text: String) -> String {
    var text = text
    var bytes: [UInt8] = []
    text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Calls the closure with the bytes of a text in that form.
  @inline(__always)
  static func withPlain<R>(
    _ stored: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    if !stored.contains(1) { return try body(stored) }
    return try plain(stored).withUnsafeBytes(body)
  }

  /// Returns the bytes of a text in that form; bytes that the store did not write stay as they are.
  @inline(never)
  private static func plain(_ stored: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < stored.count {
      if stored[index] == 1, index + 2 < stored.count, 2...3 ~= stored[index + 1],
        2...3 ~= stored[index + 2]
      {
        bytes.append((stored[index + 1] - 2) * 2 + stored[index + 2] - 2)
        index += 3
      } else {
        bytes.append(stored[index])
        index += 1
      }
    }
    return bytes
  }

  /// The least text after every text that begins with a prefix; nil where there is none.
  static func end(ofPrefix prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var end = String.UnicodeScalarView()
      end.append(contentsOf: scalars)
      return String(end)
    }
    return nil
  }
}
