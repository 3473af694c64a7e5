public import ORMCore

/// A list after a commit, and the way to it from the list that was delivered before.
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

  init(
    _ list: SectionedList<Model, Section>, after previous: SectionedList<Model, Section>?,
    hasSections: Bool
  ) {
    self.list = list
    self.previous = previous
    steps = ListSteps(
      from: previous?.layout ?? .empty(hasSections: hasSections), to: list.layout)
    batch = ListBatch(steps)
  }

  /// True for the first change of an observation.
  public var isFirst: Bool { previous == nil }

  /// The difference of the rows, without regard to sections.
  ///
  /// Applied to the rows of the list before, it gives the rows of the list after. A row that moved or was
  /// updated is a removal and an insertion that are associated with each other.
  public var difference: CollectionDifference<Model> {
    let old = previous?.layout ?? .empty(hasSections: false)
    let match = ListMatch(old, list.layout)
    let kept = match.origins.indices.filter { match.origins[$0] >= 0 }
    let stays = LongestRun.members(of: kept.map { match.origins[$0] })
    var changes: [CollectionDifference<Model>.Change] = []
    if let rows = previous?.rows {
      for row in old.keys.indices where !match.isKept[row] {
        changes.append(.remove(offset: row, element: rows[row], associatedWith: nil))
      }
      for (row, stays) in zip(kept, stays) {
        let from = match.origins[row]
        if stays, old.digests[from] == list.layout.digests[row] { continue }
        changes.append(.remove(offset: from, element: rows[from], associatedWith: row))
        changes.append(.insert(offset: row, element: list.rows[row], associatedWith: from))
      }
    }
    for row in list.rows.indices where match.origins[row] < 0 {
      changes.append(.insert(offset: row, element: list.rows[row], associatedWith: nil))
    }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("the offsets of a list's difference are unique and associated in pairs")
    }
    return difference
  }

  /// Throws if the change breaks an invariant of ``ListInvariants``.
  func verify() throws {
    let old = previous?.layout ?? .empty(hasSections: list.layout.sections.first?.values != [])
    if let fault = ListInvariants.fault(of: steps, from: old, to: list.layout) {
      throw StoreError(.engine, "a list change is wrong: \(fault)")
    }
  }
}

extension ListLayout {
  /// The layout before the first list.
  fileprivate static func empty(hasSections: Bool) -> ListLayout {
    hasSections
      ? ListLayout(keys: [], digests: [], sections: [], starts: [0])
      : ListLayout(keys: [], digests: [], sections: [GroupKey([])], starts: [0, 0])
  }
}
