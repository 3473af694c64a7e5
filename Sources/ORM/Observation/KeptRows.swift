internal import ORMCore

/// One change of kept rows, by the position in the rows before it.
enum KeptEdit {
  case inserted(BufferedRow, at: Int)
  case replaced(BufferedRow, at: Int)
  case removed(at: Int)
}

/// Whole rows of one entity, as models in their order.
final class KeptRows<Model: Persistable>: MaintainedResult {
  let entity: RecordedEntity
  private(set) var value: [Model]
  private let plan: ModelPlan<Model>
  /// The sort keys of the rows, one row after another.
  private var keys: [StoredValue]
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
  /// The edits since they were taken last; nil if nobody takes them.
  var edits: [KeptEdit]?

  init(
    _ value: [Model], keys: [StoredValue], _ plan: ModelPlan<Model>, _ entity: RecordedEntity,
    _ schema: StoredSchema, _ condition: BoundCondition?, _ order: [BoundSortTerm], limit: Int?
  ) {
    self.value = value
    self.keys = keys
    self.plan = plan
    self.entity = entity
    self.condition = condition
    self.order = order
    self.limit = limit
    let own = plan.entity
    columns =
      own.parent == nil ? nil : schema.rooted(Array(own.columns.indices), of: own)
    visible = own.visibleColumns.map { [columns] in columns?[$0] ?? $0 }
  }

  func rebase() {
    changes = [:]
    isUncertain = false
  }

  var differsFromBase: Bool? {
    // Rows with hidden keys may take the place of one another.
    if isUncertain || plan.keySource == .hidden { return nil }
    return changes.values.contains { !Self.areIdentical($0.base, $0.now) }
  }

  func apply(_ changes: ObservedChanges) throws -> KeptStep {
    switch changes {
    case .none: return .same
    case .everything: return .lost
    case .rows(let rows):
      var step = KeptStep.same
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

  private func apply(_ row: ObservedRow) throws -> KeptStep {
    let old = try row.old.flatMap { try matches($0) ? $0 : nil }
    let new = try row.new.flatMap { try matches($0) ? $0 : nil }
    if old == nil, new == nil { return .same }
    // A page that is full may be followed by more rows.
    let isFull = limit == value.count
    let oldKeys = try old.map(sortKeys)
    let newKeys = try new.map(sortKeys)
    var place: Int?
    if let oldKeys {
      let found = position(of: oldKeys)
      if found < value.count, order(at: found, oldKeys) == 0 {
        place = found
      } else if !(isFull && found == value.count) {
        return .lost
      }
    }
    guard let new, let newKeys else {
      guard let place, let old else { return .same }
      if isFull { return .lost }
      remove(at: place)
      note(old: old, new: nil)
      return .changed
    }
    if let place, let old {
      let isSame = Self.areIdentical(visibleValues(old), visibleValues(new))
      if order(at: place, newKeys) == 0 {
        keys.replaceSubrange(place * order.count..<(place + 1) * order.count, with: newKeys)
        if isSame { return .same }
        value[place] = try model(new)
        edits?.append(.replaced(new, at: place))
        note(old: old, new: new)
        return .changed
      }
      let model = try model(new)
      remove(at: place)
      let target = position(of: newKeys)
      // Behind the end of a full page there may be rows that come before this one.
      if isFull, target == value.count { return .lost }
      insert(model, new, newKeys, at: target)
      note(old: old, new: new)
      if isSame { isUncertain = true }
      return .changed
    }
    let target = position(of: newKeys)
    if isFull, target == value.count { return .same }
    insert(try model(new), new, newKeys, at: target)
    note(old: nil, new: new)
    if isFull {
      remove(at: value.count - 1)
      isUncertain = true
    }
    return .changed
  }

  // MARK: - Rows

  private func matches(_ row: BufferedRow) throws -> Bool { try condition?.matches(row) ?? true }

  private func sortKeys(_ row: BufferedRow) throws -> [StoredValue] {
    try order.map { try $0.key(of: row) }
  }

  private func model(_ row: BufferedRow) throws -> Model {
    var collector = ModelCollector<Model>(plan)
    _ = try collector.visit(ownRow(row))
    return collector.rows[0]
  }

  /// The row as the model's entity has it.
  func ownRow(_ row: BufferedRow) -> BufferedRow {
    columns.map { columns in BufferedRow(columns.map { row.values[$0] }) } ?? row
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

  // MARK: - Places

  private func remove(at place: Int) {
    value.remove(at: place)
    edits?.append(.removed(at: place))
    keys.removeSubrange(place * order.count..<(place + 1) * order.count)
  }

  private func insert(
    _ model: Model, _ row: BufferedRow, _ sortKeys: [StoredValue], at place: Int
  ) {
    value.insert(model, at: place)
    edits?.append(.inserted(row, at: place))
    keys.insert(contentsOf: sortKeys, at: place * order.count)
  }

  /// The first place whose row does not come before the keys.
  private func position(of sortKeys: [StoredValue]) -> Int {
    var range = 0..<value.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if order(at: middle, sortKeys) < 0 {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  /// The sign of the order of the row at a place and of some keys.
  private func order(at place: Int, _ sortKeys: [StoredValue]) -> Int {
    for (number, term) in order.enumerated() {
      let sign = term.order(keys[place * order.count + number], sortKeys[number])
      if sign != 0 { return sign }
    }
    return 0
  }
}
