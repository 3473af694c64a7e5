internal import ORMCore

/// What is known of the rows when a plan is chosen.
protocol PlanStatistics {
  /// How many rows the entity has.
  func rowCount() throws -> Double
  /// About how many keys or entries lie in ranges.
  func entryCount(_ ranges: [KeyRange], of index: IndexStorage?) throws -> Double
  /// What finding a list costs, how many values it will have, and how many rows the entity has that
  /// the rows lead to.
  func found(_ list: FoundValues) throws -> (cost: Double, values: Double, targets: Double)
}

/// Weighs plans against each other.
///
/// The unit is the cost of stepping over one row of a scan; the others are guesses beside it.
struct PlanCost {
  let entity: EntityStorage
  let bindings: [StoredValue]
  /// How many rows in order are enough.
  let needed: Double
  let statistics: any PlanStatistics

  private static let seek = 3.0
  private static let entry = 0.3
  private static let collect = 0.4
  private static let sort = 0.8
  private static let test = 0.15
  private static let relatedTest = 6.0

  /// What an access comes to.
  private struct Reading {
    /// The cost of all of it.
    var cost: Double
    /// How many rows it leaves.
    var rows: Double
    /// The part of the cost that comes before the first row.
    var first = 0.0
  }

  /// The cost of a plan, and about how many rows it finds.
  func estimate(_ plan: Plan, covers: Bool = false) throws -> (cost: Double, rows: Double) {
    var lists: [Int: (values: Double, targets: Double)] = [:]
    var before = 0.0
    for list in plan.lists {
      let found = try statistics.found(list)
      before += found.cost
      lists[list.slot] = (found.values, found.targets)
    }
    let total = try statistics.rowCount()
    var reading = try self.reading(plan, lists, total, covers)
    let (test, share) = self.test(plan.residual, lists)
    reading.cost += reading.rows * test
    let rows = reading.rows * share
    if plan.isEdge { return (2 * Self.seek, 1) }
    if !plan.isOrdered {
      reading.cost += rows * Self.sort
    } else if needed < rows {
      reading.cost = reading.first + (reading.cost - reading.first) * needed / rows
    }
    return (before + reading.cost, rows)
  }

  private func reading(
    _ plan: Plan, _ lists: [Int: (values: Double, targets: Double)], _ total: Double,
    _ covers: Bool
  ) throws -> Reading {
    switch plan.access {
    case .nothing: return Reading(cost: 0, rows: 0)
    case .one(let one):
      let (entries, ranges) = try entries(one, lists, total)
      let seeks = ranges * Self.seek
      if one.index == nil {
        let each = one.part.isKeys ? Self.seek : 1
        return Reading(cost: entries * each + (one.part.isKeys ? 0 : seeks), rows: entries)
      }
      let each = covers ? Self.entry : Self.entry + Self.seek
      return Reading(cost: entries * each + seeks, rows: entries)
    case .union(let parts, let joining):
      var reading = Reading(cost: 0, rows: 0)
      for part in parts {
        let (entries, ranges) = try entries(part, lists, total)
        reading.cost += ranges * Self.seek
        let isRow = part.index == nil && !part.part.isKeys
        switch joining {
        case .union: reading.cost += entries * (Self.collect + (isRow ? 1 : Self.entry))
        case .merge:
          reading.cost += entries * (Self.collect + (isRow ? 1 : Self.entry + Self.seek))
        case .ranges: reading.cost += entries * (isRow ? 1 : Self.entry + Self.seek)
        }
        reading.rows += entries
      }
      reading.rows = min(reading.rows, total)
      if joining == .union {
        reading.first = reading.cost
        reading.cost += reading.rows * Self.seek
      }
      return reading
    case .intersection(let parts):
      var reading = Reading(cost: 0, rows: total)
      for part in parts {
        let (entries, ranges) = try entries(part, lists, total)
        reading.cost += ranges * Self.seek + entries * (Self.collect + Self.entry)
        reading.rows *= total > 0 ? min(1, entries / total) : 0
      }
      reading.first = reading.cost
      reading.cost += reading.rows * Self.seek
      return reading
    }
  }

  /// How many entries an access leads to, in how many ranges.
  private func entries(
    _ access: Plan.KeyAccess, _ lists: [Int: (values: Double, targets: Double)], _ total: Double
  ) throws -> (entries: Double, ranges: Double) {
    if let slot = access.part.list(among: Set(lists.keys)), let list = lists[slot] {
      if access.index == nil { return (min(list.values, total), list.values) }
      let each = list.targets > 0 ? total / list.targets : 1
      return (min(list.values * max(each, 1), total), list.values)
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

  /// What testing a row costs, and which share of the rows passes.
  private func test(
    _ condition: Condition, _ lists: [Int: (values: Double, targets: Double)]
  ) -> (cost: Double, share: Double) {
    switch condition {
    case .constant: return (0, 1)
    case .all(let parts):
      var (cost, share) = (0.0, 1.0)
      for part in parts {
        let test = test(part, lists)
        cost += test.cost * share
        share *= test.share
      }
      return (cost, max(share, 0.0005))
    case .any(let parts):
      var (cost, share) = (0.0, 0.0)
      for part in parts {
        let test = test(part, lists)
        cost += test.cost * (1 - share)
        share = min(1, share + test.share)
      }
      return (cost, share)
    case .not(let inner):
      let test = test(inner, lists)
      return (test.cost, max(1 - test.share, 0.1))
    case .isIn(let element, .parameterList(let slot, _, _), _):
      guard let list = lists[slot] else {
        return (element.isRelated ? Self.relatedTest : Self.test, 0.2)
      }
      return (Self.test, list.targets > 0 ? min(1, list.values / list.targets) : 0)
    case .exists(let rows, _): return (Self.relatedTest * Double(rows.steps.count), 0.3)
    case .compare(let left, let comparator, let right, _):
      let isRelated = left.isRelated || right.isRelated
      return (
        isRelated ? Self.relatedTest : Self.test,
        comparator == .equal ? 0.1 : (comparator == .notEqual ? 0.9 : 0.3)
      )
    case .text(let text, _, _, _): return (text.isRelated ? Self.relatedTest : Self.test * 2, 0.2)
    default: return (Self.test * 2, 0.3)
    }
  }
}

extension Operand {
  /// Whether it is worked out of related rows.
  fileprivate var isRelated: Bool {
    switch self {
    case .relatedValue, .relatedAggregate: true
    default: false
    }
  }
}
