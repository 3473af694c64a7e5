import ORMValues
import Testing

/// Clause 2.3.
struct TextComparisonTests {
  @Test("2.3: texts order by code point, not by canonical equivalence or UTF-16")
  func order() {
    let ascending = [
      "", "\0", "\0\0", "\0a", "A", "B", "a", "a\0", "ab", "e\u{301}", "f", "\u{E9}", "\u{3B1}",
      "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ]
    for (i, a) in ascending.enumerated() {
      for (j, b) in ascending.enumerated() {
        #expect(a.hasSameScalars(as: b) == (i == j))
        var (left, right) = (a, b)
        let raw = left.withUTF8 { left in
          right.withUTF8 { right in
            compareUTF8(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
          }
        }
        #expect(raw.signum() == (i - j).signum(), "\(scalars(a)), \(scalars(b))")
      }
    }
  }

  @Test("2.3: composed and decomposed texts are different")
  func equality() {
    #expect("\u{E9}" == "e\u{301}", "Swift's own equality, which is why there is another")
    #expect(!"\u{E9}".hasSameScalars(as: "e\u{301}"))
    #expect("long enough to be on the heap é".hasSameScalars(as: "long enough to be on the heap é"))
  }
}
