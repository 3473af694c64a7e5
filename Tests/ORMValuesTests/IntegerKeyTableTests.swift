import Foundation
import TestSupport
import Testing

@testable import ORMValues

/// The positions of integers and of other keys, beside dictionaries.
@Suite struct IntegerKeyTableTests {
  /// Checks the form of a table, and its answers by a dictionary.
  private func check(_ table: IntegerKeyTable, _ model: [Int64: Int]) {
    let used = table.slots.filter { $0.position >= 0 }
    #expect(table.slots.count.nonzeroBitCount == 1)
    #expect(UInt64(table.slots.count.trailingZeroBitCount) == 64 - table.shift)
    #expect(used.count == table.count && used.count * 2 <= table.slots.count)
    #expect(Dictionary(uniqueKeysWithValues: used.map { ($0.key, $0.position) }) == model)
    for (key, position) in model { #expect(table.position(of: key) == position) }
  }

  @Test func integersAnswerLikeADictionary() {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<60 {
      var table = IntegerKeyTable()
      var model: [Int64: Int] = [:]
      // Keys that differ in their upper or lower bits alone, and any.
      let step: Int64 = [1, 1 << 20, 1 << 56, 7, -3].randomElement(using: &random) ?? 1
      for _ in 0..<Int.random(in: 0...400, using: &random) {
        let key = Int64.random(in: -150...150, using: &random) &* step
        switch Int.random(in: 0..<100, using: &random) {
        case 0:
          table.removeAll()
          model = [:]
        case 1..<10:
          let position = Int.random(in: 0...1_000, using: &random)
          table.set(position, for: key)
          model[key] = position
        case 10..<40:
          #expect(table.position(of: key) == model[key])
        default:
          let next = model.count
          let known = model[key] ?? next
          #expect(table.position(of: key, next: next) == known)
          model[key] = known
        }
      }
      check(table, model)
    }
  }

  @Test func extremesAreKeysAsAnyOther() {
    var table = IntegerKeyTable()
    for (position, key) in [Int64.min, .max, 0, -1].enumerated() {
      #expect(table.position(of: key) == nil)
      #expect(table.position(of: key, next: position) == position)
    }
    check(table, [.min: 0, .max: 1, 0: 2, -1: 3])
  }

  @Test func capacityStaysUnlessMostOfItWasUnused() {
    var table = IntegerKeyTable()
    for key in 0..<1_000 { table.set(key, for: Int64(key)) }
    check(table, Dictionary(uniqueKeysWithValues: (0..<1_000).map { (Int64($0), $0) }))
    table.removeAll()
    #expect(table.slots.count == 2_048)
    check(table, [:])
    table.set(5, for: 3)
    table.removeAll()
    #expect(table.slots.count == 16)
    check(table, [:])
  }

  @Test func aCopyIsAnotherTable() {
    var table = IntegerKeyTable()
    table.set(1, for: 1)
    var copy = table
    copy.set(2, for: 1)
    copy.set(3, for: 9)
    check(table, [1: 1])
    check(copy, [1: 2, 9: 3])
  }

  @Test("4.2: numbers of every kind that are equal are one key, in any order, as groups are")
  func equalNumbers() {
    let top = Decimal(Int64.max)
    // Each line is one key.
    let lines: [[StoredValue]] = [
      [.int(0), .double(0), .double(-0.0), .decimal(0)],
      [.int(7), .double(7), .decimal(7), .decimal(Decimal(70) / 10)],
      [.int(-7), .double(-7), .decimal(-7)],
      [.int(.max), .unsigned(UInt64(Int64.max)), .decimal(top)],
      [.int(.min), .double(-0x1p63), .decimal(-top - 1)],
      [.uint(1 << 63), .double(0x1p63), .decimal(top + 1)], [.uint(.max)],
      [.double(0.5), .decimal(Decimal(1) / 2)], [.double(0x1p64)], [.double(.infinity)],
      [.bool(true)], [.string("7")], [.null],
      [.date(Date(timeIntervalSinceReferenceDate: 7))],
    ]
    for turn in 0..<5 {
      var table = KeyTable()
      for (position, line) in lines.enumerated() {
        for shift in line.indices {
          let value = line[(shift + turn) % line.count]
          #expect(table.position(of: [value], next: position) == position, "\(value)")
        }
      }
      #expect(table.count == lines.count)
      for (position, line) in lines.enumerated() {
        for value in line {
          #expect(table.position(of: [value]) == position, "\(value)")
          #expect(table.position(of: value, next: 99) == position, "\(value)")
          table.set(position + 100, for: [value])
          #expect(table.position(of: [line[0]]) == position + 100, "\(value)")
          table.set(position, for: [value])
          // The same as in keys of more values, which the integers have no part in.
          for other in line { #expect(GroupKey([value]) == GroupKey([other])) }
        }
      }
      #expect(table.count == lines.count)
    }
  }

  @Test func keysOfEveryKindHaveOnePosition() {
    var table = KeyTable()
    let keys: [[StoredValue]] = [
      [.int(1)], [.int(0)], [.string("1")], [.null], [.int(1), .int(2)], [.int(2), .int(1)], [],
      [.string("\u{E9}")], [.string("e\u{301}")], [.double(0.5)],
    ]
    for (position, key) in keys.enumerated() {
      #expect(table.position(of: key) == nil)
      #expect(table.position(of: key, next: position) == position)
    }
    for (position, key) in keys.enumerated() {
      #expect(table.position(of: key, next: 99) == position)
      #expect(table.position(of: key) == position)
    }
    // Zeros are equal in meaning.
    #expect(table.position(of: [.double(0)], next: 50) == 1)
    #expect(table.position(of: [.double(-0.0)]) == 1)
    #expect(table.count == keys.count)
    // A value is the key that it makes, and an integer too.
    #expect(table.position(of: StoredValue.string("1"), next: 99) == 2)
    #expect(table.position(of: StoredValue.int(0), next: 99) == 1)
    #expect(table.position(ofInteger: 1, next: 99) == 0)
    table.set(7, for: [.int(1)])
    table.set(8, for: [.string("1")])
    #expect(table.position(of: [.int(1)]) == 7)
    #expect(table.position(of: [.string("1")]) == 8)
    #expect(table.count == keys.count)
    table.removeAll()
    #expect(table.count == 0)
    for key in keys { #expect(table.position(of: key) == nil) }
  }
}
