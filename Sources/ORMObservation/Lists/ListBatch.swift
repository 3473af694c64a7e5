/// The difference of two lists in the form that list views take: two batches of updates, one after the
/// other.
///
/// The first batch has everything but ``updatedAfterwards``. In it, deletions, updates and the origins
/// of moves count positions of the list before; insertions and the targets of moves count those of the
/// list after. No position is named twice. The rows of deleted sections go with them, and the rows of
/// inserted sections come with them, so neither are listed: a row that leaves a deleted section for
/// another is an insertion, and a row that enters an inserted one is a deletion. A section that moves
/// and whose rows are others than before is deleted and inserted.
///
/// The second batch updates rows that moved in the first, which list views refuse in one batch.
public struct ListBatch: Hashable, Sendable, Codable {
  /// The sections to delete, by their positions before.
  public var deletedSections: [Int] = []
  /// The sections to insert, by their positions after.
  public var insertedSections: [Int] = []
  /// The sections to move.
  public var movedSections: [ListMove<Int>] = []
  /// The rows to delete, by their positions before.
  public var deletedRows: [ListPosition] = []
  /// The rows to insert, by their positions after.
  public var insertedRows: [ListPosition] = []
  /// The rows to move.
  public var movedRows: [ListMove<ListPosition>] = []
  /// The rows to show anew, by their positions before.
  public var updatedRows: [ListPosition] = []
  /// The rows to show anew in a batch of their own afterwards, by their positions after.
  public var updatedAfterwards: [ListPosition] = []

  /// Makes an empty batch.
  public init() {}

  /// True if there is nothing to update.
  public var isEmpty: Bool { self == ListBatch() }

  /// Makes the batch of a difference.
  package init(_ steps: ListSteps) {
    self.init(steps, replacing: Self.replacedSections(in: steps))
  }

  /// Returns the moved sections whose rows are others than before, or are in another order.
  private static func replacedSections(in steps: ListSteps) -> [ListMove<Int>] {
    if steps.movedSections.isEmpty { return [] }
    var left: Set<Int> = []
    var entered: Set<Int> = []
    for row in steps.deletedRows { left.insert(row.section) }
    for row in steps.insertedRows { entered.insert(row.section) }
    for move in steps.movedRows {
      left.insert(move.from.section)
      entered.insert(move.to.section)
    }
    return steps.movedSections.filter { left.contains($0.from) || entered.contains($0.to) }
  }

  private init(_ steps: ListSteps, replacing replaced: [ListMove<Int>]) {
    deletedSections = steps.deletedSections
    insertedSections = steps.insertedSections
    movedSections = steps.movedSections
    if !replaced.isEmpty {
      deletedSections = (deletedSections + replaced.map(\.from)).sorted()
      insertedSections = (insertedSections + replaced.map(\.to)).sorted()
      movedSections.removeAll(where: Set(replaced).contains)
    }
    let deleted = Set(deletedSections)
    let fresh = Set(insertedSections)
    deletedRows = steps.deletedRows.filter { !deleted.contains($0.section) }
    insertedRows = steps.insertedRows.filter { !fresh.contains($0.section) }
    var leaving: [ListPosition] = []
    var entering: [ListPosition] = []
    for move in steps.movedRows {
      switch (deleted.contains(move.from.section), fresh.contains(move.to.section)) {
      case (false, false): movedRows.append(move)
      case (true, false): entering.append(move.to)
      case (false, true): leaving.append(move.from)
      case (true, true): break
      }
    }
    if !leaving.isEmpty { deletedRows = (deletedRows + leaving).sorted() }
    if !entering.isEmpty { insertedRows = (insertedRows + entering).sorted() }
    if steps.updatedRows.isEmpty { return }
    let moved = Set(movedRows.map(\.to))
    let movedSections = Set(movedSections.map(\.to))
    for update in steps.updatedRows
    where !deleted.contains(update.from.section) && !fresh.contains(update.to.section) {
      if moved.contains(update.to) || movedSections.contains(update.to.section) {
        updatedAfterwards.append(update.to)
      } else {
        updatedRows.append(update.from)
      }
    }
    updatedRows.sort()
  }
}
