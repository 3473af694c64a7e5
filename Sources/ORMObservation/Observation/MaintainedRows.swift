internal import ORM
internal import ORMCore

/// Whole rows of one entity in their order, as models or as keys.
final class MaintainedRows<Element: Sendable>: MaintainedResult {
  let entity: RecordedEntity
  private var rows: RowChunks<Element>
  /// Makes the element of a row of the model's entity.
  private let make: (BufferedRow) throws -> Element
  private let hasHiddenKeys: Bool
  /// The parts of a row that a list needs; nil for the rows of a query.
  private let details: ListDetails?
  private let condition: BoundCondition?
  private let order: [BoundSortTerm]
  private let limit: Int?
  /// The columns of the stored row that the model's row has; nil if it is that row.
  private let columns: [Int]?
  /// The columns of the stored row that the model sees.
  private let visible: [Int]
  /// The visible values of the rows that changed since the consumer's result, as they are there and
  /// as they are now.
  private var changes: [GroupKey: (base: [StoredValue]?, now: [StoredValue]?)] = [:]
  /// True if `changes` does not say how the result differs from the consumer's.
  private var isUncertain = false

  init(
    _ rows: RowChunks<Element>, _ details: ListDetails?, _ own: StoredEntity,
    _ make: @escaping (BufferedRow) throws -> Element, _ entity: RecordedEntity,
    _ schema: StoredSchema, _ condition: BoundCondition?, _ order: [BoundSortTerm], limit: Int?
  ) {
    self.rows = rows
    self.details = details
    self.make = make
    hasHiddenKeys = own.keySource == .hidden
    self.entity = entity
    self.condition = condition
    self.order = order
    self.limit = limit
    columns =
      own.parent == nil ? nil : schema.rooted(Array(own.columns.indices), of: own)
    visible = own.visibleColumns.map { [columns] in columns?[$0] ?? $0 }
  }

  var value: [Element] { rows.rows }

  /// The rows as parts of a list; those that no commit changed are the same as before.
  var chunks: [ListChunk<Element>] { rows.frozen() }

  func rebase() {
    changes = [:]
    isUncertain = false
  }

  var differsFromBase: Bool? {
    // Rows with hidden keys may replace one another.
    if isUncertain || hasHiddenKeys { return nil }
    return changes.values.contains { !Self.areIdentical($0.base, $0.now) }
  }

  func apply(_ changes: ObservedChanges) throws -> MaintainedStep {
    switch changes {
    case .none: return .same
    case .everything: return .lost
    case .rows(let rows):
      var step = MaintainedStep.same
      for row in rows {
        switch try apply(row) {
        case .same: break
        case .changed: step = .changed
        case .lost: return .lost
        }
      }
      return step
    }
  }

  private func apply(_ row: ObservedRow) throws -> MaintainedStep {
    let old = try row.old.flatMap { try matches($0) ? $0 : nil }
    let new = try row.new.flatMap { try matches($0) ? $0 : nil }
    if old == nil, new == nil { return .same }
    // A page that is full may be followed by more rows.
    let isFull = limit == rows.count
    let oldKeys = try old.map(sortKeys)
    let newKeys = try new.map(sortKeys)
    var location: RowLocation?
    if let oldKeys {
      let found = rows.location(of: oldKeys, order)
      if found != rows.end, rows.order(at: found, oldKeys, order) == 0 {
        location = found
      } else if !(isFull && found == rows.end) {
        return .lost
      }
    }
    guard let new, let newKeys else {
      guard let location, let old else { return .same }
      if isFull { return .lost }
      rows.remove(at: location)
      note(old: old, new: nil)
      return .changed
    }
    if let location, let old {
      let isSame = Self.areIdentical(visibleValues(old), visibleValues(new))
      if rows.order(at: location, newKeys, order) == 0 {
        rows.setKeys(newKeys, at: location)
        if isSame { return .same }
        rows.replace(try maintainedRow(new), at: location)
        note(old: old, new: new)
        return .changed
      }
      let row = try maintainedRow(new)
      rows.remove(at: location)
      let target = rows.location(of: newKeys, order)
      // Behind the end of a full page there may be rows that come before this one.
      if isFull, target == rows.end { return .lost }
      rows.insert(row, newKeys, at: target)
      note(old: old, new: new)
      if isSame { isUncertain = true }
      return .changed
    }
    let target = rows.location(of: newKeys, order)
    if isFull, target == rows.end { return .same }
    rows.insert(try maintainedRow(new), newKeys, at: target)
    note(old: nil, new: new)
    if isFull {
      rows.removeLast()
      isUncertain = true
    }
    return .changed
  }

  // MARK: - Rows

  private func matches(_ row: BufferedRow) throws -> Bool { try condition?.matches(row) ?? true }

  private func sortKeys(_ row: BufferedRow) throws -> [StoredValue] {
    try order.map { try $0.key(of: row) }
  }

  private func maintainedRow(_ row: BufferedRow) throws -> MaintainedRow<Element> {
    // The row as the model's entity has it.
    let own = columns.map { columns in BufferedRow(columns.map { row.values[$0] }) } ?? row
    return MaintainedRow(
      element: try make(own), digest: details?.digest(of: own),
      section: try details?.section?.evaluate(own))
  }

  private func visibleValues(_ row: BufferedRow) -> [StoredValue] {
    visible.map { row.values[$0] }
  }

  private func note(old: BufferedRow?, new: BufferedRow?) {
    guard let row = new ?? old else { return }
    let key = GroupKey(entity.entity.key.map { row.values[$0] })
    let now = new.map(visibleValues)
    if let known = changes[key] {
      changes[key] = (known.base, now)
    } else {
      changes[key] = (old.map(visibleValues), now)
    }
  }

  private static func areIdentical(_ a: [StoredValue]?, _ b: [StoredValue]?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    default: false
    }
  }
}
