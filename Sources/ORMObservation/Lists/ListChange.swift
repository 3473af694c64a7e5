public import ORMCore

/// A list after a commit, and the changes that lead to it from the list that was delivered before.
///
/// ``steps`` has the meaning of the change; ``batch`` has the same in the form that list views take.
public struct ListChange<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  /// The list as it is now.
  public let list: SectionedList<Model, Section>
  /// The list that was delivered before; nil for the first change of an observation.
  public let previous: SectionedList<Model, Section>?
  /// The difference of the lists: the sections and rows that came, went, moved or were updated.
  ///
  /// The first change inserts everything.
  public let steps: ListSteps
  /// The difference of the lists in two batches for a list view.
  public let batch: ListBatch
  /// The rows that both lists have.
  private let match: ListMatch

  init(
    _ list: SectionedList<Model, Section>, after previous: SectionedList<Model, Section>?,
    hasSections: Bool
  ) {
    self.list = list
    self.previous = previous
    match = ListMatch(
      previous?.rows, list.rows, by: KeyPositions(of: Model.self), ids: Model.keys)
    steps = ListSteps(
      from: previous?.outline ?? .empty(hasSections: hasSections), to: list.outline, match)
    batch = ListBatch(steps)
  }

  /// True for the first change of an observation.
  public var isFirst: Bool { previous == nil }

  /// The difference of the rows, without regard to sections.
  ///
  /// Applied to the rows of the list before, it gives the rows of the list after. A row that moved or was
  /// updated is a removal and an insertion that are associated with each other.
  public var difference: CollectionDifference<Model> {
    let remaining = match.runs.filter { !$0.isInserted }
    let stays = LongestRun.members(of: remaining.map { $0.old..<$0.old + $0.count })
    var changes: [CollectionDifference<Model>.Change] = []
    if let rows = previous?.rows {
      for row in match.deleted {
        changes.append(.remove(offset: row, element: rows[row], associatedWith: nil))
      }
      for (run, stays) in zip(remaining, stays) where !stays || run.isUpdated {
        for (from, row) in zip(run.old..., run.new..<run.new + run.count) {
          changes.append(.remove(offset: from, element: rows[from], associatedWith: row))
          changes.append(.insert(offset: row, element: list.rows[row], associatedWith: from))
        }
      }
    }
    for run in match.runs where run.isInserted {
      for row in run.new..<run.new + run.count {
        changes.append(.insert(offset: row, element: list.rows[row], associatedWith: nil))
      }
    }
    // The offsets are unique and associated in pairs. Were they not, all rows would be exchanged.
    return CollectionDifference(changes)
      ?? Array(list.rows).difference(from: previous.map { Array($0.rows) } ?? []) { _, _ in false }
  }

  /// Throws if the change breaks an invariant of ``ListInvariants``.
  func verify() throws {
    let hasSections = list.outline.sections.first?.values != []
    let old =
      previous?.layout
      ?? ListLayout(keys: [], digests: [], outline: .empty(hasSections: hasSections))
    if let fault = ListInvariants.fault(of: steps, from: old, to: list.layout) {
      throw StoreError(.engine, "a list change is wrong: \(fault)")
    }
  }
}
