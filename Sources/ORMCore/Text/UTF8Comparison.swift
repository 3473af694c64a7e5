/// Orders two texts by code point: below 0, 0 or above 0 (semantics 2.3).
///
/// That is the order of their UTF-8 bytes. Swift's own `<` and `==` on `String` go by canonical
/// equivalence, so that `"é" == "e\u{301}"` is true, and must not be used for what is stored.
package func compareUTF8(_ a: String, _ b: String) -> Int {
  a.withUTF8Bytes { a in b.withUTF8Bytes { b in a.compare(b) } }
}

/// Orders two texts given as UTF-8, or any bytes: the shorter first on a tie.
package func compareUTF8(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  a.compare(b)
}

extension String {
  /// Whether both have the same Unicode scalars, which is how stored texts are equal.
  package func hasSameScalars(as other: String) -> Bool {
    utf8.count == other.utf8.count && compareUTF8(self, other) == 0
  }

  /// Calls `body` with the text's UTF-8, in place where the text has it in memory.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}
