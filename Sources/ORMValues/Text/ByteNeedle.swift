/// Bytes to look for in many texts, always in time linear in the text.
struct ByteNeedle: Hashable, Sendable {
  let bytes: [UInt8]
  /// The length, for each prefix of `bytes`, of its longest proper prefix that is also its suffix (Knuth,
  /// Morris and Pratt, 1977); empty for a short needle.
  private let borders: [Int]

  /// Up to this length, trying at every offset costs no more than a small factor, and is faster.
  private static let shortest = 16

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    borders = self.bytes.count > Self.shortest ? Self.borders(of: self.bytes) : []
  }

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  /// Returns whether the text has the needle at `position`; false where that is outside.
  @inline(__always)
  func isFound(in text: UnsafeRawBufferPointer, at position: Int) -> Bool {
    text.holds(bytes, at: position)
  }

  /// Returns the start of the first occurrence that begins at or after `position` and ends by
  /// `end`.
  func firstIndex(in text: UnsafeRawBufferPointer, from position: Int, to end: Int) -> Int? {
    guard let first = bytes.first else { return position <= end ? position : nil }
    if bytes.count > Self.shortest { return longIndex(first, in: text, from: position, to: end) }
    var position = position
    let last = end - bytes.count + 1
    while let found = text.firstIndex(of: first, from: position, to: last) {
      if text.holds(bytes, at: found) { return found }
      position = found + 1
    }
    return nil
  }

  private func longIndex(
    _ first: UInt8, in text: UnsafeRawBufferPointer, from position: Int, to end: Int
  ) -> Int? {
    var position = position
    var matched = 0
    while true {
      if matched == 0 {
        let last = end - bytes.count + 1
        guard let found = text.firstIndex(of: first, from: position, to: last) else { return nil }
        position = found + 1
        matched = 1
      }
      guard position < end else { return nil }
      if text[position] == bytes[matched] {
        position += 1
        matched += 1
        if matched == bytes.count { return position - matched }
      } else {
        // A mismatch at the first byte moves on; any other falls back to a shorter border.
        matched = borders[matched - 1]
      }
    }
  }

  private static func borders(of bytes: [UInt8]) -> [Int] {
    var borders = [0]
    borders.reserveCapacity(bytes.count)
    var length = 0
    for byte in bytes.dropFirst() {
      while length > 0, bytes[length] != byte { length = borders[length - 1] }
      if bytes[length] == byte { length += 1 }
      borders.append(length)
    }
    return borders
  }
}
