import Testing

@testable import SQLEngine

/// The bounded cache of statements: what stays and what goes.
@Suite struct StatementCacheTests {
  private final class Statement {
    let text: String
    init(_ text: String) { self.text = text }
  }

  @Test func `it holds as many as it may, and lets the one used longest ago go`() {
    var cache = StatementCache<Int, Statement>(capacity: 3)
    for number in 1...3 { cache.insert(Statement("\(number)"), for: number) }
    #expect(cache.count == 3)
    #expect(cache.value(for: 1)?.text == "1")
    cache.insert(Statement("4"), for: 4)
    #expect(cache.count == 3)
    #expect(cache.value(for: 2) == nil)
    #expect([1, 3, 4].map { cache.value(for: $0)?.text } == ["1", "3", "4"])
  }

  @Test func `the newest counts as used however it is found`() {
    var cache = StatementCache<Int, Statement>(capacity: 2)
    cache.insert(Statement("1"), for: 1)
    cache.insert(Statement("2"), for: 2)
    for _ in 0..<5 { #expect(cache.value(for: 1)?.text == "1") }
    cache.insert(Statement("3"), for: 3)
    #expect(cache.value(for: 2) == nil)
    #expect(cache.value(for: 1)?.text == "1")
  }

  @Test func `a value let go is freed`() {
    var cache = StatementCache<Int, Statement>(capacity: 1)
    var first: Statement? = Statement("1")
    weak let seen = first
    cache.insert(Statement("0"), for: 0)
    if let statement = first { cache.insert(statement, for: 1) }
    first = nil
    #expect(seen != nil)
    cache.insert(Statement("2"), for: 2)
    #expect(cache.count == 1)
    #expect(seen == nil)
    cache.removeAll()
    #expect(cache.count == 0)
    #expect(cache.value(for: 2) == nil)
  }

  @Test func `the same key again replaces`() {
    var cache = StatementCache<Int, Statement>(capacity: 2)
    cache.insert(Statement("old"), for: 1)
    cache.insert(Statement("new"), for: 1)
    #expect(cache.count == 1)
    #expect(cache.value(for: 1)?.text == "new")
  }

  @Test func `a capacity below one is one`() {
    var cache = StatementCache<Int, Statement>(capacity: 0)
    cache.insert(Statement("1"), for: 1)
    #expect(cache.value(for: 1)?.text == "1")
    #expect(cache.count == 1)
  }
}
