import ORM
import TestSupport
import Testing

/// Objects that are asked in memory, in a scope that ends before the answer is known (clause 6.10).
@Suite struct EndedMatchTests {
  @Test(
    "6.10: a match that is ended throws, and gives no wrong answer",
    arguments: [
      "name MATCHES '(a|b)+!'", "NOT (name MATCHES '(a|b)+!')", "name MATCHES '\\\\b(a|b)+!'",
      "name LIKE '*a?!*'", "NOT (name LIKE '*a?!*')",
    ])
  func ended(format: String) throws {
    let snack = Snack(String(repeating: "ab", count: 100_000) + "!")
    let filter = try Filter<Snack>(format: format)
    let asked = SharedList<Bool>()
    #expect(throws: CancellationError.self) {
      try RunningOperation.run(unless: {
        asked.add(true)
        return asked.all.count > 1
      }) { _ = try filter.matches(snack) }
    }
    #expect(try filter.matches(snack) == !format.hasPrefix("NOT"))
  }
}
