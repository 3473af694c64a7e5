import ORMCore
import Testing

/// Clause 7.1: a chain of one operator is one level, and takes time linear in its length.
@Suite struct FilterChainTests {
  private struct Item: Persistable, PrimaryKeyed, Codable {
    var id: Int64
    static let entity = Entity<Item>("Item") { .key("id", \.id) }
  }

  private func part(_ number: Int) -> Filter<Item> {
    Filter(.compare(.attribute("id"), .equal, .value(.int(Int64(number))), []))
  }

  /// The parts of an OR.
  private func parts(_ filter: Filter<Item>) -> [Condition] {
    if case .any(let parts) = filter.condition { parts } else { [] }
  }

  // Copies of a quadratic number would take minutes, and the memory of a chain of its own for each.
  @Test(
    "7.1: 100,000 filters in a chain that grows at either end, or at both",
    .timeLimit(.minutes(1)))
  func ends() {
    let count = 100_000
    let right = (1..<count).reduce(part(0)) { part($1) || $0 }
    let left = (1..<count).reduce(part(0)) { $0 || part($1) }
    let both = (1..<count).reduce(part(0)) { $1 % 2 == 0 ? $0 || part($1) : part($1) || $0 }
    let numbers = 0..<count
    #expect(parts(left) == numbers.map { part($0).condition })
    #expect(parts(right) == numbers.reversed().map { part($0).condition })
    let odd = numbers.filter { $0 % 2 == 1 }
    let even = numbers.filter { $0 % 2 == 0 }
    #expect(parts(both) == (odd.reversed() + even).map { part($0).condition })
  }

  @Test(
    "7.1: 100,000 filters that halves are joined of, the longer one first or last",
    .timeLimit(.minutes(1)))
  func halves() {
    func joined(_ range: Range<Int>) -> Filter<Item> {
      if range.count == 1 { return part(range.lowerBound) }
      // Of three and one quarters, in turn.
      let quarter = max(1, range.count / 4)
      let middle =
        range.count % 2 == 0 ? range.lowerBound + quarter : range.upperBound - quarter
      return joined(range.lowerBound..<middle) || joined(middle..<range.upperBound)
    }
    #expect(parts(joined(0..<100_000)) == (0..<100_000).map { part($0).condition })
  }

  @Test("7.1: A chain that is read while it grows at its front keeps its parts")
  func readWhileItGrows() {
    var filter = part(0)
    var expected = [part(0).condition]
    var former: [(Filter<Item>, [Condition])] = []
    for number in 1..<300 {
      if number % 3 == 0 {
        filter = filter || part(number)
        expected.append(part(number).condition)
      } else {
        filter = part(number) || filter
        expected.insert(part(number).condition, at: 0)
      }
      if number % 7 == 0 { #expect(parts(filter) == expected) }
      if number % 50 == 0 { former.append((filter, expected)) }
    }
    #expect(parts(filter) == expected)
    for (filter, expected) in former {
      #expect(parts(filter) == expected)
      // Another continuation of the same beginning, at each end.
      #expect(parts(part(-1) || filter) == [part(-1).condition] + expected)
      #expect(parts(filter || part(-2)) == expected + [part(-2).condition])
    }
  }
}
