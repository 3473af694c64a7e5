internal import ORMStorage

/// The statistics of an entity's rows by which a view chooses a plan: their number, and about how
/// many lie in a range.
struct ViewStatistics: PlanStatistics {
  let view: StoreView
  let entity: EntityStorage
  let bindings: [StoredValue]

  /// The most ranges that are counted; the others are taken to be like them.
  private static let mostRanges = 8
  /// The most entries that are counted one by one, where the map has no estimate.
  private static let mostSteps = RowThreshold.estimatedEntries.rows

  func rowCount() throws -> Double {
    guard let keyspace = entity.keyspace else { return 0 }
    return Double(try view.snapshot.count(of: keyspace))
  }

  func entryCount(_ ranges: [KeyRange], of index: IndexStorage?) throws -> Double {
    guard let keyspace = index?.keyspace ?? entity.keyspace else { return 0 }
    let overflowKeys = index?.overflowKeys ?? entity.overflowKeys
    let looked = ranges.prefix(Self.mostRanges)
    var sum = 0.0
    for range in looked { sum += try count(range, in: keyspace, overflowKeys) }
    return looked.isEmpty ? 0 : sum * Double(ranges.count) / Double(looked.count)
  }

  private func count(_ range: KeyRange, in keyspace: Keyspace, _ overflowKeys: OverflowKeys) throws
    -> Double
  {
    let estimate = try range.lower.withUnsafeBytes { lower in
      guard let upper = range.upper else {
        return try view.snapshot.estimatedCount(of: keyspace, from: lower, to: nil)
      }
      return try upper.withUnsafeBytes {
        try view.snapshot.estimatedCount(of: keyspace, from: lower, to: $0)
      }
    }
    if let estimate { return Double(estimate) }
    let cursor = KeyCursor(try view.snapshot.cursor(in: keyspace), overflowKeys)
    var stands = try range.lower.withUnsafeBytes { try cursor.seek($0) }
    var steps = 0
    while stands, steps < Self.mostSteps {
      if let upper = range.upper,
        upper.withUnsafeBytes({ ByteOrder.compare(cursor.key, $0) }) != .less
      {
        return Double(steps)
      }
      steps += 1
      stands = try cursor.next()
    }
    if !stands { return Double(steps) }
    return max(Double(2 * steps), try share(of: range, in: cursor) * rowCount())
  }

  /// Returns the share of a keyspace that lies in a range, as if keys were spread evenly between its ends.
  private func share(of range: KeyRange, in cursor: KeyCursor) throws -> Double {
    guard try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0)) else { return 0 }
    let first = Array(cursor.key)
    guard try cursor.seekLast() else { return 0 }
    let last = Array(cursor.key)
    var common = 0
    while common < min(first.count, last.count), first[common] == last[common] { common += 1 }
    func fraction(_ key: [UInt8]) -> Double {
      if RangeSet.precedes(key, first) { return 0 }
      if RangeSet.precedes(last, key) { return 1 }
      func number(_ key: [UInt8]) -> Double {
        Double(key.dropFirst(common).withUnsafeBytes { $0.abbreviatedKey })
      }
      let width = number(last) - number(first)
      return width > 0 ? (number(key) - number(first)) / width : 0
    }
    return max(0, (range.upper.map(fraction) ?? 1) - fraction(range.lower))
  }

  func fanOut(_ step: RelatedRows.Step, from entity: String) throws -> Double {
    let target = try view.layout.entity(step.entity)
    let linked = step.links.compactMap { target.declared.column(ofAttribute: $0.attribute) }
    if target.declared.key.allSatisfy(linked.contains) { return 1 }
    let around = try view.layout.entity(entity)
    guard let keyspace = target.keyspace, let spaceAround = around.keyspace else { return 1 }
    let rows = Double(try view.snapshot.count(of: keyspace))
    return rows / max(1, Double(try view.snapshot.count(of: spaceAround)))
  }

  func found(_ list: MaterializedList) throws -> (cost: Double, values: Double, targets: Double) {
    var (cost, values, targets) = (0.0, 0.0, 0.0)
    for request in list.requests {
      let prepared = try view.prepared(request.shape)
      let inner = ViewStatistics(view: view, entity: prepared.entity, bindings: [])
      let rows = try inner.rowCount()
      guard let slots = request.slots else {
        // As many rows lead to each value that was found as to any.
        cost += values * PlanCost.range
        values = min(rows, values * max(1, rows / max(1, targets)))
        cost += values * (PlanCost.entry + PlanCost.lookUp)
        targets = rows
        continue
      }
      targets = rows
      let estimate = try PlanCost(
        entity: prepared.entity,
        bindings: slots.map { bindings.indices.contains($0) ? bindings[$0] : .null },
        needed: .infinity, statistics: inner
      ).estimate(prepared)
      cost += estimate.cost
      values = estimate.rows
    }
    return (cost, values, targets)
  }
}

extension StoreView {
  /// The plan for a request.
  func chosen(_ prepared: PreparedRequest, _ request: FetchRequest) throws -> PreparedRequest {
    try prepared.chosen(
      for: request,
      ViewStatistics(view: self, entity: prepared.entity, bindings: request.bindings))
  }

  /// The request with the values among its bindings that its plan finds first.
  func settled(_ request: FetchRequest, for prepared: PreparedRequest) throws -> FetchRequest {
    guard let first = prepared.plan.lists.first else { return request }
    var request = request
    while request.bindings.count < first.slot { request.bindings.append(.null) }
    for list in prepared.plan.lists {
      let values = try values(of: list, request.bindings)
      if list.slot < request.bindings.count {
        request.bindings[list.slot] = values
      } else {
        request.bindings.append(values)
      }
    }
    return request
  }

  private func values(of list: MaterializedList, _ bindings: [StoredValue]) throws -> StoredValue {
    var found = StoredValue.array([])
    for request in list.requests {
      let given = request.slots?.map { bindings.indices.contains($0) ? bindings[$0] : .null }
      var collector = DistinctValues()
      try visit(FetchRequest(request.shape, bindings: given ?? [found]), &collector)
      found = .array(collector.values)
    }
    return found
  }
}

/// Collects the different values of the only column; of several columns, as arrays without nulls.
private struct DistinctValues: RowVisitor {
  var values: [StoredValue] = []
  private var known: Set<GroupKey> = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var parts: [StoredValue] = []
    for column in 0..<row.columnCount {
      let part = try row.value(at: column)
      // Null leads nowhere.
      if part.isNull { return .next }
      parts.append(part)
    }
    if known.insert(GroupKey(parts)).inserted {
      values.append(parts.count == 1 ? parts[0] : .array(parts))
    }
    return .next
  }
}
