internal import ORMStorage

/// A set-based update that assigns keys of other rows, with its checks of targets and counts and its
/// changes of orders.
struct LinkedUpdate {
  let transaction: WriteTransaction
  let rules: EntityRules
  let request: FetchRequest
  let assignments: [StoreChange.Assignment]
  private var entity: StoredEntity { rules.entity }

  /// The new value of a to-one in every selected row.
  private enum Value {
    case nothing
    case key([StoredValue])
    /// Computed from each row.
    case computed
  }

  /// Updates; gives how many rows are concerned.
  ///
  /// - Throws: `missingTarget`, `validationFailed` for counts, `invalidValue`, and as an update; the
  ///   caller undoes the writes.
  func run() throws -> Int {
    let written = assignments.map(\.column)
    let links = try rules.targets.filter { try $0.isWritten(in: written, of: entity) }
    let values = try links.map { try value(of: $0) }
    for (link, value) in zip(links, values) {
      guard case .key(let key) = value,
        try transaction.existingKeys(of: link.target, among: [key], seeing: .hidden).isEmpty,
        let first = try firstWithout(key, link)
      else { continue }
      throw link.missing(key, of: entity, key: first)
    }
    for (link, value) in zip(links, values) where link.isOne {
      guard case .key(let key) = value else { continue }
      let referrers = try selected(entity.key)
      if referrers.isEmpty { continue }
      try transaction.releaseReferrers(of: [key], by: link, of: entity, besides: referrers)
    }
    let counts = rules.counts.filter { link in link.columns.contains { written.contains($0) } }
    let mayHide = rules.mayHide(written)
    let needsRows =
      mayHide || !counts.isEmpty || links.contains { $0.position != nil }
      || values.contains { if case .computed = $0 { true } else { false } }
    if !needsRows { return try update() }

    let columns = entity.key + Set(links.flatMap(\.columns) + counts.flatMap(\.columns)).sorted()
    let delta = RowDelta(of: entity, columns: columns, old: try selected(columns))
    let count = try update()
    let after = try delta.new(in: transaction.live())
    let keys = delta.old.map { Array($0.prefix(entity.key.count)) }
    let pairs = keys.indices.map { index in
      Change(key: keys[index], old: delta.old[index], new: after[index] ?? delta.old[index])
    }
    func read(_ wanted: [Int], _ row: [StoredValue]) -> [StoredValue] {
      wanted.compactMap { column in columns.lastIndex(of: column).map { row[$0] } }
    }
    for link in links {
      let changed = pairs.filter {
        GroupKey(read(link.columns, $0.old)) != GroupKey(read(link.columns, $0.new))
      }
      let moved = try changed.map { change in
        MovedReferrer(
          key: change.key,
          owner: try link.checked(read(link.columns, change.new), of: entity, key: change.key))
      }
      try check(moved, link)
      try transaction.append(moved, by: link, of: entity)
    }
    var owners = mayHide ? try transaction.countedOwners(of: keys, rules: rules) : CountedOwners()
    for link in counts {
      for pair in pairs {
        owners.insert(read(link.columns, pair.old), of: link.rule)
        owners.insert(read(link.columns, pair.new), of: link.rule)
      }
    }
    try transaction.checkCounts(owners)
    return count
  }

  private struct Change {
    var key: [StoredValue]
    var old: [StoredValue]
    var new: [StoredValue]
  }

  private func check(_ moved: [MovedReferrer], _ link: TargetLink) throws {
    let existing = try transaction.existingKeys(
      of: link.target, among: moved.compactMap(\.owner), seeing: .hidden)
    for referrer in moved {
      guard let owner = referrer.owner, !existing.contains(GroupKey(owner)) else { continue }
      throw link.missing(owner, of: entity, key: referrer.key)
    }
  }

  private func update() throws -> Int {
    try transaction.apply(.update(request, assignments), entity: entity)
  }

  /// Columns of the rows selected.
  private func selected(_ columns: [Int]) throws -> [[StoredValue]] {
    try transaction.live().rows(of: request.selecting(columns, of: entity))
  }

  /// The key of the first row selected that does not hold a target's key already: one that does
  /// keeps it (clause 2.9).
  private func firstWithout(_ target: [StoredValue], _ link: TargetLink) throws -> [StoredValue]? {
    var search = OtherTargetSearch(target: target)
    try transaction.live().visit(
      request.selecting(link.columns + entity.key, of: entity), &search)
    return search.found
  }

  private func value(of link: TargetLink) throws -> Value {
    var values: [StoredValue] = []
    for column in link.columns {
      switch assignments.last(where: { $0.column == column })?.value {
      case .value(let value): values.append(value)
      case .parameter(let slot, _) where request.bindings.indices.contains(slot):
        values.append(request.bindings[slot])
      default: return .computed
      }
    }
    return try link.checked(values, of: entity, key: []).map { .key($0) } ?? .nothing
  }
}

/// Looks for the first row that leads elsewhere.
private struct OtherTargetSearch: RowVisitor {
  let target: [StoredValue]
  var found: [StoredValue]?

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    let values = try BufferedRow(copying: row).values
    if zip(values, target).allSatisfy({ StoredValue.equals($0, $1) }) { return .next }
    found = Array(values.dropFirst(target.count))
    return .stop
  }
}

extension WriteTransaction {
  /// Assigns to every row that a request selects, and returns the number of rows.
  package func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], entity: StoredEntity
  ) throws -> Int {
    let rules = try store.relationshipRules().of(entity)
    if rules.isWrittenAlone(assignments.map(\.column)) {
      return try apply(.update(request, assignments), entity: entity)
    }
    return try operation { transaction in
      try LinkedUpdate(
        transaction: transaction, rules: rules, request: request, assignments: assignments
      ).run()
    }
  }
}
