internal import ORMStorage

/// The statistics of the rows by which a plan is chosen.
protocol PlanStatistics {
  /// Returns the number of rows the entity has.
  func rowCount() throws -> Double
  /// Returns about how many keys or entries lie in ranges.
  func entryCount(_ ranges: [KeyRange], of index: IndexStorage?) throws -> Double
  /// Returns the cost of finding a list, the number of values it will have, and the number of
  /// `targets`.
  ///
  /// Targets are all rows of the entity to which the rows lead.
  func found(_ list: MaterializedList) throws -> (cost: Double, values: Double, targets: Double)
  /// Returns about how many rows of a step each row before it leads to, which is one of an entity.
  func fanOut(_ step: RelatedRows.Step, from entity: String) throws -> Double
}

/// Weighs plans against each other.
///
/// The unit is the cost of stepping over one row of a scan: 57 ns in memory and 77 ns on LMDB, for
/// 200,000 rows of nine columns in a release build (CPU time, the median of seven runs). The
/// comment of each constant has the cost of the step there, in memory and on LMDB.
struct PlanCost {
  let entity: EntityStorage
  let bindings: [StoredValue]
  /// The number of rows in order that are enough.
  let needed: Double
  /// The number of these rows that are skipped.
  var passed = 0.0
  let statistics: any PlanStatistics

  /// Going to the beginning of a range, its bytes made and sorted among others: 16 and 13.
  static let range = 14.0
  /// A key of a list, looked up: 7.0 and 7.3.
  private static let key = 7.0
  /// Stepping to an entry: 0.7 and 0.5.
  static let entry = 0.6
  /// Passing over an entry or a row together with others: 0.01 and 0.1.
  private static let pass = 0.05
  /// Adding up a value of an entry: 0.3 and 0.3.
  private static let addUp = 0.3
  /// Handing out an entry's values, 2.0 and 1.5, or testing them, 2.7 and 2.2.
  private static let read = 2.2
  /// Looking up the row that an entry leads to: 5.0 and 4.8.
  static let lookUp = 5.0
  /// The same, where rows come in the order of their keys: 3.3 and 3.1.
  private static let lookUpInOrder = 3.2
  /// Keeping a key, and bringing it into order with others: 1.4.
  private static let collect = 1.4
  /// Sorting a row among all, by a double and by a text: 5.3 and 7.8, 2.8 and 4.5.
  private static let sort = 5.0
  /// Finding that a row is not among the first: 1.2 and 0.9.
  private static let top = 1.0
  /// Testing a number of a row: 0.35 and 0.26.
  private static let test = 0.3
  /// Testing a text: 0.5 and 0.3.
  private static let textTest = 0.5
  /// Asking for a related row by its key: 6.9 and 5.6.
  private static let relatedTest = 6.5

  /// The cost of an access and the number of rows that it leaves.
  private struct Reading {
    /// The cost of all of it.
    var cost: Double
    /// The number of rows it leaves.
    var rows: Double
    /// The part of the cost that comes before the first row.
    var first = 0.0
    /// True if rows before a page cost next to nothing.
    var passes = false
  }

  /// The cost of a plan, and about how many rows it finds.
  func estimate(_ prepared: PreparedRequest) throws -> (cost: Double, rows: Double) {
    let plan = prepared.plan
    if plan.isExtreme { return (2 * Self.range, 1) }
    var lists: [Int: (values: Double, targets: Double)] = [:]
    var before = 0.0
    for list in plan.lists {
      let found = try statistics.found(list)
      before += found.cost
      lists[list.slot] = (found.values, found.targets)
    }
    var reading = try self.reading(prepared, lists, try statistics.rowCount())
    let rest = prepared.coverage?.rest ?? plan.residual
    let (test, share) = try self.test(rest, lists)
    reading.cost += reading.rows * test
    let rows = reading.rows * share
    if !plan.isOrdered {
      reading.cost += rows > needed ? rows * Self.top + needed * Self.sort : rows * Self.sort
    } else if needed < rows {
      let each = (reading.cost - reading.first) / rows
      let over = reading.passes && rest == .constant(true) ? min(passed, needed) : 0
      reading.cost = reading.first + each * (needed - over) + Self.pass * over
    }
    return (before + reading.cost, rows)
  }

  private func reading(
    _ prepared: PreparedRequest, _ lists: [Int: (values: Double, targets: Double)], _ total: Double
  ) throws -> Reading {
    let looksUp = prepared.readsRows
    switch prepared.plan.access {
    case .nothing: return Reading(cost: 0, rows: 0)
    case .one(let one):
      let (entries, ranges) = try entries(one, lists, total)
      let begun = ranges * Self.range
      if one.index == nil {
        if one.part.isKeys { return Reading(cost: entries * Self.key, rows: entries) }
        return Reading(
          cost: entries * (looksUp ? 1 : Self.pass) + begun, rows: entries, passes: true)
      }
      return try reading(of: entries, prepared, begun, lists)
    case .union(let parts, let joining):
      var reading = Reading(cost: 0, rows: 0)
      for part in parts {
        let (entries, ranges) = try entries(part, lists, total)
        reading.cost += ranges * Self.range
        let isRow = part.index == nil && !part.part.isKeys
        switch joining {
        case .union: reading.cost += entries * (Self.collect + Self.entry)
        case .merge:
          reading.cost += entries * (Self.collect + (isRow ? 1 : Self.entry + Self.lookUp))
        case .ranges: reading.cost += entries * (isRow ? 1 : Self.entry + Self.lookUp)
        }
        reading.rows += entries
      }
      reading.rows = min(reading.rows, total)
      if joining == .union {
        reading.first = reading.cost
        reading.passes = true
        if looksUp { reading.cost += reading.rows * Self.lookUpInOrder }
      }
      return reading
    case .intersection(let parts):
      var reading = Reading(cost: 0, rows: total)
      for part in parts {
        let (entries, ranges) = try entries(part, lists, total)
        reading.cost += ranges * Self.range + entries * (Self.collect + Self.entry)
        reading.rows *= total > 0 ? min(1, entries / total) : 0
      }
      reading.first = reading.cost
      reading.passes = true
      if looksUp { reading.cost += reading.rows * Self.lookUpInOrder }
      return reading
    }
  }

