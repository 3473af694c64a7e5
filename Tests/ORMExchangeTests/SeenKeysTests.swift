import Foundation
import TestSupport
import Testing

@testable import ORMExchange

/// The keys that a prune remembers.
@Suite struct SeenKeysTests {
  @Test func runsAnswerLikeASet() throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<60 {
      var keys = SeenKeys(
        runSize: Int.random(in: 16...200, using: &random),
        runsInMemory: Int.random(in: 0...3, using: &random))
      var naive: Set<Int64> = []
      let range: ClosedRange<Int64> = Bool.random(using: &random) ? -400...400 : .min ... .max
      var values = (0..<Int.random(in: 0...1_500, using: &random)).map { _ in
        Int64.random(in: range, using: &random)
      }
      if Bool.random(using: &random) { values.sort() }
      for value in values {
        try keys.insert([.int(value)])
        naive.insert(value)
      }
      var asked = values + (0..<500).map { _ in Int64.random(in: range, using: &random) }
      asked += [.min, .max, 0]
      if Bool.random(using: &random) { asked.sort() }
      for value in asked { #expect(try keys.contains([.int(value)]) == naive.contains(value)) }
      // More may come after a question.
      try keys.insert([.int(7)])
      #expect(try keys.contains([.int(7)]))
    }
  }

  @Test func memoryIsBounded() throws {
    var keys = SeenKeys(runSize: 1_000, runsInMemory: 2)
    for value in 0..<50_000 { try keys.insert([.int(Int64(value &* 7_919 % 50_000))]) }
    #expect(keys.integerBytes <= 3 * 8_000)
    for value in 0..<50_000 { #expect(try keys.contains([.int(Int64(value))])) }
    #expect(try !keys.contains([.int(50_000)]))
  }

  @Test func otherKeysAreKeptWhole() throws {
    var keys = SeenKeys()
    try keys.insert([.string("a")])
    try keys.insert([.int(1), .int(2)])
    #expect(try keys.contains([.string("a")]))
    #expect(try keys.contains([.int(1), .int(2)]))
    #expect(try !keys.contains([.int(2), .int(1)]))
    #expect(try !keys.contains([.int(1)]))
  }
}
