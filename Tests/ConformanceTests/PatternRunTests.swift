import ORMConformance
import Testing

@Suite("Random regular expressions")
struct PatternRunTests {
  @Test("2.5: MATCHES answers as a plain search of all ways does")
  func randomPatterns() throws {
    let seed = UInt64.random(in: 0..<1_000_000_000)
    try RandomPatternRun.check(count: 1500, seed: seed)
  }
}
