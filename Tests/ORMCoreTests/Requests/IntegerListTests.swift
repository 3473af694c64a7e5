import TestSupport
import Testing

@testable import ORMStorage

/// Clause 2.1: what is in a list of integers and nil, however far apart they are.
@Suite struct IntegerListTests {
  private func check(_ numbers: [Int64], _ asked: [Int64]) throws {
    let list = try #require(IntegerList(.array(numbers.map { .int($0) })))
    for number in asked + numbers {
      #expect(list.contains(number) == numbers.contains(number), "\(number) in \(numbers)")
    }
    #expect(!list.holdsNull)
  }

  @Test func numbersCloseTogether() throws {
    try check(Array(1...200), [0, -1, 201, .min, .max])
    try check([7, 7, 5, 9, 70], [6, 8, 10, 4, 69, 71, 7 + 64])
    try check([-3, 0, 3], [-4, -2, -1, 1, 2, 4])
  }

  @Test func numbersFarApart() throws {
    try check([.min, 0, .max], [.min + 1, -1, 1, .max - 1])
    try check([.max, .max - 1], [.min, .max - 2, 0])
    try check([1_000_000, -1_000_000, 5, 5], [0, 4, 6, 999_999])
    try check([42], [41, 43, .min, .max])
  }

  @Test func nothingAtAll() throws {
    try check([], [0, 1, -1, .min, .max])
  }

  @Test func nilIsInTheListWhereItIsNamed() throws {
    let list = try #require(IntegerList(.array([.null, .int(3)])))
    #expect(list.holdsNull)
    #expect(list.contains(3) && !list.contains(0))
    let none = try #require(IntegerList(.array([.null])))
    #expect(none.holdsNull && !none.contains(0))
  }

  @Test func otherValuesAreLeftToTheGeneralList() {
    #expect(IntegerList(.array([.int(1), .double(2)])) == nil)
    #expect(IntegerList(.string("1")) == nil)
  }

  @Test func randomListsHoldWhatWasPutIn() throws {
    var random = SeededGenerator(seed: runSeed())
    for _ in 0..<300 {
      let width = Int64.random(in: 1...5000, using: &random)
      let start = Int64.random(in: -2000...2000, using: &random)
      let numbers = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        start + Int64.random(in: 0...width, using: &random)
      }
      try check(
        numbers, (0..<60).map { _ in start + Int64.random(in: -70...width + 70, using: &random) })
    }
  }
}
