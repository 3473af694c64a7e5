/// The invariants of a list's changes.
///
/// 1. Positions of deletions, of updates and of the origins of moves are those of the list before; the
///    positions of insertions and of the targets of moves are those of the list after.
/// 2. No position is named twice by deletions, updates and origins, nor by insertions and targets. The
///    steps alone name moved rows again as updated ones.
/// 3. The rows that are left of the list before, and the insertions and moves at their positions,
///    are the list after.
package enum ListInvariants {
  /// Returns the first invariant that a difference breaks; nil if all hold.
  package static func fault<Key>(
    of steps: ListSteps, from old: ListLayout<Key>, to new: ListLayout<Key>
  ) -> String? {
    fault(steps, from: old, to: new).map { "the steps \(steps): \($0)" }
      ?? fault(ListBatch(steps), from: old, to: new).map { "the batch of \(steps): \($0)" }
  }

  private static func fault<Key>(
    _ steps: ListSteps, from old: ListLayout<Key>, to new: ListLayout<Key>
  ) -> String? {
    let edit = Edit(
      deletedSections: steps.deletedSections, insertedSections: steps.insertedSections,
      movedSections: steps.movedSections, deletedRows: steps.deletedRows,
      insertedRows: steps.insertedRows, movedRows: steps.movedRows,
      updated: Dictionary(uniqueKeysWithValues: steps.updatedRows.map { ($0.to, $0.from) }))
    return edit.fault(from: old, to: new, namesAll: true)
  }

  private static func fault<Key>(
    _ batch: ListBatch, from old: ListLayout<Key>, to new: ListLayout<Key>
  ) -> String? {
    let edit = Edit(
      deletedSections: batch.deletedSections, insertedSections: batch.insertedSections,
      movedSections: batch.movedSections, deletedRows: batch.deletedRows,
      insertedRows: batch.insertedRows, movedRows: batch.movedRows, updated: nil)
    let moved = Set(batch.movedRows.map(\.from)).union(batch.deletedRows)
    if !moved.isDisjoint(with: batch.updatedRows) { return "a row is updated and moved or deleted" }
    return edit.fault(from: old, to: new, namesAll: false)
  }
}

/// Changes to a list, whichever form they have.
private struct Edit {
  let deletedSections: [Int]
  let insertedSections: [Int]
  let movedSections: [ListMove<Int>]
  let deletedRows: [ListPosition]
  let insertedRows: [ListPosition]
  let movedRows: [ListMove<ListPosition>]
  /// The positions before of updated rows by those after; nil if that is not looked at.
  let updated: [ListPosition: ListPosition]?

  /// - Parameter namesAll: whether the rows of deleted and inserted sections are named.
  func fault<Key>(
    from old: ListLayout<Key>, to new: ListLayout<Key>, namesAll: Bool
  ) -> String? {
    let leftSections = Set(deletedSections + movedSections.map(\.from))
    let newSections = Set(insertedSections + movedSections.map(\.to))
    let left = Set(deletedRows + movedRows.map(\.from))
    let entered = Set(insertedRows + movedRows.map(\.to))
    guard leftSections.count == deletedSections.count + movedSections.count,
      newSections.count == insertedSections.count + movedSections.count,
      left.count == deletedRows.count + movedRows.count,
      entered.count == insertedRows.count + movedRows.count
    else { return "a position is named twice" }
    guard leftSections.allSatisfy(old.sections.indices.contains),
      newSections.allSatisfy(new.sections.indices.contains),
      left.allSatisfy({ has($0, old) }), entered.allSatisfy({ has($0, new) })
    else { return "a position is in neither list" }
    // The section before of each section after; -1 for those that are inserted.
    let inserted = Set(insertedSections)
    let moved = Dictionary(uniqueKeysWithValues: movedSections.map { ($0.to, $0.from) })
    var staying = old.sections.indices.filter { !leftSections.contains($0) }[...]
    var origins: [Int] = []
    for section in new.sections.indices {
      if let from = moved[section] {
        origins.append(from)
      } else if inserted.contains(section) {
        origins.append(-1)
      } else if let from = staying.popFirst() {
        origins.append(from)
      } else {
        return "the list has fewer sections"
      }
      if let from = origins.last, from >= 0, old.sections[from] != new.sections[section] {
        return "section \(section) has another value"
      }
    }
    if !staying.isEmpty { return "the list has more sections" }
    let from = Dictionary(uniqueKeysWithValues: movedRows.map { ($0.to, $0.from) })
    for (section, origin) in origins.enumerated() {
      if origin < 0, !namesAll { continue }
      var rows = (origin < 0 ? 0..<0 : old.rows(of: origin)).filter {
        !left.contains(ListPosition(section: origin, row: $0 - old.starts[origin]))
      }[...]
      for row in new.rows(of: section) {
        let position = ListPosition(section: section, row: row - new.starts[section])
        if let origin = from[position] {
          if old.keys[old.starts[origin.section] + origin.row] != new.keys[row] {
            return "another row moves to \(position)"
          }
        } else if !entered.contains(position) {
          guard let former = rows.popFirst(), old.keys[former] == new.keys[row] else {
            return "another row stands at \(position)"
          }
          if let updated,
            (updated[position] != nil) != (old.digests[former] != new.digests[row])
          {
            return "the content of \(position)"
          }
        }
      }
      if !rows.isEmpty { return "section \(section) has more rows" }
    }
    return nil
  }

  private func has<Key>(_ position: ListPosition, _ list: ListLayout<Key>) -> Bool {
    list.sections.indices.contains(position.section)
      && list.rows(of: position.section).count > position.row && position.row >= 0
  }
}
