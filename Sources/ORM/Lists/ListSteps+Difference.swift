internal import ORMCore

extension ListSteps {
  /// Computes the difference of two lists.
  ///
  /// The cost is linear in the rows, and `n log n` in the rows of sections in which rows moved.
  package init<Key>(from old: ListLayout<Key>, to new: ListLayout<Key>) {
    let sections = addSections(old, new)
    let match = ListMatch(old, new)
    for section in old.sections.indices {
      for row in old.rows(of: section) where !match.isKept[row] {
        deletedRows.append(ListPosition(section: section, row: row - old.starts[section]))
      }
    }
    for section in new.sections.indices {
      addRows(of: section, old, sections[section], new, match)
    }
  }

  /// Adds the sections that came, went or moved, and returns the section before of each one after, -1
  /// for those that came.
  private mutating func addSections<Key>(
    _ old: ListLayout<Key>, _ new: ListLayout<Key>
  ) -> [Int] {
    if old.sections == new.sections { return Array(old.sections.indices) }
    var places: [GroupKey: Int] = [:]
    for (place, section) in old.sections.enumerated() { places[section] = place }
    let origins = new.sections.map { places.removeValue(forKey: $0) ?? -1 }
    deletedSections = places.values.sorted()
    insertedSections = origins.indices.filter { origins[$0] < 0 }
    let kept = origins.indices.filter { origins[$0] >= 0 }
    let stays = LongestRun.members(of: kept.map { origins[$0] })
    for (section, stays) in zip(kept, stays) where !stays {
      movedSections.append(ListMove(from: origins[section], to: section))
    }
    return origins
  }

  /// Adds the rows of a section after.
  ///
  /// - Parameter origin: the same section before; -1 if there was none.
  private mutating func addRows<Key>(
    of section: Int, _ old: ListLayout<Key>, _ origin: Int, _ new: ListLayout<Key>,
    _ match: ListMatch
  ) {
    let rows = new.rows(of: section)
    let before = origin < 0 ? 0..<0 : old.rows(of: origin)
    // The rows that stay in the section, and whether they stand in the same order.
    var last = -1
    var isAscending = true
    for row in rows {
      let from = match.origins[row]
      guard before.contains(from) else { continue }
      if from < last {
        isAscending = false
        break
      }
      last = from
    }
    var stays: [Bool] = []
    if !isAscending {
      stays = LongestRun.members(of: rows.map { match.origins[$0] }.filter(before.contains))
    }
    var number = 0
    for row in rows {
      let from = match.origins[row]
      let to = ListPosition(section: section, row: row - rows.lowerBound)
      if from < 0 {
        insertedRows.append(to)
        continue
      }
      let isHere = before.contains(from)
      let isUpdated = old.digests[from] != new.digests[row]
      var isMoved = !isHere
      if isHere, !isAscending {
        isMoved = !stays[number]
        number += 1
      }
      guard isMoved || isUpdated else { continue }
      let position =
        isHere
        ? ListPosition(section: origin, row: from - before.lowerBound) : old.position(of: from)
      let move = ListMove(from: position, to: to)
      if isMoved { movedRows.append(move) }
      if isUpdated { updatedRows.append(move) }
    }
  }
}
