internal import ORM
internal import ORMObservation

/// A refusal of a list view, as `UITableView` raises an exception for it.
struct ListRefusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A section that a list view shows.
struct ShownSection<Value: Equatable, Row: Equatable>: Equatable {
  var value: Value
  var rows: [Row]
}

/// A list view, which keeps its rows and takes batch updates by the rules of `UITableView`.
///
/// It knows of its data source the number of rows of each section, and the rows that it is made to show
/// anew. Rows that stay or move are shown as before.
struct ShownList<Value: Equatable, Row: Equatable>: Equatable {
  typealias Section = ShownSection<Value, Row>

  var sections: [Section]

  /// Updates of one batch.
  struct Updates {
    var deletedSections: [Int] = []
    var insertedSections: [Int] = []
    var movedSections: [ListMove<Int>] = []
    var deletedRows: [ListPosition] = []
    var insertedRows: [ListPosition] = []
    var movedRows: [ListMove<ListPosition>] = []
    var reloadedRows: [ListPosition] = []
    /// True if rows of deleted and inserted sections are named one by one, which views refuse.
    var namesAll = false
  }

  /// Performs both batches of a list change.
  mutating func perform(_ batch: ListBatch, showing source: [Section]) throws {
    try perform(
      Updates(
        deletedSections: batch.deletedSections, insertedSections: batch.insertedSections,
        movedSections: batch.movedSections, deletedRows: batch.deletedRows,
        insertedRows: batch.insertedRows, movedRows: batch.movedRows,
        reloadedRows: batch.updatedRows), showing: source)
    if !batch.updatedAfterwards.isEmpty {
      try perform(Updates(reloadedRows: batch.updatedAfterwards), showing: source)
    }
  }

  /// Performs the steps of a list change, and shows the updated rows anew.
  mutating func perform(_ steps: ListSteps, showing source: [Section]) throws {
    try perform(
      Updates(
        deletedSections: steps.deletedSections, insertedSections: steps.insertedSections,
        movedSections: steps.movedSections, deletedRows: steps.deletedRows,
        insertedRows: steps.insertedRows, movedRows: steps.movedRows, namesAll: true),
      showing: source)
    for update in steps.updatedRows {
      let row = source[update.to.section].rows[update.to.row]
      if sections[update.to.section].rows[update.to.row] == row {
        throw ListRefusal("\(update) is an update, and its row is as before")
      }
      sections[update.to.section].rows[update.to.row] = row
    }
  }

  mutating func perform(_ updates: Updates, showing source: [Section]) throws {
    try check(updates, source)
    let moved = updates.movedRows.map { sections[$0.from.section].rows[$0.from.row] }
    // A row that is shown anew is one that is deleted and inserted where it ends up.
    var rows: [[Row?]] = sections.map { $0.rows.map { $0 } }
    for position in updates.reloadedRows { rows[position.section][position.row] = nil }
    let leaving = updates.deletedRows + updates.movedRows.map(\.from)
    for position in leaving.sorted(by: >) { rows[position.section].remove(at: position.row) }
    var result: [(value: Value?, rows: [Row?])] = zip(sections, rows).map { ($0.value, $1) }
    let movedSections = updates.movedSections.map { ($0.to, result[$0.from]) }
    let left = updates.deletedSections + updates.movedSections.map(\.from)
    for section in left.sorted(by: >) { result.remove(at: section) }
    // Insertions and targets of moves, in the order of their positions after.
    let inserted = updates.insertedSections.map { ($0, (value: Value?.none, rows: [Row?]())) }
    for (section, content) in (inserted + movedSections).sorted(by: { $0.0 < $1.0 }) {
      guard section <= result.count else { throw ListRefusal("section \(section) is too far") }
      result.insert(content, at: section)
    }
    guard result.count == source.count else {
      throw ListRefusal("invalid number of sections: \(result.count), not \(source.count)")
    }
    let entering =
      updates.insertedRows.map { ($0, Row?.none) }
      + zip(updates.movedRows, moved).map { ($0.to, .some($1)) }
    for (position, row) in entering.sorted(by: { $0.0 < $1.0 }) {
      guard position.row <= result[position.section].rows.count else {
        throw ListRefusal("row \(position) is too far")
      }
      result[position.section].rows.insert(row, at: position.row)
    }
    let isNew = Set(updates.insertedSections)
    sections = try zip(result, source).enumerated().map { number, pair in
      let (shown, source) = pair
      if isNew.contains(number), !updates.namesAll { return source }
      guard shown.rows.count == source.rows.count else {
        throw ListRefusal(
          "invalid number of rows in section \(number): \(shown.rows.count), "
            + "not \(source.rows.count)")
      }
      return Section(
        value: shown.value ?? source.value,
        rows: zip(shown.rows, source.rows).map { $0 ?? $1 })
    }
  }

