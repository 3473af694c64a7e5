internal import ORMStorage

/// A put of rows by columns, some of which hold keys of other rows, with its checks of targets and counts
/// and its changes of orders.
package struct LinkedPut {
  package let transaction: WriteTransaction
  package let rules: EntityRules
  /// The columns that are written.
  package let columns: [Int]
  /// True if rows may be inserted, updated, or both.
  package let mode: PutRequest.Mode
  private var entity: StoredEntity { rules.entity }

  /// Makes a put, which ``run(_:_:)`` carries out.
  package init(
    transaction: WriteTransaction, rules: EntityRules, columns: [Int], mode: PutRequest.Mode
  ) {
    self.transaction = transaction
    self.rules = rules
    self.columns = columns
    self.mode = mode
  }

  /// Puts the rows, which have a value for every column of the entity, by `body`, which is given the
  /// function that finds failures of their counts.
  ///
  /// - Throws: `missingTarget`, `validationFailed` for counts; the caller undoes the writes.
  package func run(
    _ rows: [[StoredValue]], _ body: (RowFailures?) throws -> OutcomeCounter
  ) throws -> OutcomeCounter {
    try transaction.checkTargets(of: rows, columns: columns, rules: rules)
    let counts = rules.counts.filter { link in
      link.columns.contains { columns.contains($0) }
    }
    let ordered = rules.targets.filter { link in
      link.position.map { !columns.contains($0) && columns.contains(link.columns[0]) } ?? false
    }
    let keys = rows.map { row in entity.key.map { row[$0] } }
    // The keys of rows that may be there already.
    let stored =
      mode == .insert ? [] : keys.filter { !entity.awaitsKey($0) }
    let read = Array(Set(counts.flatMap(\.columns) + ordered.flatMap(\.columns))).sorted()
    var before: [GroupKey: [StoredValue]] = [:]
    if !read.isEmpty {
      for row in try transaction.rows(
        of: entity, where: entity.key, in: stored, output: entity.key + read)
      {
        before[GroupKey(Array(row.prefix(entity.key.count)))] =
          Array(row.dropFirst(entity.key.count))
      }
    }
    func old(_ key: [StoredValue], _ columns: [Int]) -> [StoredValue]? {
      before[GroupKey(key)].map { values in
        columns.compactMap { column in read.firstIndex(of: column).map { values[$0] } }
      }
    }
    let known =
      rules.minimums.isEmpty || mode == .update
      ? [] : try transaction.existingKeys(of: entity, among: stored)
    for link in rules.targets where link.isOne && columns.contains(link.columns[0]) {
      try transaction.releaseReferrers(
        of: rows.map { row in link.columns.map { row[$0] } }, by: link, of: entity, besides: keys)
    }
    var failures: RowFailures?
    if mode != .update, !rules.minimums.isEmpty {
      failures = { row in
        known.contains(GroupKey(keys[row]))
          ? [] : rules.minimums.map { $0.failure(0, key: []) }
      }
    }
    let mayHide = rules.mayHide(columns)
    let hidden = mayHide ? try transaction.hiddenKeys(of: entity, among: stored) : []
    let counter = try body(failures)
    func given(_ row: Int) -> [StoredValue] {
      counter.keys.isEmpty ? keys[row] : [.int(counter.keys[row])]
    }
    for link in ordered {
      var moved: [MovedReferrer] = []
      for (position, row) in rows.enumerated() {
        let new = link.columns.map { row[$0] }
        if let known = old(keys[position], link.columns), GroupKey(known) == GroupKey(new) {
          continue
        }
        moved.append(
          MovedReferrer(key: given(position), owner: new.contains(where: \.isNull) ? nil : new))
      }
      try transaction.append(moved, by: link, of: entity)
    }
    var owners = CountedOwners()
    for link in counts {
      for (key, row) in zip(keys, rows) {
        owners.insert(link.columns.map { row[$0] }, of: link.rule)
        if let known = old(key, link.columns) { owners.insert(known, of: link.rule) }
      }
    }
    if mode != .update {
      for rule in rules.minimums {
        for row in rows.indices where !known.contains(GroupKey(keys[row])) {
          owners.insert(given(row), of: rule)
        }
      }
    }
    if mayHide {
      let now = try transaction.hiddenKeys(of: entity, among: stored)
      let moved = stored.filter { now.contains(GroupKey($0)) != hidden.contains(GroupKey($0)) }
      owners.formUnion(try transaction.countedOwners(of: moved, rules: rules))
    }
    try transaction.checkCounts(owners)
    return counter
  }
}

/// A referrer that was given to another owner of an ordered to-many, or to none.
struct MovedReferrer {
  var key: [StoredValue]
  var owner: [StoredValue]?
}

extension WriteTransaction {
  /// Orders rows after the others of their new owners, as given.
  func append(_ moved: [MovedReferrer], by link: TargetLink, of entity: StoredEntity) throws {
    guard let position = link.position, !moved.isEmpty else { return }
    var last: [GroupKey: Int64] = [:]
    var updates: [[StoredValue]] = []
    for row in moved {
      guard let owner = row.owner else {
        updates.append(row.key + [.null])
        continue
      }
      let group = GroupKey(owner)
      let before =
        try last[group]
        ?? greatest(position, of: entity, where: link.columns, equal: owner)
      let orderingKey = try OrderingKeys.following(before, count: 1)[0]
      last[group] = orderingKey
      updates.append(row.key + [.int(orderingKey)])
    }
    try update(updates, setting: [position], of: entity)
  }
}
