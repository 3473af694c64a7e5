import ORMConformance
import Testing

@Suite("Random regular expressions")
struct PatternRunTests {
  @Test("2.5: MATCHES answers as a plain search of all ways does")
  func randomPatterns() {
    let seed = RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed
    print("patterns: STRATA_SEED=\(seed)")
    #expect(throws: Never.self) {
      try RandomPatternRun.check(count: Int(1500 * RandomRunTests.scale) + 1, seed: seed)
    }
  }
}
