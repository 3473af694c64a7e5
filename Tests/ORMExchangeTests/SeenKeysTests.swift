import Foundation
import ORM
import TestSupport
import Testing

@testable import ORMExchange

/// The keys that an import remembers.
@Suite struct SeenKeysTests {
  @Test("Runs of keys answer like a set", arguments: [false, true])
  func runs(ofTexts: Bool) throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<60 {
      var keys = SeenKeys(
        runSize: Int.random(in: 1...200, using: &random),
        runsInMemory: Int.random(in: 0...3, using: &random))
      func key(_ value: Int64) -> [StoredValue] {
        ofTexts ? [.string("key \(value)"), .int(value)] : [.int(value)]
      }
      var naive: Set<Int64> = []
      let range: ClosedRange<Int64> = Bool.random(using: &random) ? -400...400 : .min ... .max
      var values = (0..<Int.random(in: 0...1_500, using: &random)).map { _ in
        Int64.random(in: range, using: &random)
      }
      if Bool.random(using: &random) { values.sort() }
      let asksBetween = Bool.random(using: &random)
      #expect(keys.isEmpty)
      for value in values {
        if asksBetween { #expect(try keys.contains(key(value)) == naive.contains(value)) }
        try keys.insert(key(value))
        naive.insert(value)
      }
      #expect(keys.isEmpty == naive.isEmpty)
      var asked = values + (0..<500).map { _ in Int64.random(in: range, using: &random) }
      asked += [.min, .max, 0]
      if Bool.random(using: &random) { asked.sort() }
      for value in asked { #expect(try keys.contains(key(value)) == naive.contains(value)) }
      // More may come after a question.
      try keys.insert(key(7))
      #expect(try keys.contains(key(7)))
    }
  }

  @Test func memoryIsBounded() throws {
    var keys = SeenKeys(runSize: 1_000, runsInMemory: 2)
    for value in 0..<50_000 {
      try keys.insert([.int(Int64(value &* 7_919 % 50_000))])
      try keys.insert([.string("\(value &* 7_919 % 50_000)")])
      #expect(keys.countInMemory <= 2 * 3_000)
    }
    for value in 0..<50_000 {
      #expect(try keys.contains([.int(Int64(value))]))
      #expect(try keys.contains([.string("\(value)")]))
    }
    #expect(try !keys.contains([.int(50_000)]))
    #expect(try !keys.contains([.string("50000")]))
  }

  @Test("Keys are told apart by their values and their number")
  func otherKeys() throws {
    var keys = SeenKeys()
    try keys.insert([.string("a")])
    try keys.insert([.int(1), .int(2)])
    try keys.insert([.double(0)])
    #expect(try keys.contains([.string("a")]))
    #expect(try keys.contains([.int(1), .int(2)]))
    // Zeros are equal.
    #expect(try keys.contains([.double(-0.0)]))
    #expect(try !keys.contains([.int(2), .int(1)]))
    #expect(try !keys.contains([.int(1)]))
  }
}
