internal import ORMCore

extension ListSteps {
  /// Computes the difference of two lists.
  ///
  /// The cost is linear in the rows, and `n log n` in the runs of rows that moved.
  package init<Key>(from old: ListLayout<Key>, to new: ListLayout<Key>) {
    self.init(from: old.outline, to: new.outline, ListMatch(old, new))
  }

  /// Computes the difference of two lists whose rows are matched.
  ///
  /// The cost is linear in the sections and in the runs of the match, and `n log n` in the runs of
  /// sections in which rows moved.
  init(from old: ListOutline, to new: ListOutline, _ match: ListMatch) {
    let origins = addSections(old, new)
    deletedRows = match.deleted.map(old.position)
    var number = 0
    for section in new.sections.indices {
      let rows = new.rows(of: section)
      let before = origins[section] < 0 ? 0..<0 : old.rows(of: origins[section])
      var pieces: [Piece] = []
      while number < match.runs.count, match.runs[number].new < rows.upperBound {
        let run = match.runs[number]
        let end = run.new + run.count
        let part = max(run.new, rows.lowerBound)..<min(end, rows.upperBound)
        Piece.split(run, part, before) { pieces.append($0) }
        if end > rows.upperBound { break }
        number += 1
      }
      addRows(of: section, rows.lowerBound, from: origins[section], old, pieces)
    }
  }

  /// Adds the sections that came, went or moved, and returns the section before of each one after, -1
  /// for those that came.
  private mutating func addSections(_ old: ListOutline, _ new: ListOutline) -> [Int] {
    if old.sections == new.sections { return Array(old.sections.indices) }
    var indexes: [GroupKey: Int] = [:]
    for (index, section) in old.sections.enumerated() { indexes[section] = index }
    let origins = new.sections.map { indexes.removeValue(forKey: $0) ?? -1 }
    deletedSections = indexes.values.sorted()
    insertedSections = origins.indices.filter { origins[$0] < 0 }
    let common = origins.indices.filter { origins[$0] >= 0 }
    let stays = LongestRun.members(of: common.map { origins[$0] })
    for (section, stays) in zip(common, stays) where !stays {
      movedSections.append(ListMove(from: origins[section], to: section))
    }
    return origins
  }

  /// Rows of a run that are in one section after, and either all of them in the same one before or none.
  private struct Piece {
    /// The position of the first row before; -1 for new rows.
    let old: Int
    /// The positions of the rows after.
    let new: Range<Int>
    let isUpdated: Bool
    /// True if the rows were in the section before.
    let isHere: Bool

    /// Splits a part of a run at the ends of its section before.
    static func split(
      _ run: ListMatch.Run, _ part: Range<Int>, _ before: Range<Int>, _ body: (Piece) -> Void
    ) {
      if run.isInserted {
        return body(Piece(old: -1, new: part, isUpdated: false, isHere: false))
      }
      let shift = run.old - run.new
      let here = (before.lowerBound - shift..<before.upperBound - shift).clamped(to: part)
      func add(_ rows: Range<Int>, isHere: Bool) {
        if rows.isEmpty { return }
        body(
          Piece(
            old: rows.lowerBound + shift, new: rows, isUpdated: run.isUpdated, isHere: isHere))
      }
      if here.isEmpty { return add(part, isHere: false) }
      add(part.lowerBound..<here.lowerBound, isHere: false)
      add(here, isHere: true)
      add(here.upperBound..<part.upperBound, isHere: false)
    }
  }

  /// Adds the rows of a section after.
  ///
  /// - Parameters:
  ///   - start: the position of its first row.
  ///   - origin: the same section before; -1 if there was none.
  private mutating func addRows(
    of section: Int, _ start: Int, from origin: Int, _ old: ListOutline, _ pieces: [Piece]
  ) {
    let stays = LongestRun.members(
      of: pieces.filter(\.isHere).map { $0.old..<$0.old + $0.new.count })
    var number = 0
    for piece in pieces {
      var isMoved = !piece.isHere
      if piece.isHere {
        isMoved = !stays[number]
        number += 1
      }
      if !isMoved, !piece.isUpdated { continue }
      for (step, row) in piece.new.enumerated() {
        let to = ListPosition(section: section, row: row - start)
        if piece.old < 0 {
          insertedRows.append(to)
          continue
        }
        let move = ListMove(from: old.position(of: piece.old + step), to: to)
        if isMoved { movedRows.append(move) }
        if piece.isUpdated { updatedRows.append(move) }
      }
    }
  }
}