  /// Returns the cost of reading the entries of one index, and the number of rows that they leave.
  ///
  /// Entries that pass a test of entries are looked up, unless they hold all that is asked, or are
  /// only counted.
  private func reading(
    of entries: Double, _ prepared: PreparedRequest, _ begun: Double,
    _ lists: [Int: (values: Double, targets: Double)]
  ) throws -> Reading {
    guard let coverage = prepared.coverage, coverage.tested != .constant(true) else {
      let isWhole = prepared.coverage?.isWhole == true
      let each: Double =
        if prepared.readsRows {
          Self.entry + Self.lookUp
        } else if isWhole {
          Self.entry + (prepared.addsUp ? Self.addUp : Self.read)
        } else {
          Self.pass
        }
      return Reading(cost: entries * each + begun, rows: entries, passes: true)
    }
    let (test, share) = try self.test(coverage.tested, lists)
    let rows = entries * share
    return Reading(
      cost: begun + entries * (Self.entry + Self.read + test)
        + (prepared.readsRows ? rows * Self.lookUp : 0), rows: rows)
  }

  /// Returns the number of entries an access leads to, in how many ranges.
  ///
  /// An access that names lists cannot be bound before they are found: their sizes decide.
  private func entries(
    _ access: Plan.KeyAccess, _ lists: [Int: (values: Double, targets: Double)], _ total: Double
  ) throws -> (entries: Double, ranges: Double) {
    if let (values, rows) = access.part.listed(lists, of: total) {
      return (min(access.index == nil ? values : rows, total), values)
    }
    if access.part.isEverything { return (total, 1) }
    switch try access.bound(entity, bindings) {
    case .keys(let keys): return (Double(keys.count), Double(keys.count))
    case .rows(let ranges):
      return (try statistics.entryCount(ranges, of: nil), Double(ranges.count))
    case .index(let index, let ranges):
      return (try statistics.entryCount(ranges, of: index), Double(ranges.count))
    case .nothing, .union, .merged, .intersection: return (0, 1)
    }
  }

  /// Returns the cost of testing a row, and the share of the rows that passes.
  private func test(
    _ condition: Condition, _ lists: [Int: (values: Double, targets: Double)]
  ) throws -> (cost: Double, share: Double) {
    switch condition {
    case .constant: return (0, 1)
    case .all(let parts):
      var (cost, share) = (0.0, 1.0)
      for part in parts {
        let test = try test(part, lists)
        cost += test.cost * share
        share *= test.share
      }
      return (cost, max(share, 0.0005))
    case .any(let parts):
      var (cost, share) = (0.0, 0.0)
      for part in parts {
        let test = try test(part, lists)
        cost += test.cost * (1 - share)
        share = min(1, share + test.share)
      }
      return (cost, share)
    case .not(let inner):
      let test = try test(inner, lists)
      return (test.cost, max(1 - test.share, 0.1))
    case .isIn(let element, .parameterList(let slot, _, _), _):
      guard let list = lists[slot] else {
        return (try asking(element) ?? Self.test, 0.2)
      }
      return (Self.test, list.targets > 0 ? min(1, list.values / list.targets) : 0)
    case .exists(let rows, let inner):
      // The first of all will do, as will the one of a given key; of those that satisfy another
      // condition, most rows have none.
      let isFirstEnough = inner == .constant(true) || rows.isPinned(by: inner)
      return (try asking(for: rows, isFirstEnough: isFirstEnough), 0.3)
    case .compare(let left, let comparator, let right, _):
      let costs = try [left, right].compactMap(asking)
      return (
        costs.isEmpty ? Self.test : costs.reduce(0, +),
        comparator == .equal ? 0.1 : (comparator == .notEqual ? 0.9 : 0.3)
      )
    case .text(let text, _, _, _): return (try asking(text) ?? Self.textTest, 0.2)
    default: return (Self.textTest, 0.3)
    }
  }

  /// The cost of an operand that is worked out of related rows; nil for any other.
  private func asking(_ operand: Operand) throws -> Double? {
    try operand.relatedRows.map { try asking(for: $0, isFirstEnough: false) }
  }

  /// The cost of a request for the related rows of one row.
  private func asking(for rows: RelatedRows, isFirstEnough: Bool) throws -> Double {
    var (cost, count, before) = (0.0, 1.0, entity.declared.name)
    for step in rows.steps {
      cost += count * Self.relatedTest
      var each = try statistics.fanOut(step, from: before)
      if isFirstEnough { each = min(each, 1) }
      count *= each
      if each > 1 { cost += count * (Self.entry + Self.lookUp) }
      before = step.entity
    }
    return cost
  }
}
