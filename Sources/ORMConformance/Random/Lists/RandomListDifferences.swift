internal import ORM
internal import ORMCore
internal import ORMObservation

/// Random lists with sections, and their differences applied to a list view.
public enum RandomListDifferences {
  private struct Row: Hashable {
    var key: Int
    var content: Int
  }

  private typealias Shown = ShownList<Int, Row>

  /// Checks the differences of random lists, in both forms.
  ///
  /// - Throws: a failure that names the seed and both lists.
  public static func check(count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var old = list(&random)
    var moves = 0
    for number in 0..<count {
      let new = random.chance(4) ? list(&random) : changed(old, &random)
      // Rows that share a digest are distinguished by their keys.
      let isCoarse = random.chance(8)
      do {
        let from = layout(old, isCoarse)
        let to = layout(new, isCoarse)
        let steps = ListSteps(from: from, to: to)
        moves += steps.movedRows.count
        if let fault = ListInvariants.fault(of: steps, from: from, to: to) {
          throw ListRefusal(fault)
        }
        try expect(steps, old, new)
      } catch {
        throw StoreError(
          StoreError.Code(rawValue: "randomRun"),
          "seed \(seed), difference \(number): \(error)\n  before \(text(old))\n  after \(text(new))"
        )
      }
      old = new
    }
    guard moves > count / 4 else {
      throw StoreError(
        StoreError.Code(rawValue: "randomRun"), "seed \(seed): only \(moves) rows moved")
    }
  }

  private static func expect(_ steps: ListSteps, _ old: Shown, _ new: Shown) throws {
    var shown = old
    try shown.perform(steps, showing: new.sections)
    guard shown == new else { throw ListRefusal("the steps \(steps) lead to \(text(shown))") }
    let batch = ListBatch(steps)
    shown = old
    try shown.perform(batch, showing: new.sections)
    guard shown == new else { throw ListRefusal("the batch \(batch) leads to \(text(shown))") }
    // The fewest moves: all rows but the longest runs that keep their order within a section.
    var section: [Int: Int] = [:]
    var rowOfKey: [Int: Int] = [:]
    for content in old.sections {
      for (row, shown) in content.rows.enumerated() {
        section[shown.key] = content.value
        rowOfKey[shown.key] = row
      }
    }
    var fewest = 0
    for content in new.sections {
      let staying = content.rows.map(\.key).filter { section[$0] == content.value }
      let known = content.rows.count { section[$0.key] != nil }
      fewest += known - longestRun(staying.compactMap { rowOfKey[$0] })
    }
    guard steps.movedRows.count == fewest else {
      throw ListRefusal("\(steps.movedRows) are not \(fewest) moves")
    }
    let values = old.sections.map(\.value)
    let indexes = new.sections.compactMap { values.firstIndex(of: $0.value) }
    guard steps.movedSections.count == indexes.count - longestRun(indexes) else {
      throw ListRefusal("\(steps.movedSections) are not the fewest moves")
    }
  }

  /// The length of the longest ascending run, by comparing all pairs.
  private static func longestRun(_ numbers: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, number) in numbers.enumerated() {
      let before = zip(numbers, lengths).prefix(index).filter { $0.0 < number }
      lengths.append(1 + (before.map(\.1).max() ?? 0))
    }
    return lengths.max() ?? 0
  }

  // MARK: - Lists

  private static func list(_ random: inout SeededGenerator) -> Shown {
    let size = random.pick([0, 1, 3, 6, 12, 24])
    var keys = Array(0..<max(size, 1) * 2).shuffled(using: &random).prefix(size)
    var list = Shown(sections: [])
    for value in Array(0..<random.number(1...6)).shuffled(using: &random) {
      let rows = keys.prefix(random.number(0...max(size / 2, 1)))
      keys = keys.dropFirst(rows.count)
      list.sections.append(
        ShownSection(value: value, rows: rows.map { Row(key: $0, content: random.number(0...3)) }))
    }
    if !random.chance(3) { list.sections.removeAll { $0.rows.isEmpty } }
    return list
  }

  /// The list after a few edits.
  private static func changed(_ list: Shown, _ random: inout SeededGenerator) -> Shown {
    var list = list
    for _ in 0..<random.number(1...6) {
      let used = Set(list.sections.flatMap { $0.rows.map(\.key) })
      let row = Row(
        key: (0...99).first { !used.contains($0) && random.chance(3) } ?? 100,
        content: random.number(0...3))
      guard !list.sections.isEmpty else {
        list.sections = [ShownSection(value: random.number(0...9), rows: [row])]
        continue
      }
      let section = random.number(0...list.sections.count - 1)
      let rows = list.sections[section].rows
      let index = random.number(0...rows.count)
      switch random.number(0...9) {
      case 0, 1:
        if !used.contains(row.key) { list.sections[section].rows.insert(row, at: index) }
      case 2, 3:
        if index < rows.count { list.sections[section].rows.remove(at: index) }
      case 4, 5:
        if index < rows.count { list.sections[section].rows[index].content = random.number(0...3) }
      case 6, 7:
        guard index < rows.count else { continue }
        let moved = list.sections[section].rows.remove(at: index)
        let target = random.number(0...list.sections.count - 1)
        let end = list.sections[target].rows.count
        list.sections[target].rows.insert(moved, at: random.number(0...end))
      case 8:
        let moved = list.sections.remove(at: section)
        list.sections.insert(moved, at: random.number(0...list.sections.count))
      default:
        let value = random.number(0...9)
        if !list.sections.contains(where: { $0.value == value }) {
          list.sections[section].value = value
        }
      }
    }
    return list
  }

  private static func layout(_ list: Shown, _ isCoarse: Bool) -> ListLayout<Int> {
    let rows = list.sections.flatMap(\.rows)
    var starts = [0]
    for section in list.sections { starts.append(starts[starts.count - 1] + section.rows.count) }
    return ListLayout(
      keys: rows.map(\.key),
      digests: rows.map { isCoarse ? $0.content : $0.key &* 7_919 &+ $0.content &* 104_729 },
      sections: list.sections.map { GroupKey([.int(Int64($0.value))]) }, starts: starts)
  }

  private static func text(_ list: Shown) -> String {
    list.sections.map { section in
      "\(section.value): [\(section.rows.map { "\($0.key)=\($0.content)" }.joined(separator: " "))]"
    }.joined(separator: ", ")
  }
}