  private func check(_ updates: Updates, _ source: [Section]) throws {
    func check<Position: Hashable>(_ positions: [Position], _ subject: String) throws {
      guard Set(positions).count == positions.count else {
        throw ListRefusal("\(subject) twice in \(positions)")
      }
    }
    func check(
      _ positions: [ListPosition], in sections: [Section], outside: [Int], _ subject: String
    ) throws {
      let outside = Set(outside)
      for position in positions {
        guard sections.indices.contains(position.section),
          sections[position.section].rows.indices.contains(position.row)
        else { throw ListRefusal("\(subject) \(position), which does not exist") }
        if !updates.namesAll, outside.contains(position.section) {
          throw ListRefusal("\(subject) \(position), whose section comes or goes")
        }
      }
    }
    let left = updates.deletedSections + updates.movedSections.map(\.from)
    let entered = updates.insertedSections + updates.movedSections.map(\.to)
    guard left.allSatisfy(sections.indices.contains), entered.allSatisfy(source.indices.contains)
    else { throw ListRefusal("a section that does not exist") }
    try check(left, "a section is deleted or moved")
    try check(entered, "a section is inserted or moved")
    let leaving = updates.deletedRows + updates.movedRows.map(\.from)
    let entering = updates.insertedRows + updates.movedRows.map(\.to)
    try check(leaving + updates.reloadedRows, "a row is deleted, moved or reloaded")
    try check(entering, "a row is inserted or moved")
    try check(
      leaving + updates.reloadedRows, in: sections, outside: updates.deletedSections, "left")
    try check(entering, in: source, outside: updates.insertedSections, "entered")
    // Views do not take changes of the rows of a section that moves.
    try check(
      updates.namesAll ? [] : leaving + updates.reloadedRows, in: sections,
      outside: updates.movedSections.map(\.from), "left a moved section:")
    try check(
      updates.namesAll ? [] : entering, in: source, outside: updates.movedSections.map(\.to),
      "entered a moved section:")
  }
}

extension ShownList {
  /// Performs a change both ways, and throws unless each shows the list after.
  ///
  /// - Parameter value: the value of a section, which is nothing in a list without sections.
  static func check<Section: Sendable>(
    _ change: ListChange<Row, Section>, after shown: ShownList?, value: (Section) -> Value
  ) throws -> ShownList where Row: PrimaryKeyed {
    let source = ShownList(
      sections: change.list.sections.map {
        ShownSection(value: value($0.value), rows: Array(change.list[section: $0]))
      })
    var before = shown ?? ShownList(sections: [])
    if shown == nil, Section.self == Void.self {
      // A list without sections has one from the start.
      before.sections = source.sections.map { ShownSection(value: $0.value, rows: []) }
    }
    var steps = before
    try steps.perform(change.steps, showing: source.sections)
    guard steps == source else { throw ListRefusal("the steps lead to \(steps)") }
    var batch = before
    try batch.perform(change.batch, showing: source.sections)
    guard batch == source else { throw ListRefusal("the batch leads to \(batch)") }
    let rows = before.sections.flatMap(\.rows)
    guard rows.applying(change.difference) == source.sections.flatMap(\.rows) else {
      throw ListRefusal("the difference leads to other rows")
    }
    for (section, shown) in source.sections.enumerated() {
      for (row, model) in shown.rows.enumerated() {
        let position = ListPosition(section: section, row: row)
        guard change.list.position(of: model.id) == position, change.list[position] == model else {
          throw ListRefusal("\(model.id) has another position than \(position)")
        }
      }
    }
    return source
  }
}

/// A list under observation, and a list view that shows it.
final class WatchedList<Model: PrimaryKeyed & Equatable, Section: Sendable, Value: Equatable> {
  let seen: FollowedList<Model, Section>
  private let value: (Section) -> Value
  private(set) var shown: ShownList<Value, Model>?

  init(_ list: ListObservation<Model, Section>, _ value: @escaping (Section) -> Value) throws {
    seen = try list.follow()
    self.value = value
  }

  /// Shows the changes since the last call, and returns them.
  func take() throws -> [ListChange<Model, Section>] {
    let changes = try seen.take()
    for change in changes { shown = try .check(change, after: shown, value: value) }
    return changes
  }

  /// The keys of the rows that are shown, by section.
  var keys: [[Model.ID]] { shown?.sections.map { $0.rows.map(\.id) } ?? [] }

  /// The values of the sections that are shown.
  var values: [Value] { shown?.sections.map(\.value) ?? [] }
}
