import TestSupport
import Testing

@testable import OrderedEngine

/// Sorting by abbreviated keys, held against the standard library's sort of the same pairs.
@Suite struct AbbreviatedKeySortTests {
  private struct Item: AbbreviatedKeySortable, Equatable {
    var abbreviatedKey: UInt64
    var next: Int
  }

  private func check(_ items: [Item], _ note: String) throws {
    var sorted = items
    try sorted.sortByAbbreviatedKeys { $0.next < $1.next }
    let expected = items.sorted { ($0.abbreviatedKey, $0.next) < ($1.abbreviatedKey, $1.next) }
    #expect(sorted == expected, "\(note)")
  }

  @Test(
    "few and many, abbreviated keys that differ in some bytes, in all, in none, and orders that are there already"
  )
  func sorts() throws {
    let seed = runSeed()
    var state = seed
    func number() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 31)
    }
    let masks: [UInt64] = [.max, 0, 0xFF, 0x7, 0xFF00_0000_0000_0000, 0xF00_00FF_0000, 1 << 63]
    for count in [0, 1, 2, 3, 255, 256, 257, 1_000] {
      for mask in masks {
        let items = (0..<count).map { _ in
          Item(abbreviatedKey: number() & mask | 0x1000, next: Int(number() % 5))
        }
        let note = "\(count) of mask \(mask), seed \(seed)"
        // Equal pairs may stand in any order, so that only what is distinguished is compared.
        try check(items, note)
        try check(items.sorted { $0.abbreviatedKey < $1.abbreviatedKey }, note + ", ascending")
        try check(items.sorted { $0.abbreviatedKey > $1.abbreviatedKey }, note + ", descending")
      }
    }
  }
}
