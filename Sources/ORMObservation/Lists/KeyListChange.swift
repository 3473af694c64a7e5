public import ORMCore

/// A list of keys after a commit, or after its window moved, and the changes that lead to it from the
/// list that was delivered before.
public struct KeyListChange<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  /// The list as it is now.
  public let list: KeyList<Model, Section>
  /// The list that was delivered before; nil for the first change of an observation.
  public let previous: KeyList<Model, Section>?
  /// The difference of the lists: the sections and rows that came, went, moved or were updated.
  ///
  /// The first change inserts everything. Rows of the window alone are updated: those with other
  /// content, and those that came into it.
  public let steps: ListSteps
  /// The difference of the lists in two batches for a list view.
  public let batch: ListBatch

  /// True for the first change of an observation.
  public var isFirst: Bool { previous == nil }

  /// Throws if the change breaks an invariant of ``ListInvariants``.
  func verify(hasSections: Bool) throws {
    var moves = steps
    // Contents of rows outside of the window are not known.
    moves.updatedRows = []
    let old =
      previous?.layout
      ?? ListLayout(keys: [], digests: [], outline: .empty(hasSections: hasSections))
    if let fault = ListInvariants.fault(of: moves, from: old, to: list.layout) {
      throw StoreError(.engine, "a list change is wrong: \(fault)")
    }
  }
}

/// The next list of an observation, of which rows are still to be fetched.
struct KeyListStep<Model: PrimaryKeyed, Section: Sendable> {
  private let keys: ListRows<Model.ID>
  private let parts: ListSections<Section>
  private let previous: KeyList<Model, Section>?
  private let match: ListMatch
  private let window: Range<Int>
  private let location: ListWindow
  /// The position before of each row of the window; -1 for a new one.
  private var origins: [Int]
  private var rows: [WindowRow<Model>?]
  /// The keys of the rows that have to be fetched.
  private(set) var missing: [Model.ID] = []

  /// Compares the list with the one that was delivered before.
  init(
    _ keys: ListRows<Model.ID>, after previous: KeyList<Model, Section>?,
    by sectioning: ListSectioning<Section>, _ location: ListWindow
  ) throws {
    self.keys = keys
    self.previous = previous
    self.location = location
    parts = try ListSections(keys, by: sectioning, after: previous?.parts)
    let match = ListMatch(previous?.keys, keys, by: KeyPositions(of: Model.self)) { $0 }
    let window = location.rows(
      from: previous.map { Self.start(of: $0.window, match) } ?? 0, of: keys.count)
    self.match = match
    self.window = window
    origins = Array(repeating: -1, count: window.count)
    rows = Array(repeating: nil, count: window.count)
    var held: [Bool] = Array(repeating: false, count: window.count)
    for run in match.runs where !run.isInserted {
      for row in (run.new..<run.new + run.count).clamped(to: window) {
        let offset = row - window.lowerBound
        origins[offset] = run.old + row - run.new
        if !run.isUpdated, let known = previous?.held(origins[offset]) {
          rows[offset] = known
          held[offset] = true
        }
      }
    }
    for (offset, row) in window.enumerated() where !held[offset] { missing.append(keys[row]) }
  }

  /// The position after at which the window begins, so that most of its rows stay in it.
  private static func start(of window: Range<Int>, _ match: ListMatch) -> Int {
    var most = 0
    var start = window.lowerBound
    for run in match.runs where !run.isInserted {
      let common = (run.old..<run.old + run.count).clamped(to: window)
      if common.count > most {
        most = common.count
        start = window.lowerBound + run.new - run.old
      }
    }
    return start
  }

  /// Adds rows that were fetched, if they are as the list has them.
  ///
  /// - Returns: true if all rows of the window are there.
  mutating func add(_ found: WindowRows<Model>) -> Bool {
    let digests = window.isEmpty ? [] : keys.digests(in: window)
    for (offset, row) in window.enumerated() where rows[offset] == nil {
      // Another digest is that of a later commit.
      guard let fetched = found[keys[row]], fetched.digest == digests[offset] else { continue }
      rows[offset] = fetched
    }
    missing = window.enumerated().compactMap { rows[$0] == nil ? keys[$1] : nil }
    return missing.isEmpty
  }

  /// The change that leads to the list.
  func change(hasSections: Bool) -> KeyListChange<Model, Section> {
    let list = KeyList(keys, parts, window, rows, location)
    var steps = ListSteps(
      from: previous?.parts.outline ?? .empty(hasSections: hasSections), to: parts.outline, match)
    steps.updatedRows = updates
    return KeyListChange(
      list: list, previous: previous, steps: steps, batch: ListBatch(steps))
  }

  /// The rows of the window that show something else than before.
  private var updates: [ListMove<ListPosition>] {
    guard let previous else { return [] }
    return window.enumerated().compactMap { offset, row in
      guard origins[offset] >= 0, rows[offset]?.digest != previous.held(origins[offset])?.digest
      else {
        return nil
      }
      return ListMove(
        from: previous.parts.outline.position(of: origins[offset]),
        to: parts.outline.position(of: row))
    }
  }
}

extension ListRows {
  /// The digests of some rows.
  fileprivate func digests(in rows: Range<Int>) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(rows.count)
    for (chunk, start) in zip(chunks, starts) {
      let part = (start..<start + chunk.rows.count).clamped(to: rows)
      if !part.isEmpty { found += chunk.digests[part.lowerBound - start..<part.upperBound - start] }
    }
    return found
  }
}
