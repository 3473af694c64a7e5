import ORMConformance
import Testing

@Suite("Differences of random lists")
struct ListDifferenceTests {
  @Test("11.8: steps and batches lead from one list to the other")
  func randomLists() {
    let seed = RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed
    let size =
      RandomRunTests.number("STRATA_RANDOM_LIST_DIFFERENCES").map { Int($0) }
      ?? Int(2_000 * RandomRunTests.scale)
    print("list differences: STRATA_SEED=\(seed)")
    #expect(throws: Never.self) {
      try RandomListDifferences.check(count: size + 1, seed: seed)
    }
  }
}
