import ORMValues
import TestSupport
import Testing

/// Clause 2.5: patterns that keep a backtracking engine busy for ever end here, after time linear
/// in the text.
struct PatternHostileTests {
  static let length = 100_000

  @Test(
    "2.5: hostile patterns of MATCHES end",
    arguments: [
      ("(a*)*b", false), ("(a|a)*", true), ("(x+x+)+y", false), ("(a|aa)+$", true),
      ("(a+)+", true), ("(.*)(.*)(.*)(.*)(.*)x", false), ("(a?){400}a{400}", false),
      ("((a{0,20}){0,20})*", true), ("(\\b|a|\\B)*", true), ("([a-z]+)*!", false),
      ("(.*a){20}b", false),
    ])
  func ends(_ pattern: String, _ matches: Bool) throws {
    let text = String(repeating: "a", count: Self.length)
    #expect(try TextPattern(pattern).matches(text) == matches)
  }

  @Test("2.5: where every scalar makes a new state, states are worked out and not cached")
  func manyStates() throws {
    var random = SeededGenerator(seed: runSeed())
    let letters = (0..<Self.length).map { _ in random.next() & 1 == 0 ? "a" : "b" }
    let text = letters.joined()
    for distance in [20, 300] {
      let pattern = try TextPattern("[ab]*a[ab]{\(distance)}")
      #expect(pattern.matches(text) == (letters[letters.count - distance - 1] == "a"))
      #expect(pattern.matches("a" + text.suffix(distance)))
      #expect(!pattern.matches("b" + text.suffix(distance)))
      // The machine still knows what it knew before.
      #expect(pattern.matches(text) == (letters[letters.count - distance - 1] == "a"))
    }
    let careful = try TextPattern("[ab]*a[ab]{300}\\b")
    #expect(careful.matches(text) == (letters[letters.count - 301] == "a"))
  }

  @Test("2.5: one pattern is asked by several threads at once")
  func threads() async throws {
    let pattern = try TextPattern("(a|b)*abb\\b")
    await withTaskGroup(of: Bool.self) { group in
      for i in 0..<16 {
        group.addTask {
          (0..<200).allSatisfy { pattern.matches(String(repeating: "ab", count: $0 + i) + "abb") }
        }
      }
      for await answer in group { #expect(answer) }
    }
  }

  @Test("1.4: bytes that are not UTF-8 are matched as U+FFFD, and nothing traps")
  func brokenText() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0xE2, 0x82]
    let pattern = try TextPattern("(?s)a\\x{FFFD}+$.*")
    #expect(bytes.withUnsafeBytes { pattern.answer($0) } == true)
  }
}
