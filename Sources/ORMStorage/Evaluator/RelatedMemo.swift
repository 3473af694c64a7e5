internal import ORMValues

/// The values found for links, so that rows with the same target ask for it once.
///
/// It serves one snapshot, and forgets everything once it is full. Conditions and orders that follow the
/// same path share one (``RelatedMemoPool``): each looks a link up, and sets its value, before another
/// does.
package final class RelatedMemo {
  private var keys = KeyTable()
  private var values: [StoredValue] = []

  /// The most cached values: about 3 MiB of them.
  private static let capacity = 1 << 16

  /// The index of a link's value, and whether that value is still to be set.
  func index(of key: StoredValue) -> (index: Int, isNew: Bool) {
    if values.count >= Self.capacity { removeAll() }
    let next = values.count
    let index = keys.position(of: key, next: next)
    if index < next { return (index, false) }
    values.append(.null)
    return (next, true)
  }

  /// Forgets everything, as after an error between a look-up and the value.
  func removeAll() {
    keys = KeyTable()
    values = []
  }

  subscript(index: Int) -> StoredValue {
    get { values[index] }
    set { values[index] = newValue }
  }
}

/// The path by which the value for a link is found.
package struct RelatedMemoKey: Hashable, Sendable {
  fileprivate let steps: [Step]

  /// A step's request, and the columns before it that its parameters come from.
  fileprivate struct Step: Hashable {
    let shape: FetchShape
    let links: [Origin]
  }

  /// A column of the row around, which is before step 0, or of a step's rows.
  fileprivate struct Origin: Hashable {
    let step: Int
    let column: Int
  }

  /// The key of the steps to a value; nil unless that depends on one link of the row around alone.
  init?(_ plan: [RelatedPlan.Step], captures: [RelatedPlan.Capture]) {
    guard captures.count == 1 else { return nil }
    // Any column of the row around will do: the value depends on the content of the column alone.
    var origins = [captures[0].slot: Origin(step: -1, column: 0)]
    var steps: [Step] = []
    for (number, step) in plan.enumerated() {
      var links: [Origin] = []
      for value in step.values {
        guard case .captured(let slot) = value, let origin = origins[slot] else { return nil }
        links.append(origin)
      }
      steps.append(Step(shape: step.shape, links: links))
      for capture in step.captures {
        origins[capture.slot] = Origin(step: number, column: capture.column)
      }
    }
    self.steps = steps
  }
}

/// The memos of a snapshot that are in use, by their paths.
package struct RelatedMemoPool {
  private var memos: [RelatedMemoKey: Reference] = [:]

  private struct Reference {
    weak var memo: RelatedMemo?
  }

  /// The number of memos above which unused ones are forgotten.
  private static let mostMemos = 16

  /// Makes a pool of no memos.
  package init() {}

  /// True if there are no memos.
  package var isEmpty: Bool { memos.isEmpty }

  /// Returns the memo of a path, which is cached while it is in use.
  package mutating func memo(of key: RelatedMemoKey) -> RelatedMemo {
    if let known = memos[key]?.memo { return known }
    if memos.count >= Self.mostMemos { memos = memos.filter { $0.value.memo != nil } }
    let memo = RelatedMemo()
    memos[key] = Reference(memo: memo)
    return memo
  }
}
