import ORMConformance
import Testing

@Suite("Random regular expressions")
struct PatternRunTests {
  @Test("2.5: MATCHES answers as a plain search of all ways does")
  func randomPatterns() {
    let seed = RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed
    print("patterns: STRATA_SEED=\(seed)")
    #expect(throws: Never.self) { try RandomPatternRun.check(count: 1500, seed: seed) }
  }
}
